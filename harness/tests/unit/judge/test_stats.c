/* links: judge compile process testcases base */
#include <criterion/criterion.h>
#include <math.h>

#include "judge/timing/stats.h"

static struct timing_stats stats_from(const float *values, size_t count)
{
	struct samples samples = {0};
	cr_assert(samples_add(&samples, values, count));
	struct timing_stats stats = stats_of(&samples);
	samples_free(&samples);
	return stats;
}

Test(stats, median_of_odd_and_even_counts)
{
	cr_expect_eq(stats_from((float[]){3, 1, 2}, 3).median, 2.0);
	cr_expect_eq(stats_from((float[]){4, 1, 3, 2}, 4).median, 2.5);
}

Test(stats, no_samples_are_no_statistics)
{
	struct timing_stats stats = stats_from(NULL, 0);
	cr_expect_eq(stats.samples, 0);
	cr_expect(isinf(stats_relative_width(&stats)));
}

Test(stats, few_samples_have_the_whole_range_as_interval)
{
	struct timing_stats stats = stats_from((float[]){5, 9, 7}, 3);
	cr_expect_eq(stats.low, 5.0);
	cr_expect_eq(stats.high, 9.0);
}

/* For n = 100 the tables give the order statistics 40 and 61. */
Test(stats, interval_of_a_hundred_samples)
{
	float values[100];
	for (int i = 0; i < 100; i++)
		values[i] = (float)((i * 37) % 100 + 1); /* 1..100, shuffled */
	struct timing_stats stats = stats_from(values, 100);
	cr_expect_eq(stats.median, 50.5);
	cr_expect_eq(stats.low, 40.0);
	cr_expect_eq(stats.high, 61.0);
	cr_expect_eq(stats.p95, 95.0);
	cr_expect_eq(stats.min, 1.0);
}

/* That the median of what n samples are drawn from lies between the ones of these ranks: as many
 * samples as that lie below it are heads of n coins. */
static double certainty_of(int n, int low, int high)
{
	double sum = 0;
	for (int heads = low; heads < high; heads++)
		sum += exp(lgamma(n + 1.0) - lgamma(heads + 1.0) - lgamma(n - heads + 1.0) - n * log(2.0));
	return sum;
}

/* Counted out, whatever the times are drawn from: an interval is never narrower than 95%. */
Test(stats, interval_of_few_samples_is_one_of_95_percent)
{
	float values[500];
	for (int i = 0; i < 500; i++)
		values[i] = (float)(i + 1); /* its own rank */
	for (size_t n = 6; n <= 500; n++) {
		struct timing_stats stats = stats_from(values, n);
		double certainty = certainty_of((int)n, (int)stats.low, (int)stats.high);
		cr_expect(certainty >= 0.95 && certainty < 0.9999, "%zu samples: %g", n, certainty);
	}
	struct timing_stats of_16 = stats_from(values, 16), of_18 = stats_from(values, 18);
	cr_expect(of_16.low == 4 && of_16.high == 13, "the outer three of 16 are left out");
	cr_expect(of_18.low == 4 && of_18.high == 15);
}

Test(stats, middle_of_a_pass)
{
	cr_expect_eq(stats_middle((float[]){4, 1, 3, 2}, 4), 2.5);
	cr_expect_eq(stats_middle(NULL, 0), 0);
}

Test(stats, samples_grow_over_several_additions)
{
	struct samples samples = {0};
	for (int i = 0; i < 1000; i++)
		cr_assert(samples_add(&samples, (float[]){(float)i}, 1));
	struct timing_stats stats = stats_of(&samples);
	cr_expect_eq(stats.samples, 1000);
	cr_expect_eq(stats.median, 499.5);
	samples_free(&samples);
}

/* What nothing can be below is an error of measurement, unless most say it: that is a claim. */
Test(stats, impossible_samples_are_left_out)
{
	struct samples samples = {0};
	cr_assert(samples_add(&samples, (float[]){130, 90, 131, 132, 89}, 5));
	samples_drop_below(&samples, 128.4);
	cr_assert_eq(samples.count, 3);
	struct timing_stats stats = stats_of(&samples);
	cr_expect(stats.min == 130 && stats.median == 131);
	samples_drop_below(&samples, 131.5);
	cr_expect_eq(samples.count, 3, "two of three");
	samples_free(&samples);
	samples_drop_below(&samples, 1);
	cr_expect_eq(samples.count, 0);
}
