/* Correctness of compiled files. Internal to judge/. */
#ifndef GEMMJUDGE_JUDGE_CASES_CHECK_H
#define GEMMJUDGE_JUDGE_CASES_CHECK_H

#include "judge/run/run.h"

/* Runs the entrant over the cases (out->cases[i].test are filled), one result
 * each; fills the counts, the verdict and the detail of *out. False when the
 * referee cannot go on (err). */
bool check_cases(struct run *run, const struct problem *problem, const struct entrant *entrant,
				 struct judgement *out, struct error *err);

#endif
