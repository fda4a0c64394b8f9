/* links: judge */
#include <criterion/criterion.h>

#include "judge/cases/check.h"

/* Beside the cases: loading, and 60 s between calls. */
Test(together, gives_few_cases_all_of_their_time)
{
	cr_expect_eq(check_together(4 * 10.0, 10.0, 10.0), 40.0 + 10.0 + 60.0);
	cr_expect_eq(check_together(0.5, 0.5, 0.5), 61.0);
}

Test(together, gives_many_cases_less_than_the_sum)
{
	cr_expect_eq(check_together(100 * 10.0, 10.0, 10.0), 100.0 + 100.0 + 10.0 + 60.0);
	cr_expect_geq(check_together(9 * 1.0 + 600.0, 600.0, 1.0), 9.0 + 600.0, "one that is long");
}
