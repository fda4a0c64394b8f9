/* Whether an accepted file gives the same bits again, and whether those of a row depend on the
 * other rows. Words and facts; no verdict changes by them. Internal to judge/. */
#ifndef GEMMJUDGE_JUDGE_CASES_BITS_H
#define GEMMJUDGE_JUDGE_CASES_BITS_H

#include "judge/run/run.h"

/* Fills out->bits by a few more calls, of the process that `last` has, or of a new one where
 * `dead`. They take a share of `seconds`, which the file has taken until now. Whatever solve() does
 * in them, it only costs the words; false when the referee cannot go on (err). */
bool bits_ask(const struct case_run *last, bool dead, double seconds, struct judgement *out,
			  struct error *err);

#endif
