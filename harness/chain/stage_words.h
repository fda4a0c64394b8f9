/* Words of other tools for stages of an epilogue, which are files and have no rows. */
#ifndef GEMMJUDGE_CHAIN_STAGE_WORDS_H
#define GEMMJUDGE_CHAIN_STAGE_WORDS_H

#include "base/suggest.h"

extern const struct meaning stage_words[];

#endif
