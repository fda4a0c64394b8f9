/* Counters of kernels, as an emulated GPU writes them: names and numbers. What
 * they mean is between the emulator and the reader. Internal to judge/. */
#ifndef GEMMJUDGE_JUDGE_RUN_COUNTERS_H
#define GEMMJUDGE_JUDGE_RUN_COUNTERS_H

#include "judgement/judgement.h"

/* Adds those in a text to the judgement's: kernels and counters of the same name
 * are summed. Lines of a movable file are those of the user's, `source` (struct compiled; NULL or
 * "": it is none). False, with nothing added, when the text cannot be understood. */
bool counters_read(const char *text, const char *source, struct judgement *out);

#endif
