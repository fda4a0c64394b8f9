/* What ptxas alone tells of kernels that the emulated GPU runs. Those whose wgmma it serialises:
 * where registers or fences do not allow more, it fences and waits by itself. And how many
 * registers they take, by which a GPU refuses blocks that are too large. Internal to judge/. */
#ifndef GEMMJUDGE_JUDGE_SUBMISSION_SERIALISED_H
#define GEMMJUDGE_JUDGE_SUBMISSION_SERIALISED_H

#include "judge/submission/submission.h"

/* Of the emulated GPU, which found something at a wgmma, or said that registers matter: asks ptxas
 * by itself (compile/ptxas.h), as anybody can forge lines of nvcc's messages. Fills `serialised`,
 * `registers` and `ptxas_asked`; where kernels are serialised, what ptxas said is among the
 * compiler's messages. */
void serialised_ask(const struct run *run, struct submission *submission);

/* Both lists, of all reports together; the caller frees them. */
void serialised_of_reports(const char *const *reports, size_t count, char **serialised,
						   char **registers);
/* "_Z1kv=40,_Z1lv=128" from a report; NULL: it has none. The caller frees it. */
char *serialised_registers(const char *log);

/* Names of serialised kernels from a report, with commas between; NULL: none. The caller frees
 * them. */
char *serialised_names(const char *log);

#endif
