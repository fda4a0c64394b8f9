/* Tensara's solution() in place of solve(): whether a file's fits the problem, and in which order
 * its sizes come. Internal to judge/. */
#ifndef GEMMJUDGE_JUDGE_ORDERS_H
#define GEMMJUDGE_JUDGE_ORDERS_H

#include "judge/submission.h"

/* The order to begin with, from the file's text: ENTRY_NOT_TAKEN where the problem has more than
 * buffers and sizes, or where the text defines a solution() with other parameters. */
enum entry_order orders_first(const struct problem *problem, const char *source);

/* check_cases() of the submission. Where its solution() is not right in Tensara's order and the
 * problem's own is another one, that is tried, too, and taken if it is right. submission->order and
 * *out tell which it was. */
bool orders_check(struct run *run, struct submission *submission, struct judgement *out,
				  struct error *err);

#endif
