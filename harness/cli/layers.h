/* Which layers of the jail hold on this machine. */
#ifndef GEMMJUDGE_CLI_LAYERS_H
#define GEMMJUDGE_CLI_LAYERS_H

#include "judgement/layers.h"

/* In a process of its own: whether this layer holds and, where `tells`, somebody can be told of
 * what is denied then. False with err, which says why. */
bool layers_try(unsigned layer, bool tells, struct error *err);

/* Those that do not hold, each tried. */
unsigned layers_missing(void);

/* "files,calls", as --require takes them. */
const char *layers_words(unsigned layers, char out[LAYERS_TEXT]);

#endif
