/* What ptxas says of kernels among nvcc's messages (-Xptxas -v). Internal to judge/. */
#ifndef GEMMJUDGE_JUDGE_SUBMISSION_PTXAS_H
#define GEMMJUDGE_JUDGE_SUBMISSION_PTXAS_H

#include "judgement/judgement.h"

/* Takes the lines of -v out of the log, and what they say of kernels into the judgement, behind
 * those that it has. Warnings and notes stay ("(C7510) Potential Performance Loss: ..."). */
void ptxas_take(char *log, struct judgement *out);

#endif
