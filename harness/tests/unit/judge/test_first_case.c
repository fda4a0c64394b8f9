/* links: judge */
#include <criterion/criterion.h>
#include <string.h>

#include "judge/submission/submission.h"

static void expect_order(const char *first, const char *const wanted[3])
{
	struct test_case cases[3] = {{.name = "a"}, {.name = "b"}, {.name = "c"}};
	struct submission submission = {.cases = cases, .case_count = 3};
	submission_put_first(&submission, first);
	for (size_t i = 0; i < 3; i++)
		cr_expect_str_eq(cases[i].name, wanted[i], "%s at %zu", cases[i].name, i);
}

Test(first_case, comes_before_the_others_which_keep_their_order)
{
	expect_order("c", (const char *const[]){"c", "a", "b"});
	expect_order("b", (const char *const[]){"b", "a", "c"});
	expect_order("a", (const char *const[]){"a", "b", "c"});
}

Test(first_case, of_another_name_changes_nothing)
{
	expect_order("d", (const char *const[]){"a", "b", "c"});
	expect_order(NULL, (const char *const[]){"a", "b", "c"});
	submission_put_first(&(struct submission){.case_count = 0}, "a");
}
