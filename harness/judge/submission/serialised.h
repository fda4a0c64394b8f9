/* Kernels whose wgmma ptxas serialises: where registers or fences do not allow more, it fences and
 * waits by itself, and says so. PTX alone does not tell. Internal to judge/. */
#ifndef GEMMJUDGE_JUDGE_SUBMISSION_SERIALISED_H
#define GEMMJUDGE_JUDGE_SUBMISSION_SERIALISED_H

#include "judge/submission/submission.h"

/* Of the emulated GPU, which found something at a wgmma: asks ptxas, which compiles the file once
 * more if it has not run. Fills submission->serialised, and has what ptxas said among the
 * compiler's messages. False: it serialises none. */
bool serialised_find(const struct run *run, struct submission *submission);

/* Their names from the messages, with commas between; NULL: none. The caller frees them. */
char *serialised_names(const char *log);

#endif
