/* What all failing cases have and no accepted one, or the other way round: for the families that
 * speak of cases. */
#ifndef GEMMJUDGE_JUDGE_HINTS_SIDES_H
#define GEMMJUDGE_JUDGE_HINTS_SIDES_H

#include "judge/hints/claims.h"

struct hint_sides {
	size_t failing, failing_with, right, right_with;
	const char *aside; /* behind "accepted ones": which accepted cases count as neither, or "" */
};

/* How many cases have it. */
struct hint_sides hint_sides_of(const struct hint_context *facts, hint_trait *has, int32_t number);

/* Whether all failing cases have it and no right one, and claims that. */
bool hint_parts_all(const struct hint_context *facts, hint_trait *has, int32_t number);

/* As hint_parts_all(), where there are enough of each, and it is not known how wrong elements are
 * made. */
bool hint_parts(const struct hint_context *facts, hint_trait *has, int32_t number);

/* "all 5 failing cases have K odd, and none of the 7 accepted ones" */
bool hint_say_parts(const struct hint_context *facts, struct strbuf *out, const char *what);

#endif
