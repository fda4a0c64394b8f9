/* Cases once more. For words and hints; only races change a verdict. Internal to judge/. */
#ifndef GEMMJUDGE_JUDGE_CASES_REPEAT_H
#define GEMMJUDGE_JUDGE_CASES_REPEAT_H

#include "judge/run/run.h"

/* Where a wrong result has suspect elements (judgement/check.h): one more call, of the process that
 * made it, on a result that holds other values, so that what is said to be unwritten is.
 * result->check then has what both calls tell. Not under a tool, not where launches are counted,
 * not beside custom stages, and not where a call takes long. *dead tells that the process is gone,
 * which changes no verdict; false when the referee cannot go on (err). */
bool repeat_refilled(const struct case_run *one, struct case_result *result, bool *dead,
					 struct error *err);

/* Of those that follow, `last` is the run of any case of the file; which one is repeated follows
 * from the judgement.
 *
 * The first case with a wrong result by itself in a new process, twice.
 * Fills out->repeat where there is such a case and it is not known yet how its wrong elements are
 * made. Not under a tool, not where launches are counted, and not where a call takes long. Whatever
 * the contestant's process does, it only costs the hint; false when the referee cannot go on (err).
 */
bool repeat_wrong_case(const struct case_run *last, struct judgement *out, struct error *err);

/* On the emulated GPU: a small case of an accepted file once more, in a new process that looks for
 * races, where nobody asked for another check. The case has the verdict, and what was said, where
 * it finds one: then the file's is to be summed up anew. */
bool repeat_for_races(const struct case_run *last, struct judgement *out, struct error *err);

#endif
