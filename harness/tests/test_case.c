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
	return a.distribution == b.distribution && a.scale == b.scale;
}

Test(case, same_seed_gives_same_cases)
{
	for (size_t i = 0; i < 50; i++) {
		struct test_case a = case_generate(problem_at(0), 99, i, CASE_SIZES_MIXED, 4096, 1);
		struct test_case b = case_generate(problem_at(0), 99, i, CASE_SIZES_MIXED, 4096, 1);
		cr_assert(strcmp(a.name, b.name) == 0 && a.seed == b.seed && a.exact == b.exact);
		cr_assert(a.shape.m == b.shape.m && a.shape.n == b.shape.n && a.shape.k == b.shape.k);
		cr_assert(a.alpha == b.alpha && a.beta == b.beta);
		cr_assert(same_spec(a.a, b.a) && same_spec(a.b, b.b) && same_spec(a.c, b.c));
	}
	cr_assert(case_generate(problem_at(0), 1, 0, CASE_SIZES_MIXED, 4096, 1).seed !=
			  case_generate(problem_at(0), 2, 0, CASE_SIZES_MIXED, 4096, 1).seed);
}

/* What a seed means may never change: recorded from this implementation. */
Test(case, known_answer)
{
	struct test_case test =
		case_generate(problem_find("gemm-f16"), 7, 0, CASE_SIZES_MIXED, 4096, 1);
	cr_assert(test.shape.m == 64 && test.shape.n == 113 && test.shape.k == 3263);
	cr_assert(test.alpha == -0.26f && test.beta == 1.263f);
	test = case_generate(problem_find("gemm-f16"), 7, 0, CASE_SIZES_UNIFORM, 4096, 1);
	cr_assert(test.shape.m == 680 && test.shape.n == 2463 && test.shape.k == 2413);
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
				int sizes[] = {test.shape.m, test.shape.n, test.shape.k};
				int high = limits[l] < problem->max_dim ? limits[l] : problem->max_dim;
				for (int d = 0; d < 3; d++)
					cr_assert(d == 1 && problem_has_vectors(problem)
								  ? sizes[d] == 1
								  : sizes[d] >= problem->min_dim && sizes[d] <= high);
				cr_assert(problem_has_scalars(problem) || (test.alpha == 1 && test.beta == 0));
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
				struct test_case any = case_generate(problem, 3, i / 2, kind, 1000, 1);
				struct test_case test = case_generate(problem, 3, i / 2, kind, 1000, multiple);
				int drawn[] = {any.shape.m, any.shape.n, any.shape.k};
				int sizes[] = {test.shape.m, test.shape.n, test.shape.k};
				for (int s = 0; s < 3; s++) {
					if (s == 1 && problem_has_vectors(problem)) {
						cr_assert_eq(sizes[s], 1);
						continue;
					}
					cr_assert_eq(sizes[s] % multiple, 0);
					cr_assert(sizes[s] >= problem->min_dim && sizes[s] <= 1000);
					bool edge =
						drawn[s] < problem->min_dim + multiple || drawn[s] > 1000 - multiple;
					cr_assert(edge || abs(sizes[s] - drawn[s]) <= multiple / 2);
				}
				cr_assert(test.seed == any.seed && test.beta == any.beta);
			}
	cr_assert(case_has_multiple(problem_find("sgemm"), 40, 24));
	cr_assert(!case_has_multiple(problem_find("sgemm"), 40, 64));
}

#define DRAWN 4096
#define BINS 16

/* How far DRAWN sizes of one dimension are from uniform over 16..4096: chi square of
 * BINS bins, about 15 for uniform sizes and above 45 once in 10^4. */
static double distance_from_uniform(enum case_sizes sizes, int dimension)
{
	double bins[BINS] = {0}, square = 0;
	for (size_t i = 0; i < DRAWN; i++) {
		struct shape s = case_generate(problem_find("gemm-f16"), 8, i, sizes, 4096, 1).shape;
		int size = dimension == 0 ? s.m : dimension == 1 ? s.n : s.k;
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
		double uniform = distance_from_uniform(CASE_SIZES_UNIFORM, dimension);
		double mixed = distance_from_uniform(CASE_SIZES_MIXED, dimension);
		cr_assert(uniform < 45, "%g", uniform);
		cr_assert(mixed > 450, "the measure tells nothing: %g", mixed);
	}
}

/* Rows of A are K long, those of B and C N: two sizes in eight times eight. */
Test(case, uniform_sizes_are_independent)
{
	size_t aligned = 0, both = 0, upper = 0;
	for (size_t i = 0; i < DRAWN; i++) {
		struct shape s =
			case_generate(problem_find("sgemm"), 9, i, CASE_SIZES_UNIFORM, 4096, 1).shape;
		aligned += s.n % 8 == 0;
		both += s.n % 8 == 0 && s.k % 8 == 0;
		upper += s.m > 2056 && s.n > 2056 && s.k > 2056;
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
		struct shape s =
			case_generate(problem, 4, i, CASE_SIZES_UNIFORM, problem->max_dim, 8).shape;
		cr_assert(s.n == 1 && s.m % 8 == 0 && s.k % 8 == 0);
		large += s.m > problem->common_dim;
	}
	cr_assert(large > 250 && large < 350, "%zu", large);
}

/* min-plus: only among lengths from 0 on does padding with zeros show. */
Test(case, min_plus_takes_lengths)
{
	const struct problem *problem = problem_find("minplus-f32");
	size_t lengths = 0, large = 0;
	for (size_t i = 0; i < 120; i++) {
		struct test_case test = case_generate(problem, 6, i, CASE_SIZES_MIXED, 4096, 1);
		cr_assert(!test.exact && test.alpha == 1 && test.beta == 0);
		cr_assert(test.a.distribution != VALUES_SPECIAL && test.b.distribution != VALUES_SPECIAL);
		bool both =
			test.a.distribution == VALUES_POSITIVE && test.b.distribution == VALUES_POSITIVE;
		lengths += both;
		large += both && test.a.scale > 1e9f && test.b.scale > 1e9f;
	}
	cr_assert(lengths > 40 && lengths < 90 && large > 3, "%zu, %zu", lengths, large);
}

/* gemv: a run stays short, and still comes to large matrices. */
Test(case, most_vectors_are_of_a_common_length)
{
	const struct problem *problem = problem_find("gemv-f32");
	size_t large = 0;
	for (size_t i = 0; i < 400; i++) {
		struct shape shape =
			case_generate(problem, 4, i, CASE_SIZES_MIXED, problem->max_dim, 1).shape;
		large += shape.m > problem->common_dim || shape.k > problem->common_dim;
	}
	cr_assert(large > 10 && large < 80, "%zu", large);
}

/* A dozen cases hold aligned and ragged sizes, each limit and exact cases. */
Test(case, a_dozen_is_a_mix)
{
	for (uint64_t seed = 0; seed < 40; seed++) {
		size_t exact = 0, square = 0, ragged = 0, limits = 0, skinny = 0;
		for (size_t i = 0; i < 12; i++) {
			struct test_case test =
				case_generate(problem_at(0), seed, i, CASE_SIZES_MIXED, 4096, 1);
			struct shape s = test.shape;
			exact += test.exact;
			square += s.m == s.n && s.n == s.k;
			ragged += s.m % 8 != 0 || s.n % 8 != 0 || s.k % 8 != 0;
			limits += (s.m == 16 || s.m == 4096) && (s.n == 16 || s.n == 4096) &&
					  (s.k == 16 || s.k == 4096);
			skinny += s.n >= 8 * s.m || s.k >= 8 * s.m || s.m >= 8 * s.k;
		}
		cr_assert(exact == 2, "seed %llu: %zu exact", (unsigned long long)seed, exact);
		cr_assert(square >= 2 && ragged >= 4 && limits >= 1 && skinny >= 1);
	}
}

Test(case, random_cases_cover_the_usual_scalars)
{
	size_t plain = 0, accumulate = 0, only_c = 0, halves = 0, other = 0;
	for (size_t i = 0; i < 240; i++) {
		struct test_case test = case_generate(problem_at(0), 5, i, CASE_SIZES_MIXED, 512, 1);
		bool known = true;
		if (test.alpha == 1 && test.beta == 0)
			plain++;
		else if (test.alpha == 1 && test.beta == 1)
			accumulate++;
		else if (test.alpha == 0 && test.beta == 1)
			only_c++;
		else if (test.alpha == 0.5f && test.beta == 0.5f)
			halves++;
		else
			known = false;
		other += !known;
	}
	cr_assert(plain > 10 && accumulate > 10 && only_c > 4 && halves > 4 && other > 40);
}

/* Sums of an exact case: computed here in integers, with room to spare. */
Test(case, exact_cases_are_exact)
{
	for (size_t p = 0; problem_at(p) != NULL; p++) {
		const struct problem *problem = problem_at(p);
		for (size_t i = 0; i < 120; i++) {
			struct test_case test = case_generate(problem, 17, i, CASE_SIZES_MIXED, 4096, 1);
			if (!test.exact)
				continue;
			cr_assert(test.a.distribution == VALUES_INTEGER && test.a.scale > 0);
			cr_assert(test.a.scale * test.b.scale * (float)test.shape.k <= 0x1p24f);
			for (uint64_t element = 0; element < 20; element++) {
				double sum = 0;
				for (uint64_t k = 0; k < (uint64_t)test.shape.k; k++) {
					uint64_t at = element * (uint64_t)test.shape.k + k;
					sum += values_to_double(problem->dtype,
											values_at(problem->dtype, test.a, test.seed, 0, at)) *
						   values_to_double(problem->dtype,
											values_at(problem->dtype, test.b, test.seed, 1, at));
				}
				double c = values_to_double(
					problem->dtype, values_at(problem->dtype, test.c, test.seed, 2, element));
				double out = test.alpha * sum + test.beta * c;
				cr_assert(values_to_double(problem->dtype,
										   values_from_double(problem->dtype, out)) == out,
						  "%s %s: %g", problem->name, test.name, out);
			}
		}
	}
}

Test(case, exactness_needs_simple_scalars)
{
	struct test_case test = case_of_shape(problem_at(0), (struct shape){16, 16, 16}, 0.3f, 1, 1);
	cr_assert(!case_make_exact(&test, DTYPE_F16) && !test.exact);
	test.alpha = 0.5f;
	cr_assert(case_make_exact(&test, DTYPE_F16) && test.exact);
}

Test(case, shapes_are_parsed_or_refused)
{
	struct shape shape;
	struct error err;
	cr_assert(shape_parse("1024x512x64", 4096, &shape, &err));
	cr_assert(shape.m == 1024 && shape.n == 512 && shape.k == 64);
	cr_assert(shape_parse("300x17", 4096, &shape, &err));
	cr_assert(shape.m == 300 && shape.n == 0 && shape.k == 17);
	static const char *const bad[] = {"",       "1024",     "1x",      "1x2 ",
									  "0x2",    "1x4097",   "1x2x3x4", "0x1x1",
									  "1x1x-1", "1x1x4097", "1x1x1 ",  " 1x1x1",
									  "axbxc",  "1X1X1",    "1x1x",    "99999999999999999999x1x1"};
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		cr_assert(!shape_parse(bad[i], 4096, &shape, &err), "%s", bad[i]);
		cr_assert(strstr(err.message, "MxNxK") != NULL);
	}
}

Test(case, a_shape_is_written_as_it_was_typed)
{
	const struct problem *sgemm = problem_find("sgemm"), *gemv = problem_find("gemv-f32");
	struct shape three = {100, 50, 20}, two = {300, 0, 17};
	struct error err;
	char text[SHAPE_TEXT];
	shape_print(sgemm, &three, text);
	cr_assert_str_eq(text, "100x50x20");
	shape_print(NULL, &two, text);
	cr_assert_str_eq(text, "300x17");
	cr_assert(shape_fit(sgemm, &three, &err) && !shape_fit(gemv, &three, &err));
	cr_assert_str_eq(err.message, "100x50x20 is no shape of gemv-f32, which takes MxN");
	cr_assert(!shape_fit(sgemm, &two, &err) && two.n == 0);
	cr_assert_str_eq(err.message, "300x17 is no shape of sgemm, which takes MxNxK");
	cr_assert(shape_fit(gemv, &two, &err) && two.n == 1);
	shape_print(gemv, &two, text);
	cr_assert_str_eq(text, "300x17");
	cr_assert_str_eq(case_of_shape(gemv, two, 2, 2, 1).name, "300x17");
}

Test(case, distributions_have_names)
{
	enum distribution found;
	for (int d = VALUES_UNIFORM; d <= VALUES_LARGE; d++)
		cr_assert(distribution_parse(distribution_name((enum distribution)d), &found) &&
				  found == (enum distribution)d);
	cr_assert(!distribution_parse("gaussian", &found));
}
