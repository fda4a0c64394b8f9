/* links: testcases base */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "testcases/case.h"
#include "testcases/values.h"

static const struct problem *problem_at(size_t index)
{
	size_t count;
	const struct problem *table = problem_table(&count);
	return index < count ? &table[index] : NULL;
}

static bool same_spec(struct value_spec a, struct value_spec b)
{
	return a.distribution == b.distribution && a.scale == b.scale && a.low == b.low &&
		   a.share == b.share;
}

static int size_of(const struct test_case *test, enum size size)
{
	return test->shape.size[size];
}

static struct shape product(int m, int n, int k)
{
	return (struct shape){{1, m, n, k, 1}};
}

/* M, N and K. */
static const enum size dimensions[] = {SIZE_M, SIZE_N, SIZE_K};

Test(case, same_seed_gives_same_cases)
{
	for (size_t p = 0; problem_at(p) != NULL; p++)
		for (size_t i = 0; i < 50; i++) {
			struct test_case a = case_generate(problem_at(p), 99, i, CASE_SIZES_MIXED, 4096, 1);
			struct test_case b = case_generate(problem_at(p), 99, i, CASE_SIZES_MIXED, 4096, 1);
			cr_assert(strcmp(a.name, b.name) == 0 && a.seed == b.seed && a.exact == b.exact);
			cr_assert(memcmp(&a.shape, &b.shape, sizeof a.shape) == 0);
			for (int s = 0; s < SCALAR_COUNT; s++)
				cr_assert(a.scalar[s] == b.scalar[s]);
			for (size_t o = 0; o < OPERANDS_MAX; o++)
				cr_assert(same_spec(a.values[o], b.values[o]));
		}
	cr_assert(case_generate(problem_at(0), 1, 0, CASE_SIZES_MIXED, 4096, 1).seed !=
			  case_generate(problem_at(0), 2, 0, CASE_SIZES_MIXED, 4096, 1).seed);
}

/* What a seed means may never change: recorded from this implementation. */
Test(case, known_answer)
{
	struct test_case test =
		case_generate(problem_find("gemm-f16"), 7, 0, CASE_SIZES_MIXED, 4096, 1);
	cr_assert(size_of(&test, SIZE_M) == 2431 && size_of(&test, SIZE_N) == 255);
	cr_assert(size_of(&test, SIZE_K) == 383);
	cr_assert(test.scalar[SCALAR_ALPHA] == 1 && test.scalar[SCALAR_BETA] == 1);
	test = case_generate(problem_find("gemm-f16"), 7, 0, CASE_SIZES_UNIFORM, 4096, 1);
	cr_assert(size_of(&test, SIZE_M) == 680 && size_of(&test, SIZE_N) == 2463);
	cr_assert(size_of(&test, SIZE_K) == 2413);
}

/* The largest size that a run with this --max-dim may draw. */
static int high_of(const struct problem_size *row, int max_dim)
{
	int high = max_dim < row->max ? max_dim : row->max;
	return high > row->min ? high : row->min;
}

/* What generated sizes keep to, whatever the problem. */
static void check_sizes(const struct problem *problem, const struct test_case *test, int max_dim)
{
	int group = size_of(test, SIZE_GROUP), largest = 0;
	for (int i = 0; i < SIZE_COUNT; i++) {
		const struct problem_size *row = problem_size_of(problem, (enum size)i);
		int size = size_of(test, (enum size)i);
		bool dimension = i == SIZE_M || i == SIZE_N || i == SIZE_K;
		if (row == NULL) {
			cr_assert_eq(size, 1, "%s: a size that it has not is %d", problem->name, size);
			continue;
		}
		int high = dimension ? high_of(row, max_dim) : row->max;
		if (i == SIZE_K && group > high) /* no K is smaller than its group */
			high = group;
		cr_assert(size >= row->min && size <= high, "%s %s: %s = %d is outside %d..%d",
				  problem->name, test->name, row->name, size, row->min, high);
		cr_assert(row->multiple < 2 || size % row->multiple == 0, "%s %s: %s = %d", problem->name,
				  test->name, row->name, size);
		for (int j = 0; j < i; j++) /* one size that stands for several */
			cr_assert(problem_size_of(problem, (enum size)j) != row ||
					  size == size_of(test, (enum size)j));
		largest = dimension && row->max > largest ? row->max : largest;
	}
	cr_assert_eq(size_of(test, SIZE_K) % group, 0, "%s: a group of %d in K = %d", problem->name,
				 group, size_of(test, SIZE_K));
	double side = max_dim < largest ? max_dim : largest;
	cr_assert(size_of(test, SIZE_BATCH) == 1 || shape_terms(&test->shape) <= side * side * side,
			  "%s %s: %g terms", problem->name, test->name, shape_terms(&test->shape));
}

Test(case, sizes_stay_inside_the_limits)
{
	const int limits[] = {16, 17, 40, 192, 1000, 4096, 100000};
	for (size_t p = 0; problem_at(p) != NULL; p++)
		for (size_t l = 0; l < sizeof limits / sizeof limits[0]; l++)
			for (size_t i = 0; i < 400; i++) {
				const struct problem *problem = problem_at(p);
				enum case_sizes kind = i % 2 == 0 ? CASE_SIZES_MIXED : CASE_SIZES_UNIFORM;
				struct test_case test = case_generate(problem, 3, i / 2, kind, limits[l], 1);
				struct error err;
				check_sizes(problem, &test, limits[l]);
				cr_assert(shape_holds(problem, &test.shape, &err), "%s", err.message);
				for (int s = 0; s < SCALAR_COUNT; s++)
					cr_assert(problem_takes(problem, (enum scalar)s) ||
							  test.scalar[s] == scalar_neutral((enum scalar)s));
				cr_assert(strchr(test.name, ' ') == NULL);
			}
}

Test(case, sizes_are_the_nearest_multiples_within_the_limits)
{
	const int multiples[] = {2, 8, 24, 100};
	for (size_t p = 0; problem_at(p) != NULL; p++)
		for (size_t d = 0; d < sizeof multiples / sizeof multiples[0]; d++)
			for (size_t i = 0; i < 400; i++) {
				const struct problem *problem = problem_at(p);
				enum case_sizes kind = i % 2 == 0 ? CASE_SIZES_MIXED : CASE_SIZES_UNIFORM;
				int multiple = multiples[d];
				bool grouped = problem_size_of(problem, SIZE_GROUP) != NULL;
				struct test_case any = case_generate(problem, 3, i / 2, kind, 1000, 1);
				struct test_case test = case_generate(problem, 3, i / 2, kind, 1000, multiple);
				for (int s = 0; s < 3; s++) {
					const struct problem_size *row = problem_size_of(problem, dimensions[s]);
					int drawn = size_of(&any, dimensions[s]), size = size_of(&test, dimensions[s]);
					if (row == NULL) {
						cr_assert_eq(size, 1);
						continue;
					}
					cr_assert_eq(size % multiple, 0, "%s %s", problem->name, test.name);
					if (grouped && dimensions[s] == SIZE_K) /* goes by its group */
						continue;
					cr_assert(size >= row->min && size <= 1000);
					bool edge = drawn < row->min + multiple || drawn > 1000 - multiple;
					bool covering = kind == CASE_SIZES_MIXED && i / 2 < 12; /* go by multiples */
					cr_assert(edge || covering || abs(size - drawn) <= multiple / 2);
				}
				cr_assert(test.seed == any.seed &&
						  test.scalar[SCALAR_BETA] == any.scalar[SCALAR_BETA]);
			}
	cr_assert(case_has_multiple(problem_find("sgemm"), 40, 24));
	cr_assert(!case_has_multiple(problem_find("sgemm"), 40, 64));
}

#define DRAWN 4096
#define BINS 16

/* How far DRAWN sizes of one dimension are from uniform over 16..4096: chi square of
 * BINS bins, about 15 for uniform sizes and above 45 once in 10^4. */
static double distance_from_uniform(enum case_sizes sizes, enum size dimension)
{
	double bins[BINS] = {0}, square = 0;
	for (size_t i = 0; i < DRAWN; i++) {
		struct test_case test = case_generate(problem_find("gemm-f16"), 8, i, sizes, 4096, 1);
		int size = size_of(&test, dimension);
		cr_assert(size >= 16 && size <= 4096, "%d", size);
		bins[(size - 16) * BINS / (4096 - 16 + 1)]++;
	}
	for (int i = 0; i < BINS; i++)
		square += (bins[i] - DRAWN / BINS) * (bins[i] - DRAWN / BINS) / (DRAWN / BINS);
	return square;
}

Test(case, uniform_sizes_are_uniform)
{
	for (int dimension = 0; dimension < 3; dimension++) {
		double uniform = distance_from_uniform(CASE_SIZES_UNIFORM, dimensions[dimension]);
		double mixed = distance_from_uniform(CASE_SIZES_MIXED, dimensions[dimension]);
		cr_assert(uniform < 45, "%g", uniform);
		cr_assert(mixed > 450, "the measure tells nothing: %g", mixed);
	}
}

/* Rows of A are K long, those of B and C N: two sizes in eight times eight. */
Test(case, uniform_sizes_are_independent)
{
	size_t aligned = 0, both = 0, upper = 0;
	for (size_t i = 0; i < DRAWN; i++) {
		struct test_case test =
			case_generate(problem_find("sgemm"), 9, i, CASE_SIZES_UNIFORM, 4096, 1);
		int m = size_of(&test, SIZE_M), n = size_of(&test, SIZE_N), k = size_of(&test, SIZE_K);
		aligned += n % 8 == 0;
		both += n % 8 == 0 && k % 8 == 0;
		upper += m > 2056 && n > 2056 && k > 2056;
	}
	cr_assert(aligned > DRAWN / 8 - 90 && aligned < DRAWN / 8 + 90, "%zu", aligned);
	cr_assert(both > DRAWN / 64 - 32 && both < DRAWN / 64 + 32, "%zu", both);
	cr_assert(upper > DRAWN / 8 - 90 && upper < DRAWN / 8 + 90, "%zu", upper);
}

/* gemv: over all of its limits, not only the sizes that are common otherwise. */
Test(case, uniform_vectors_are_long_and_one_wide)
{
	const struct problem *problem = problem_find("gemv-f32");
	size_t large = 0;
	for (size_t i = 0; i < 400; i++) {
		struct test_case test =
			case_generate(problem, 4, i, CASE_SIZES_UNIFORM, case_largest(problem), 8);
		int m = size_of(&test, SIZE_M);
		cr_assert(size_of(&test, SIZE_N) == 1 && m % 8 == 0 && size_of(&test, SIZE_K) % 8 == 0);
		large += m > problem->common;
	}
	cr_assert(large > 250 && large < 350, "%zu", large);
}

/* min-plus: only among lengths from 0 on does padding with zeros show. */
Test(case, min_plus_takes_lengths)
{
	const struct problem *problem = problem_find("minplus-f32");
	size_t lengths = 0, large = 0;
	for (size_t i = 0; i < 240; i++) {
		struct test_case test = case_generate(problem, 6, i, CASE_SIZES_MIXED, 4096, 1);
		struct value_spec a = test.values[0], b = test.values[1];
		cr_assert(!test.exact && a.distribution != VALUES_SPECIAL &&
				  b.distribution != VALUES_SPECIAL);
		bool both = a.distribution == VALUES_POSITIVE && b.distribution == VALUES_POSITIVE;
		lengths += both;
		large += both && a.scale > 1e9f && b.scale > 1e9f;
	}
	cr_assert(lengths > 80 && lengths < 180 && large > 5, "%zu, %zu", lengths, large);
}

/* gemv: a run stays short, and still comes to large matrices. */
Test(case, most_vectors_are_of_a_common_length)
{
	const struct problem *problem = problem_find("gemv-f32");
	size_t large = 0;
	for (size_t i = 0; i < 400; i++) {
		struct test_case test =
			case_generate(problem, 4, i, CASE_SIZES_MIXED, case_largest(problem), 1);
		large +=
			size_of(&test, SIZE_M) > problem->common || size_of(&test, SIZE_K) > problem->common;
	}
	cr_assert(large > 10 && large < 80, "%zu", large);
}

/* The default's 24 cases hold aligned and ragged sizes, each limit and exact cases. */
Test(case, twenty_four_are_a_mix)
{
	for (uint64_t seed = 0; seed < 40; seed++) {
		size_t exact = 0, square = 0, ragged = 0, limits = 0, skinny = 0;
		for (size_t i = 0; i < 24; i++) {
			struct test_case test =
				case_generate(problem_at(0), seed, i, CASE_SIZES_MIXED, 4096, 1);
			int m = size_of(&test, SIZE_M), n = size_of(&test, SIZE_N), k = size_of(&test, SIZE_K);
			exact += test.exact;
			square += m == n && n == k;
			ragged += m % 8 != 0 || n % 8 != 0 || k % 8 != 0;
			limits += (m == 16 || m == 4096) && (n == 16 || n == 4096) && (k == 16 || k == 4096);
			skinny += n >= 8 * m || k >= 8 * m || m >= 8 * k;
		}
		cr_assert(exact == 4, "seed %llu: %zu exact", (unsigned long long)seed, exact);
		cr_assert(square >= 2 && ragged >= 8 && limits >= 1 && skinny >= 3);
	}
}

Test(case, random_cases_cover_the_usual_scalars)
{
	size_t plain = 0, accumulate = 0, only_c = 0, halves = 0, other = 0;
	for (size_t i = 0; i < 240; i++) {
		struct test_case test = case_generate(problem_at(0), 5, i, CASE_SIZES_MIXED, 512, 1);
		float alpha = test.scalar[SCALAR_ALPHA], beta = test.scalar[SCALAR_BETA];
		bool known = true;
		if (alpha == 1 && beta == 0)
			plain++;
		else if (alpha == 1 && beta == 1)
			accumulate++;
		else if (alpha == 0 && beta == 1)
			only_c++;
		else if (alpha == 0.5f && beta == 0.5f)
			halves++;
		else
			known = false;
		other += !known;
	}
	cr_assert(plain > 10 && accumulate > 10 && only_c > 4 && halves > 4 && other > 40);
}

/* What is overwritten without being used is a number that shows, but none that spreads. */
Test(case, a_result_that_is_not_read_is_marked)
{
	size_t marked = 0, kept = 0;
	for (size_t p = 0; problem_at(p) != NULL; p++) {
		const struct problem *problem = problem_at(p);
		size_t result = problem_part_index(problem, PART_RESULT);
		for (size_t i = 0; i < 60; i++) {
			struct test_case test = case_generate(problem, 12, i, CASE_SIZES_MIXED, 512, 1);
			enum distribution before = test.values[result].distribution;
			if (problem->operands[result].role == ROLE_OUTPUT) {
				cr_assert_eq(before, VALUES_UNWRITTEN);
				continue;
			}
			bool read = test.scalar[SCALAR_BETA] != 0;
			cr_assert(read == (before != VALUES_MARKER) && before != VALUES_NAN);
			marked += !read;
			kept += read;
		}
	}
	cr_assert(marked > 40 && kept > 40, "%zu, %zu", marked, kept);
}

/* Elements of an operand in a case. */
static double number_at(const struct problem *problem, const struct test_case *test, size_t operand,
						uint64_t index)
{
	struct values values = values_of_operand(problem, test, test->seed, operand);
	return values_number_at(&values, index);
}

/* The product of row `element` and column `element` of the first matrices, as far as they go. */
static double sum_of(const struct problem *problem, const struct test_case *test, uint64_t element)
{
	const struct operand *scales = problem_part(problem, PART_RIGHT_SCALES);
	size_t left = problem_part_index(problem, PART_LEFT);
	size_t right = problem_part_index(problem, PART_RIGHT);
	uint64_t inner = (uint64_t)size_of(test, SIZE_K), columns = (uint64_t)size_of(test, SIZE_N);
	uint64_t group = (uint64_t)size_of(test, SIZE_GROUP);
	double sum = 0;
	for (uint64_t k = 0; k < inner; k++) {
		bool transposed = problem->operands[right].transposed;
		double factor = number_at(problem, test, right,
								  transposed ? element * inner + k : k * columns + element);
		if (scales != NULL)
			factor *= number_at(problem, test, (size_t)(scales - problem->operands),
								element * (inner / group) + k / group);
		sum += number_at(problem, test, left, element * inner + k) * factor;
	}
	return sum;
}

/* Sums of an exact case: computed here in f64, which is exact, with room to spare. */
Test(case, exact_cases_are_exact)
{
	for (size_t p = 0; problem_at(p) != NULL; p++) {
		const struct problem *problem = problem_at(p);
		size_t result = problem_part_index(problem, PART_RESULT), found = 0;
		const struct number_format *format = &type_of(problem->operands[result].type)->format;
		for (size_t i = 0; i < 120; i++) {
			struct test_case test = case_generate(problem, 17, i, CASE_SIZES_MIXED, 4096, 1);
			if (!test.exact || problem->algebra == ALGEBRA_SHORTEST_PATHS)
				continue;
			found++;
			cr_assert(test.values[0].distribution == VALUES_INTEGER && test.values[0].scale > 0);
			cr_assert(test.values[0].scale * test.values[1].scale * (float)size_of(&test, SIZE_K) <=
					  0x1p24f);
			double alpha = test.scalar[SCALAR_ALPHA] * test.scalar[SCALAR_SCALE_LEFT] *
						   test.scalar[SCALAR_SCALE_RIGHT];
			double beta = test.scalar[SCALAR_BETA];
			int side = size_of(&test, SIZE_M) < size_of(&test, SIZE_N) ? size_of(&test, SIZE_M)
																	   : size_of(&test, SIZE_N);
			for (uint64_t element = 0; element < 20 && element < (uint64_t)side; element++) {
				double out = alpha * sum_of(problem, &test, element);
				if (beta != 0)
					out += beta * number_at(problem, &test, result,
											element * (uint64_t)size_of(&test, SIZE_N) + element);
				cr_assert(values_to_double(format, values_from_double(format, out)) == out,
						  "%s %s: %g", problem->name, test.name, out);
			}
		}
		bool has_exact = problem->algebra == ALGEBRA_PLUS_TIMES && format->is_integer == 0;
		cr_assert(has_exact ? found >= 10 : found == 0, "%s: %zu exact", problem->name, found);
	}
}

Test(case, exactness_needs_simple_scalars)
{
	const struct problem *gemm = problem_at(0);
	struct shape shape = product(16, 16, 16);
	struct test_case test = case_of_shape(gemm, &shape, (float[]){0.3f, 1}, 1);
	cr_assert(!case_make_exact(gemm, &test) && !test.exact);
	test.scalar[SCALAR_ALPHA] = 0.5f;
	cr_assert(case_make_exact(gemm, &test) && test.exact);

	const struct problem *scaled = problem_find("gemm-e4m3");
	test = case_of_shape(scaled, &shape, (float[]){0.5f, 0.3f}, 1);
	cr_assert(!case_make_exact(scaled, &test) && !test.exact);
	test.scalar[SCALAR_SCALE_RIGHT] = 0.25f;
	cr_assert(case_make_exact(scaled, &test) && test.exact);
}

/* A plain case of a shape takes the scalars that it is given, or those of the large case. */
Test(case, a_case_of_a_shape_has_plain_scalars)
{
	struct shape shape = product(16, 16, 16);
	struct test_case test = case_of_shape(problem_find("sgemm"), &shape, NULL, 1);
	cr_assert(test.scalar[SCALAR_ALPHA] == 1 && test.scalar[SCALAR_BETA] == 0);
	cr_assert_eq(test.values[2].distribution, VALUES_MARKER);
	test = case_of_shape(problem_find("sgemm"), &shape, (float[]){2, 0.5f}, 1);
	cr_assert(test.scalar[SCALAR_ALPHA] == 2 && test.scalar[SCALAR_BETA] == 0.5f);
	cr_assert_eq(test.values[2].distribution, VALUES_UNIFORM);
	test = case_of_shape(problem_find("gemm-s8"), &shape, NULL, 1);
	cr_assert(test.scalar[SCALAR_SCALE_LEFT] == 0.1f && test.scalar[SCALAR_SCALE_RESULT] == 0.01f);
	cr_assert(test.scalar[SCALAR_ALPHA] == 1 && test.scalar[SCALAR_ZERO_RESULT] == 0);
	cr_assert(test.values[0].distribution == VALUES_CODES &&
			  test.values[2].distribution == VALUES_UNWRITTEN);
}

/* Whatever the problem: four in a row are of all kinds, each of the shape. */
Test(case, cases_of_a_given_shape_are_of_all_kinds)
{
	struct error err;
	size_t count;
	const struct problem *problems = problem_table(&count);
	for (size_t i = 0; i < count; i++) {
		const struct problem *problem = &problems[i];
		const struct shape *shape = &problem->large;
		bool factors = problem_takes(problem, SCALAR_ALPHA);
		for (size_t c = 0; c < 8; c++) {
			struct test_case test = case_generate_at(problem, shape, 7, c);
			float beta = test.scalar[SCALAR_BETA];
			cr_expect_eq(memcmp(&test.shape, shape, sizeof *shape), 0);
			cr_expect(case_holds(problem, &test, &err), "%s: %s", test.name, err.message);
			cr_expect(!factors || c % 4 != 0 || (test.scalar[SCALAR_ALPHA] == 1 && beta == 0));
			cr_expect(!factors || c % 4 != 1 || test.exact, "%s: %s", problem->name, test.name);
			cr_expect(!factors || c % 4 != 2 || beta != 0);
		}
	}
	struct test_case first = case_generate_at(problem_find("sgemm"), &problems[0].large, 7, 2);
	struct test_case other = case_generate_at(problem_find("sgemm"), &problems[0].large, 8, 2);
	cr_expect(first.scalar[SCALAR_ALPHA] != other.scalar[SCALAR_ALPHA]);
}

/* Pairs of products that do not fit into 16 bits: whatever the draw of integers. */
Test(case, the_lowest_code_stands_beside_itself_along_k_in_both_operands)
{
	const struct problem *problem = problem_find("gemm-s8");
	size_t cases_with_pairs = 0;
	for (size_t i = 0; i < 12; i++) {
		struct test_case test = case_generate(problem, 6, i, CASE_SIZES_MIXED, 96, 1);
		uint64_t n = (uint64_t)size_of(&test, SIZE_N), k = (uint64_t)size_of(&test, SIZE_K);
		size_t pairs = 0;
		cr_expect(test.values[0].share > 0 && test.values[1].share > 0);
		for (uint64_t row = 0; row < (uint64_t)size_of(&test, SIZE_M); row++)
			for (uint64_t at = 0; at + 1 < k; at += 2) {
				if (number_at(problem, &test, 0, row * k + at) != -128 ||
					number_at(problem, &test, 0, row * k + at + 1) != -128)
					continue;
				for (uint64_t column = 0; column < n; column++)
					pairs += number_at(problem, &test, 1, at * n + column) == -128 &&
							 number_at(problem, &test, 1, (at + 1) * n + column) == -128;
			}
		cases_with_pairs += pairs > 0;
	}
	cr_assert(cases_with_pairs >= 6, "%zu", cases_with_pairs);
}

/* Real packers write negative scales, and 0 for a group of zeros. */
Test(case, scales_of_weights_have_both_signs_and_zeros)
{
	const struct problem *problem = problem_find("gemm-w4");
	size_t scales = problem_part_index(problem, PART_RIGHT_SCALES);
	for (size_t i = 0; i < 12; i++) {
		struct test_case test = case_generate(problem, 6, i, CASE_SIZES_MIXED, 192, 1);
		size_t negative = 0, positive = 0, zeros = 0, negative_zeros = 0, count = 1000;
		for (uint64_t at = 0; at < count; at++) {
			double scale = number_at(problem, &test, scales, at);
			negative += scale < 0;
			positive += scale > 0;
			zeros += scale == 0 && !signbit(scale);
			negative_zeros += scale == 0 && signbit(scale);
		}
		cr_expect(negative > 400 && positive > 400 && zeros > 2 && negative_zeros > 2,
				  "%s: %zu, %zu, %zu, %zu", test.name, negative, positive, zeros, negative_zeros);
	}
}

/* Zero points are codes of the type, scales positive, and results fill the type. */
Test(case, quantised_cases_have_sensible_scalars)
{
	const struct problem *problem = problem_find("gemm-s8");
	size_t zero = 0, power = 0;
	for (size_t i = 0; i < 200; i++) {
		struct test_case test = case_generate(problem, 21, i, CASE_SIZES_MIXED, 1000, 1);
		for (int s = SCALAR_SCALE_LEFT; s <= SCALAR_SCALE_RESULT; s++)
			cr_assert(test.scalar[s] > 0 && isfinite(test.scalar[s]));
		for (int s = SCALAR_ZERO_LEFT; s <= SCALAR_ZERO_RESULT; s++)
			cr_assert(test.scalar[s] >= -128 && test.scalar[s] <= 127 &&
					  rintf(test.scalar[s]) == test.scalar[s]);
		int exponent;
		zero += test.scalar[SCALAR_ZERO_LEFT] == 0;
		power += frexpf(test.scalar[SCALAR_SCALE_LEFT], &exponent) == 0.5f;
	}
	cr_assert(zero > 20 && zero < 100 && power > 60 && power < 160, "%zu, %zu", zero, power);
}

/* Graphs: nothing on the diagonal, and with potentials no shorter way around a cycle. */
Test(case, graphs_have_no_negative_cycle)
{
	const struct problem *problem = problem_find("apsp-f32");
	size_t negative = 0, missing = 0;
	for (size_t i = 0; i < 60; i++) {
		struct test_case test = case_generate(problem, 5, i, CASE_SIZES_MIXED, 40, 1);
		uint64_t n = (uint64_t)size_of(&test, SIZE_N);
		cr_assert_eq(test.exact, test.values[0].distribution == VALUES_GRAPH_INTEGER);
		for (uint64_t from = 0; from < n; from++)
			for (uint64_t to = 0; to < n; to++) {
				double there = number_at(problem, &test, 0, from * n + to);
				double back = number_at(problem, &test, 0, to * n + from);
				cr_assert(!isnan(there) && there > -16);
				cr_assert(from != to || there == 0);
				cr_assert(from == to || there + back > 0);
				negative += there < 0;
				missing += isinf(there);
			}
	}
	cr_assert(negative > 100 && missing > 100, "%zu, %zu", negative, missing);
}

Test(case, shapes_are_parsed_or_refused)
{
	struct shape_text shape;
	struct error err;
	cr_assert(shape_parse("1024x512x64", 4096, &shape, &err) && shape.count == 3);
	cr_assert(shape.number[0] == 1024 && shape.number[1] == 512 && shape.number[2] == 64);
	cr_assert(shape_parse("300x17", 4096, &shape, &err) && shape.count == 2);
	cr_assert(shape.number[0] == 300 && shape.number[1] == 17);
	cr_assert(shape_parse("2048", 4096, &shape, &err) && shape.count == 1);
	cr_assert(shape_parse("32x256x256x64", 4096, &shape, &err) && shape.count == 4);
	cr_assert_eq(shape.number[3], 64);
	static const char *const bad[] = {
		"",       "1024x",    "1x",        "1x2 ",
		"0x2",    "1x4097",   "1x2x3x4x5", "0x1x1",
		"1x1x-1", "1x1x4097", "1x1x1 ",    " 1x1x1",
		"axbxc",  "1X1X1",    "1x1x",      "99999999999999999999x1x1"};
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		cr_assert(!shape_parse(bad[i], 4096, &shape, &err), "%s", bad[i]);
		cr_assert(strstr(err.message, "MxNxK") != NULL);
	}
}

/* Numbers as the user wrote them become this problem's shape; NULL: they do, and come back so. */
static void fits(const char *name, const char *text, const char *refusal)
{
	const struct problem *problem = problem_find(name);
	struct shape_text numbers;
	struct shape shape;
	struct error err;
	char again[SHAPE_TEXT];
	cr_assert(shape_parse(text, 20000, &numbers, &err));
	bool good = shape_fit(problem, &numbers, &shape, &err);
	if (refusal != NULL) {
		cr_assert(!good, "%s takes %s", name, text);
		cr_assert_str_eq(err.message, refusal);
		return;
	}
	cr_assert(good, "%s", err.message);
	shape_print(problem, &shape, again);
	cr_assert_str_eq(again, text);
	cr_assert_str_eq(case_of_shape(problem, &shape, NULL, 1).name, text);
}

Test(case, a_shape_is_written_as_it_was_typed)
{
	fits("sgemm", "100x50x20", NULL);
	fits("gemv-f32", "300x17", NULL);
	fits("batched-f16", "8x100x50x20", NULL);
	fits("apsp-f32", "300", NULL);
	fits("gemm-w4", "30x50x60x20", NULL);
	fits("gemv-f32", "100x50x20", "100x50x20 is no shape of gemv-f32, which takes MxN");
	fits("sgemm", "300x17", "300x17 is no shape of sgemm, which takes MxNxK");
	fits("batched-f32", "10x20x30", "10x20x30 is no shape of batched-f32, which takes BxMxNxK");
	fits("apsp-f32", "300x300", "300x300 is no shape of apsp-f32, which takes N");
	fits("gemm-w4", "30x50x61x1", "30x50x61x1 is no shape of gemm-w4: K is a multiple of 2");
	fits("gemm-w4", "30x50x60x8",
		 "30x50x60x8 is no shape of gemm-w4: K is a multiple of group_size");
}

Test(case, sizes_of_a_shape_are_those_that_were_meant)
{
	struct shape shape;
	struct error err;
	struct shape_text text = {2, {300, 17}};
	cr_assert(shape_fit(problem_find("gemv-f32"), &text, &shape, &err));
	cr_assert(shape.size[SIZE_M] == 300 && shape.size[SIZE_N] == 1 && shape.size[SIZE_K] == 17);
	cr_assert(shape.size[SIZE_BATCH] == 1 && shape.size[SIZE_GROUP] == 1);
	text = (struct shape_text){1, {40}};
	cr_assert(shape_fit(problem_find("apsp-f32"), &text, &shape, &err));
	cr_assert(shape.size[SIZE_M] == 40 && shape.size[SIZE_N] == 40 && shape.size[SIZE_K] == 40);
	text = (struct shape_text){4, {3, 4, 5, 6}};
	cr_assert(shape_fit(problem_find("batched-f32"), &text, &shape, &err));
	cr_assert(shape.size[SIZE_BATCH] == 3 && shape.size[SIZE_K] == 6);
	/* a group that is left out: 128, or the largest power of two that divides K */
	text = (struct shape_text){3, {16, 16, 256}};
	cr_assert(shape_fit(problem_find("gemm-w4"), &text, &shape, &err));
	cr_assert_eq(shape.size[SIZE_GROUP], 128);
	text.number[2] = 24;
	cr_assert(shape_fit(problem_find("gemm-w4"), &text, &shape, &err));
	cr_assert_eq(shape.size[SIZE_GROUP], 8);
}

/* The elements of one operand, of one batch, are at most INT32_MAX. */
Test(case, an_int_counts_the_elements_of_a_shape)
{
	static const struct {
		const char *problem;
		struct shape_text text;
		bool countable;
	} rows[] = {
		{"sgemm", {3, {4, 8, 3000000}}, true},
		{"sgemm", {3, {38416, 38416, 4}}, true},
		{"sgemm", {3, {65536, 32768, 4}}, false},
		{"sgemm", {3, {4, 65536, 65536}}, false},
		{"gemm-f16", {3, {SIZE_LARGEST, SIZE_LARGEST, SIZE_LARGEST}}, false},
		{"gemv-f32", {2, {SIZE_LARGEST, 512}}, false},
		{"gemv-f32", {2, {SIZE_LARGEST, 511}}, true},
		{"batched-f32", {4, {SIZE_LARGEST, 32768, 32768, 4}}, true},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		const struct problem *problem = problem_find(rows[i].problem);
		struct shape shape;
		struct error err;
		cr_assert(shape_fit(problem, &rows[i].text, &shape, &err), "%s", err.message);
		cr_assert_eq(shape_is_countable(problem, &shape, &err), rows[i].countable, "%zu", i);
	}
}

/* Of every problem, generated and large. */
Test(case, shapes_survive_being_text)
{
	for (size_t p = 0; problem_at(p) != NULL; p++)
		for (size_t i = 0; i <= 50; i++) {
			const struct problem *problem = problem_at(p);
			struct test_case test = case_generate(problem, 31, i, CASE_SIZES_MIXED, 4096, 1);
			struct shape first = i < 50 ? test.shape : problem->large, second;
			struct shape_text numbers;
			struct error err;
			char text[SHAPE_TEXT], legend[SHAPE_TEXT];
			shape_print(problem, &first, text);
			cr_assert(shape_parse(text, 16384, &numbers, &err), "%s", err.message);
			cr_assert(numbers.count == problem_sizes(problem));
			cr_assert(shape_fit(problem, &numbers, &second, &err), "%s", err.message);
			cr_assert(memcmp(&first, &second, sizeof first) == 0, "%s %s", problem->name, text);
			size_t letters = 0;
			for (const char *at = shape_legend(problem, legend); *at != '\0'; at++)
				letters += *at == 'x';
			cr_assert_eq(letters + 1, numbers.count, "%s", legend);
		}
}

Test(case, distributions_have_names)
{
	enum distribution found;
	for (int d = VALUES_UNIFORM; d <= VALUES_GRAPH_INTEGER; d++)
		cr_assert(distribution_parse(distribution_name((enum distribution)d), &found) &&
				  found == (enum distribution)d);
	cr_assert(!distribution_parse("gaussian", &found));
}
