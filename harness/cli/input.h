/* A solution that comes on stdin. */
#ifndef GEMMJUDGE_CLI_INPUT_H
#define GEMMJUDGE_CLI_INPUT_H

#include "cli/options.h"

/* Where one of the arguments is "-": reads stdin to its end, into memory, and lets
 * options->judge.input name it. Nothing stays behind however the program ends. */
bool input_take(struct options *options, struct error *err);

#endif
