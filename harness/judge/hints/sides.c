#include "judge/hints/sides.h"

#include <stdio.h>

/* Fewer on either side would be chance. */
#define CASES_LEAST 3

static bool has_all(const struct problem *problem, const struct test_case *test, int32_t number)
{
	(void)problem, (void)test, (void)number;
	return true;
}

struct hint_sides hint_sides_of(const struct hint_context *facts, hint_trait *has, int32_t number)
{
	struct hint_sides sides = {.aside = ""};
	for (size_t i = 0; i < facts->judgement->count; i++) {
		const struct case_result *result = &facts->judgement->cases[i];
		bool with = has(facts->problem, &result->test, number);
		if (result->verdict == VERDICT_ACCEPTED && result->checked && !hint_case_right(result))
			sides.aside = " with alpha other than 0";
		sides.failing += hint_case_failed(result);
		sides.failing_with += hint_case_failed(result) && with;
		sides.right += hint_case_right(result);
		sides.right_with += hint_case_right(result) && with;
	}
	return sides;
}

bool hint_parts_all(const struct hint_context *facts, hint_trait *has, int32_t number)
{
	struct hint_sides sides = hint_sides_of(facts, has, number);
	hint_claims(facts, (struct hint_claim){.of_failing = has, .number = number});
	return sides.failing_with == sides.failing && sides.right_with == 0;
}

bool hint_parts(const struct hint_context *facts, hint_trait *has, int32_t number)
{
	struct hint_sides sides = hint_sides_of(facts, has, number);
	return hint_parts_all(facts, has, number) && sides.failing >= CASES_LEAST &&
		   sides.right >= CASES_LEAST && !hint_fault_known(facts);
}

bool hint_say_parts(const struct hint_context *facts, struct strbuf *out, const char *what)
{
	struct hint_sides sides = hint_sides_of(facts, has_all, 0);
	strbuf_setf(out, "all %zu failing cases have %s, and none of the %zu accepted ones%s",
				sides.failing, what, sides.right, sides.aside);
	return true;
}
