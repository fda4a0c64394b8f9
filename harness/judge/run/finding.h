/* What the referee found in a result, as a verdict. Internal to judge/. */
#ifndef GEMMJUDGE_JUDGE_RUN_FINDING_H
#define GEMMJUDGE_JUDGE_RUN_FINDING_H

#include "judge/run/run.h"

/* What the referee finds in one set after a call; result->plain follows from the entrant. *outcome
 * tells when a stage's own code failed; false with err when the referee cannot go on. */
bool finding_check(const struct case_run *one, const struct referee_result *result,
				   struct check_summary *reply, struct outcome *outcome, struct error *err);

/* The verdict of a finished call from what the referee saw. `detail` gets one
 * line. */
enum verdict finding_verdict(const struct problem *problem, const struct test_case *test,
							 const struct chain *chain, const struct check_summary *check,
							 char detail[1024]);

#endif
