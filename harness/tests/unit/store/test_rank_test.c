/* links: store */
/* Ranks, against scipy 1.10.1 (mannwhitneyu, two-sided) and, for the interval, the same formula
 * computed there. */
#include <criterion/criterion.h>
#include <math.h>

#include "store/rank_test.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define P(a, b) rank_test_p(a, COUNT(a), b, COUNT(b))

static void is_near(double got, double want)
{
	cr_expect(fabs(got - want) <= 1e-12 * fabs(want), "%.17g, not %.17g", got, want);
}

/* Permeability of membranes: example 4.1 of Hollander, Wolfe and Chicken. */
static const double at_term[] = {0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46};
static const double earlier[] = {1.15, 0.88, 0.90, 0.74, 1.21};

Test(rank_test, few_values_without_ties_have_an_exact_p)
{
	const double a[] = {1.1, 2.2, 3.3, 4.4}, b[] = {5.5, 6.6, 7.7, 8.8};
	is_near(P(a, b), 2.0 / 70.0);
	is_near(P(b, a), 2.0 / 70.0);
	is_near(P(at_term, earlier), 0.2544122544122544);
	double x[32], y[32];
	for (int i = 0; i < 32; i++) {
		x[i] = i * 37 % 101 + 0.5;
		y[i] = i * 53 % 103 + 11.25;
	}
	is_near(rank_test_p(x, 7, y, 12), 0.7732396602365642);
	is_near(rank_test_p(x, 32, y, 32), 0.21087680514801702);
}

Test(rank_test, ties_and_many_values_have_a_normal_p)
{
	const double a[] = {10, 11, 11, 12, 13, 13, 13, 14}, b[] = {12, 13, 14, 14, 15, 15, 16};
	is_near(P(a, b), 0.021920655864769517);
	double x[40], y[35];
	for (int i = 0; i < 40; i++)
		x[i] = 100 + 0.1 * i;
	for (int i = 0; i < 35; i++)
		y[i] = 101 + 0.1 * i + 0.03;
	is_near(rank_test_p(x, 40, y, 35), 0.004970189077531398);
	const double one[] = {5, 5, 5};
	cr_expect_eq(P(one, one), 1.0);
}

Test(rank_test, nothing_shows_nothing)
{
	const double a[] = {1, 2};
	cr_expect_eq(rank_test_p(a, 2, a, 0), 1.0);
	cr_expect_eq(rank_test_least_p(0, 7), 1.0);
	is_near(rank_test_least_p(4, 4), 2.0 / 70.0);
	is_near(rank_test_least_p(6, 6), 2.0 / 924.0);
	cr_expect_eq(rank_test_ratio(a, 2, a, 0).value, 0.0);
	const double zero[] = {0, 1};
	cr_expect_eq(rank_test_ratio(a, 2, zero, 2).value, 0.0, "a time of nothing has no ratio");
}

Test(rank_test, the_ratio_is_the_middle_of_all_ratios)
{
	struct rank_test_ratio ratio =
		rank_test_ratio(at_term, COUNT(at_term), earlier, COUNT(earlier));
	is_near(ratio.value, 0.7623304256784817);
	is_near(ratio.low, 0.5068493150684932);
	is_near(ratio.high, 1.2054794520547945);
	struct rank_test_ratio back = rank_test_ratio(earlier, COUNT(earlier), at_term, COUNT(at_term));
	is_near(back.value, 1.0 / ratio.value);
	is_near(back.low, 1.0 / ratio.high);
}
