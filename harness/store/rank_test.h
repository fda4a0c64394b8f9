/* Whether two sets of times differ by more than chance, and by how much. */
#ifndef GEMMJUDGE_STORE_RANK_TEST_H
#define GEMMJUDGE_STORE_RANK_TEST_H

#include <stdbool.h>
#include <stddef.h>

/* The two-sided p of Mann and Whitney's rank sum test (Hollander, Wolfe and Chicken, Nonparametric
 * Statistical Methods, 3rd ed., section 4.1): how often values that differ by nothing but chance
 * have ranks that lie so far apart. Exact where no two values are equal and there are no more than
 * RANK_EXACT on either side; else by the normal approximation, with the corrections for ties and
 * for continuity. 1 where a side is empty. */
#define RANK_EXACT 32
double rank_test_p(const double *a, size_t a_count, const double *b, size_t b_count);

/* The least p that so many values can show. */
double rank_test_least_p(size_t a_count, size_t b_count);

/* b over a: the shift of Hodges and Lehmann between the logarithms, the median of all differences
 * of a value of b and one of a (section 4.2), with its 95% interval from the order statistics of
 * those differences that the rank test would not reject (Moses, section 4.3; the rank by its normal
 * approximation). All 0 where a side is empty, a value is not positive, or memory runs out. */
struct rank_test_ratio {
	double value, low, high;
};
struct rank_test_ratio rank_test_ratio(const double *a, size_t a_count, const double *b,
									   size_t b_count);

#endif
