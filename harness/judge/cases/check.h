/* Correctness of compiled files. Internal to judge/. */
#ifndef GEMMJUDGE_JUDGE_CASES_CHECK_H
#define GEMMJUDGE_JUDGE_CASES_CHECK_H

#include "judge/run/run.h"

/* Runs the entrant over the cases (out->cases[i].test are filled), one result
 * each; fills the counts, the verdict and the detail of *out. False when the
 * referee cannot go on (err). */
bool check_cases(struct run *run, const struct problem *problem, const struct entrant *entrant,
				 struct judgement *out, struct error *err);

/* Seconds for all cases of a file, of which each has its own limit: their sum, and that of the
 * longest; `timeout` is for loading. Any case may take all of its time, but not each of many: else
 * a file that breaks no limit keeps others waiting for hours. */
double check_together(double sum, double longest, double timeout);

#endif
