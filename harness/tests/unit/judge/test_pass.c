/* links: judge compile process testcases base */
/* How many calls passes make, and when there are enough of them. */
#include <criterion/criterion.h>
#include <math.h>

#include "judge/timing/pass.h"

static void expect_plan(uint32_t sets, double microseconds, uint32_t warmups, uint32_t calls)
{
	struct pass_plan plan = pass_plan(sets, microseconds);
	cr_expect(plan.warmups == warmups && plan.calls == calls, "%g us, %u sets: %u and %u",
			  microseconds, sets, plan.warmups, plan.calls);
	cr_expect_leq(plan.warmups + plan.calls, sets, "a call on each set");
}

Test(pass, fast_calls_go_through_all_sets)
{
	expect_plan(10, 0, 2, 8);
	expect_plan(10, 180, 2, 8);
	expect_plan(514, 3, 2, 512);
	expect_plan(10, 2000, 2, 8);
	expect_plan(3, 100, 2, 1);
	expect_plan(10, NAN, 2, 8); /* the process's word */
	expect_plan(10, -1, 2, 8);
}

Test(pass, slow_calls_fill_some_20_ms)
{
	expect_plan(10, 2001, 1, 8);
	expect_plan(100, 2001, 1, 8);
	expect_plan(10, 2700, 1, 6);
	expect_plan(10, 4000, 1, 4);
	expect_plan(10, 9999, 1, 2);
	expect_plan(10, 15000, 0, 2);
	expect_plan(10, 3e6, 0, 2);
	expect_plan(10, INFINITY, 0, 2);
	expect_plan(3, 15000, 0, 2);
	expect_plan(5, 2500, 1, 4);
}

/* Whether so many times that differ by +-`spread` are enough, in so many passes. */
static bool enough(double microseconds, double spread, size_t count, size_t events, uint32_t passes)
{
	struct samples times = {0};
	const struct samples event = {.count = events};
	for (size_t i = 0; i < count; i++) {
		double off = (double)(2 * (i * 7 % count)) / (double)(count - 1) - 1;
		float value = (float)(microseconds * (1 + spread * off));
		cr_assert(samples_add(&times, &value, 1));
	}
	bool out = pass_enough(&times, &event, passes);
	samples_free(&times);
	return out;
}

Test(pass, fast_calls_need_40_samples_and_slow_ones_12)
{
	cr_expect(enough(180, 0.001, 40, 8, 6));
	cr_expect(!enough(180, 0.001, 39, 8, 6));
	cr_expect(enough(15000, 0.001, 12, 4, 6));
	cr_expect(!enough(15000, 0.001, 11, 4, 6));
	cr_expect(!enough(180, 0.001, 40, 5, 6));
}

Test(pass, nothing_is_enough_in_few_passes)
{
	cr_expect(!enough(180, 0, 400, 8, 5));
	cr_expect(!enough(15000, 0, 400, 8, 5));
	cr_expect(!enough(15000, 0, 400, 3, 6), "nothing is known of calls between events");
}

/* +-0.4% of few samples leaves the median uncertain by more than 0.5%: then more are made. */
Test(pass, slow_calls_that_scatter_go_on)
{
	cr_expect(!enough(15000, 0.004, 18, 6, 6));
	cr_expect(enough(15000, 0.004, 90, 6, 30));
}

Test(pass, a_quarter_of_later_results_is_compared_as_a_whole)
{
	cr_expect_eq(pass_rows(true, 1, 9, 10), 0, "the first, whatever it takes");
	int wholes = 0;
	for (uint64_t drawn = 0; drawn < 400; drawn++) {
		uint32_t rows = pass_rows(false, drawn, 0.1, 1);
		cr_expect(rows == 0 || rows == PASS_ROWS);
		wholes += rows == 0;
		cr_expect_eq(pass_rows(false, drawn, 0.31, 1), PASS_ROWS, "it would take long");
	}
	cr_expect_eq(wholes, 100);
}
