/* In which order the sizes of Tensara's solution() come, found by trying. Internal to judge/. */
#ifndef GEMMJUDGE_JUDGE_CASES_ORDERS_H
#define GEMMJUDGE_JUDGE_CASES_ORDERS_H

#include "judge/submission/submission.h"

/* As `before`, which is of before any case, with what the compiler said; *out owns nothing yet. */
void orders_begin(const struct judgement *before, const struct submission *s,
				  struct judgement *out);

/* check_cases() of the submission. Where its solution() is not right in Tensara's order and the
 * problem's own is another one, that is tried, too, and taken if it is right. submission->order and
 * *out tell which it was. */
bool orders_check(struct run *run, struct submission *submission, struct judgement *out,
				  struct error *err);

#endif
