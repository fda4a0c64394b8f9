/* The options of `judge` that do again what the store has. */
#ifndef GEMMJUDGE_CLI_RECORDED_H
#define GEMMJUDGE_CLI_RECORDED_H

#include <jansson.h>

#include "cli/batch.h"
#include "store/measured.h"

/* As a request of a batch has them (batch/request.h), without those among these words, which are
 * for all requests, and what these exclude. The judgement has its cases. The caller's to free. */
json_t *recorded_options(const struct measured *item, const struct batch_words *words);

#endif
