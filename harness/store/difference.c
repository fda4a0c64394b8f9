#include "store/difference.h"

#include <string.h>

#include "store/rank_test.h"

/* By the 95% intervals of both medians. */
static void by_intervals(const struct measured_time *a, const struct measured_time *b,
						 struct difference *out)
{
	out->ratio = b->median / a->median;
	out->low = a->high > 0.0 ? b->low / a->high : 0.0;
	out->high = a->low > 0.0 ? b->high / a->low : out->ratio;
}

struct difference difference_of(const struct measured_time *a, const struct measured_time *b,
								size_t tests)
{
	struct difference out = {.a_passes = a->pass_count,
							 .b_passes = b->pass_count,
							 .clocks_differ = strcmp(a->clock, b->clock) != 0,
							 .ratio = 1.0,
							 .low = 1.0,
							 .high = 1.0,
							 .p = 1.0};
	double level = DIFFERENCE_LEVEL / (double)(tests > 0 ? tests : 1);
	if (!(a->median > 0.0) || !(b->median > 0.0))
		return out;
	struct rank_test_ratio shift = {0};
	if (!out.clocks_differ && rank_test_least_p(a->pass_count, b->pass_count) <= level)
		shift = rank_test_ratio(a->passes, a->pass_count, b->passes, b->pass_count);
	out.ranked = shift.value > 0.0;
	if (out.ranked) {
		out.ratio = shift.value;
		out.low = shift.low;
		out.high = shift.high;
		out.p = rank_test_p(a->passes, a->pass_count, b->passes, b->pass_count);
	} else {
		by_intervals(a, b, &out);
	}
	bool beyond = out.ranked ? out.p <= level : out.low > 1.0 || out.high < 1.0;
	if (beyond && out.ratio > 1.0 + DIFFERENCE_MARGIN)
		out.kind = DIFFERENCE_SLOWER;
	if (beyond && out.ratio < 1.0 / (1.0 + DIFFERENCE_MARGIN))
		out.kind = DIFFERENCE_FASTER;
	return out;
}
