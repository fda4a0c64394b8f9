/* links: report */
/* What reports say of a judgement's cases. */
#include <criterion/criterion.h>

#include "report/facts.h"

/* What is in the result of a case that the emulated GPU cannot run, no kernel has written. */
Test(facts, unsupported_cases_have_no_error)
{
	struct case_result cases[2] = {
		{.checked = true, .verdict = VERDICT_UNSUPPORTED, .check.worst_ratio = 3989},
		{.checked = true, .verdict = VERDICT_ACCEPTED, .check.worst_ratio = 0.25},
	};
	const struct judgement item = {.count = 2, .cases = cases};
	cr_expect_eq(facts_worst_case(&item), &cases[1]);
	cases[1].verdict = VERDICT_UNSUPPORTED;
	cr_expect_null(facts_worst_case(&item));
}
