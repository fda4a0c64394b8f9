/* Sums in a type that is too narrow: rows of hints_of_products. */
#ifndef GEMMJUDGE_JUDGE_HINTS_NARROW_SUMS_H
#define GEMMJUDGE_JUDGE_HINTS_NARROW_SUMS_H

#include "judge/hints/hints.h"

/* Small errors of a file that adds parts to a narrow result by atomics. */
bool hint_narrow_atomics(const struct hint_context *facts, struct strbuf *out);

/* Errors all over the result, as large as those of sums that are rounded on the way. */
bool hint_narrow_sums(const struct hint_context *facts, struct strbuf *out);

/* Errors that are too large together, though no element is beyond its bound. */
bool hint_all_together(const struct hint_context *facts, struct strbuf *out);

#endif
