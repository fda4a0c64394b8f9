#include "store/rank_test.h"

#include <math.h>
#include <stdlib.h>

#define NORMAL_975 1.959963984540054 /* quantile of the normal distribution */

/* ---- the test -------------------------------------------------------------------- */

/* How many of all pairs have the greater value in b, equal ones as a half. */
static double pairs_greater(const double *a, size_t a_count, const double *b, size_t b_count,
							bool *ties)
{
	double greater = 0.0;
	*ties = false;
	for (size_t i = 0; i < a_count; i++)
		for (size_t j = 0; j < b_count; j++) {
			greater += b[j] > a[i] ? 1.0 : b[j] == a[i] ? 0.5 : 0.0;
			*ties = *ties || b[j] == a[i];
		}
	return greater;
}

/* The share of orders of m and n values in which at most `most` pairs are the one way round. Of
 * counts(m, n, u) = counts(m - 1, n, u - n) + counts(m, n - 1, u), as the greatest value of all is
 * one of the m, which is greater than all n, or one of the n. */
static double share_at_most(size_t m, size_t n, size_t most)
{
	static const size_t width = RANK_EXACT * RANK_EXACT + 1;
	double *share = calloc((n + 1) * width, sizeof *share); /* [n'][u], for m' = 0, 1, ... */
	if (share == NULL)
		return NAN;
	for (size_t j = 0; j <= n; j++)
		share[j * width] = 1.0;
	for (size_t i = 1; i <= m; i++)
		for (size_t j = 1; j <= n; j++) {
			/* by parts of all orders instead of their number, which is beyond a double's digits */
			double of_m = (double)i / (double)(i + j);
			for (size_t u = i * j + 1; u-- > 0;)
				share[j * width + u] = (u >= j ? of_m * share[j * width + u - j] : 0.0) +
									   (1.0 - of_m) * share[(j - 1) * width + u];
		}
	double sum = 0.0;
	for (size_t u = 0; u <= most && u <= m * n; u++)
		sum += share[n * width + u];
	free(share);
	return sum;
}

static double exact_p(double greater, size_t a_count, size_t b_count)
{
	double pairs = (double)a_count * (double)b_count;
	return fmin(1.0, 2.0 * share_at_most(a_count, b_count, (size_t)fmin(greater, pairs - greater)));
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* The sum of t^3 - t over groups of t equal values; -1 where memory runs out. */
static double ties_sum(const double *a, size_t a_count, const double *b, size_t b_count)
{
	size_t count = a_count + b_count, group = 1;
	double *all = malloc(count * sizeof *all), sum = 0.0;
	if (all == NULL)
		return -1.0;
	for (size_t i = 0; i < count; i++)
		all[i] = i < a_count ? a[i] : b[i - a_count];
	qsort(all, count, sizeof *all, compare);
	for (size_t i = 1; i <= count; i++) {
		if (i < count && all[i] == all[i - 1]) {
			group++;
			continue;
		}
		sum += pow((double)group, 3.0) - (double)group;
		group = 1;
	}
	free(all);
	return sum;
}

static double normal_p(double greater, const double *a, size_t a_count, const double *b,
					   size_t b_count)
{
	double m = (double)a_count, n = (double)b_count, all = m + n;
	double ties = ties_sum(a, a_count, b, b_count);
	double variance = m * n / 12.0 * (all + 1.0 - ties / (all * (all - 1.0)));
	double away = fabs(greater - m * n / 2.0) - 0.5;
	if (ties < 0.0 || !(variance > 0.0) || away <= 0.0)
		return 1.0;
	return fmin(1.0, erfc(away / sqrt(2.0 * variance)));
}

double rank_test_p(const double *a, size_t a_count, const double *b, size_t b_count)
{
	bool across, within = false, ignored;
	if (a_count == 0 || b_count == 0)
		return 1.0;
	double greater = pairs_greater(a, a_count, b, b_count, &across);
	for (size_t i = 1; i < a_count; i++)
		within = within || (pairs_greater(a, i, a + i, 1, &ignored), ignored);
	for (size_t i = 1; i < b_count; i++)
		within = within || (pairs_greater(b, i, b + i, 1, &ignored), ignored);
	double p = NAN;
	if (!across && !within && a_count <= RANK_EXACT && b_count <= RANK_EXACT)
		p = exact_p(greater, a_count, b_count);
	return isnan(p) ? normal_p(greater, a, a_count, b, b_count) : p;
}

double rank_test_least_p(size_t a_count, size_t b_count)
{
	if (a_count == 0 || b_count == 0)
		return 1.0;
	return fmin(1.0, 2.0 * exp(lgamma((double)a_count + 1.0) + lgamma((double)b_count + 1.0) -
							   lgamma((double)(a_count + b_count) + 1.0)));
}

/* ---- the shift --------------------------------------------------------------------- */

static bool all_positive(const double *values, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!(values[i] > 0.0))
			return false;
	return count > 0;
}

struct rank_test_ratio rank_test_ratio(const double *a, size_t a_count, const double *b,
									   size_t b_count)
{
	struct rank_test_ratio ratio = {0};
	size_t pairs = a_count * b_count, at = 0;
	double m = (double)a_count, n = (double)b_count;
	if (!all_positive(a, a_count) || !all_positive(b, b_count))
		return ratio;
	double *differences = malloc(pairs * sizeof *differences);
	if (differences == NULL)
		return ratio;
	for (size_t i = 0; i < a_count; i++)
		for (size_t j = 0; j < b_count; j++)
			differences[at++] = log(b[j] / a[i]);
	qsort(differences, pairs, sizeof *differences, compare);
	double middle = 0.5 * (differences[(pairs - 1) / 2] + differences[pairs / 2]);
	double rank = floor(m * n / 2.0 - NORMAL_975 * sqrt(m * n * (m + n + 1.0) / 12.0));
	size_t first = rank < 1.0 ? 1 : (size_t)rank;
	ratio = (struct rank_test_ratio){exp(middle), exp(differences[first - 1]),
									 exp(differences[pairs - first])};
	free(differences);
	return ratio;
}
