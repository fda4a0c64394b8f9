/* What ptxas alone tells of kernels that the emulated GPU runs. Those whose wgmma it serialises:
 * where registers or fences do not allow more, it fences and waits by itself. And how many
 * registers they take, by which a GPU refuses blocks that are too large. Internal to judge/. */
#ifndef GEMMJUDGE_JUDGE_SUBMISSION_SERIALISED_H
#define GEMMJUDGE_JUDGE_SUBMISSION_SERIALISED_H

#include "judge/submission/submission.h"

/* Of the emulated GPU, which found something at a wgmma: asks ptxas, which compiles the file once
 * more if it has not run. Fills submission->serialised, and has what ptxas said among the
 * compiler's messages. False: it serialises none. */
bool serialised_find(const struct run *run, struct submission *submission);

/* Of the emulated GPU, which said that registers matter: the same, into submission->registers. The
 * messages stay as they are. False: ptxas says nothing. */
bool serialised_find_registers(const struct run *run, struct submission *submission);
/* "_Z1kv=40,_Z1lv=128" from the messages; NULL: they have none. The caller frees it. */
char *serialised_registers(const char *log);

/* Their names from the messages, with commas between; NULL: none. The caller frees them. */
char *serialised_names(const char *log);

#endif
