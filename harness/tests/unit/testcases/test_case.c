/* links: testcases base */
/* Cases that are drawn: sizes and scalars. */
#include "case_fixture.h"

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
	for (int i = 0; i < SIZE_NAMED; i++) {
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
			for (size_t i = 0; is_row(problem_at(p)) && i < 400; i++) {
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
			for (size_t i = 0; is_row(problem_at(p)) && i < 400; i++) {
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

/* Sums of an exact case: computed here in f64, which is exact, with room to spare. */
