/* links: judgement testcases base; timeout: 30 */
#include <criterion/criterion.h>
#include <string.h>

#include "judgement/library_cause.h"

static struct test_case case_of(const char *problem, float beta)
{
	const struct shape shape = {
		{[SIZE_BATCH] = 1, [SIZE_M] = 30, [SIZE_N] = 33, [SIZE_K] = 100, [SIZE_GROUP] = 1}};
	const float scalars[SCALARS_MAX] = {1.0f, beta};
	return case_of_shape(problem_find(problem), &shape, scalars, 1);
}

static struct library_algorithm algorithm_of(int32_t split, int32_t reduction)
{
	struct library_algorithm algorithm;
	memset(&algorithm, LIBRARY_UNKNOWN, sizeof algorithm);
	algorithm.split_k = split;
	algorithm.reduction = reduction;
	return algorithm;
}

static struct library_wrong wrong_of(const char *problem, const struct test_case *test,
									 int32_t split, int32_t reduction)
{
	return (struct library_wrong){.problem = problem_find(problem),
								  .test = test,
								  .algorithm = algorithm_of(split, reduction),
								  .worst_ratio = 2.0,
								  .wrong = 100,
								  .share = 0.1};
}

Test(library_cause, schemes_that_round_partial_sums_are_told_apart)
{
	const struct test_case test = case_of("gemm-f16", 0.0f);
	for (int32_t reduction = 0; reduction <= 4; reduction++) {
		struct library_wrong wrong = wrong_of("gemm-f16", &test, 4, reduction);
		unsigned want = reduction == 1 || reduction == 4 ? LIBRARY_CAUSE_PARTIAL_SUMS : 0;
		cr_assert_eq(library_cause_of(&wrong), want, "reduction %d", reduction);
	}
	struct library_wrong whole = wrong_of("gemm-f16", &test, 1, 1);
	cr_assert_eq(library_cause_of(&whole), 0u);
}

Test(library_cause, beta_1_rounds_twice_in_16_bits_and_by_default_alone)
{
	const struct test_case one = case_of("gemm-bf16", 1.0f), half = case_of("gemm-bf16", 0.5f);
	const struct test_case f32 = case_of("sgemm", 1.0f);
	struct library_wrong wrong = wrong_of("gemm-bf16", &one, 1, 0);
	cr_assert_eq(library_cause_of(&wrong), (unsigned)LIBRARY_CAUSE_TWO_ROUNDINGS);
	wrong.mode = LIBRARY_ACCURATE;
	cr_assert_eq(library_cause_of(&wrong), 0u);
	wrong = wrong_of("gemm-bf16", &half, 1, 0);
	cr_assert_eq(library_cause_of(&wrong), 0u);
	wrong = wrong_of("sgemm", &f32, 4, 1);
	cr_assert_eq(library_cause_of(&wrong), 0u, "sums and results of one type");
}

Test(library_cause, both_may_hold)
{
	const struct test_case one = case_of("gemm-f16", 1.0f);
	char text[LIBRARY_CAUSE_TEXT];
	struct library_wrong wrong = wrong_of("gemm-f16", &one, 4, 4);
	const unsigned both = LIBRARY_CAUSE_PARTIAL_SUMS | LIBRARY_CAUSE_TWO_ROUNDINGS;
	cr_assert_eq(library_cause_of(&wrong), both);
	cr_assert_str_eq(library_cause_print(both, true, text),
					 "partial sums of split-K are rounded to 16 bits; two roundings at beta = 1: "
					 "the product is rounded, then added to C; the accurate mode is right");
}

/* cublasGemmEx says nothing of its algorithm: its accurate mode tells. */
Test(library_cause, of_an_unknown_algorithm_the_accurate_mode_tells)
{
	const struct test_case zero = case_of("gemm-f16", 0.0f), one = case_of("gemm-f16", 1.0f);
	struct library_wrong wrong = wrong_of("gemm-f16", &zero, LIBRARY_UNKNOWN, LIBRARY_UNKNOWN);
	cr_assert_eq(library_cause_of(&wrong), 0u);
	wrong.accurate_right = true;
	cr_assert_eq(library_cause_of(&wrong), (unsigned)LIBRARY_CAUSE_PARTIAL_SUMS);
	wrong = wrong_of("gemm-f16", &one, LIBRARY_UNKNOWN, LIBRARY_UNKNOWN);
	wrong.accurate_right = true;
	cr_assert_eq(library_cause_of(&wrong), (unsigned)LIBRARY_CAUSE_TWO_ROUNDINGS);
	wrong.splits_at_other_beta = true;
	cr_assert_eq(library_cause_of(&wrong),
				 (unsigned)(LIBRARY_CAUSE_PARTIAL_SUMS | LIBRARY_CAUSE_TWO_ROUNDINGS));
}

Test(library_cause, an_algorithm_that_does_not_split_is_mended_by_something_else)
{
	const struct test_case test = case_of("gemm-f16", 0.0f);
	char text[LIBRARY_CAUSE_TEXT];
	struct library_wrong wrong = wrong_of("gemm-f16", &test, 1, 0);
	wrong.accurate_right = true;
	cr_assert_eq(library_cause_of(&wrong), (unsigned)LIBRARY_CAUSE_MENDED);
	cr_assert_str_eq(library_cause_print(LIBRARY_CAUSE_MENDED, true, text),
					 "cause not known; the accurate mode is right");
	cr_assert_str_eq(library_cause_print(0, false, text), "cause not known");
}

/* Four parts of half round by 5 u S at most, and the bound has 3 sqrt(100) 2^-24 S. */
Test(library_cause, roundings_are_no_cause_of_what_they_cannot_do)
{
	const struct test_case test = case_of("gemm-f16", 0.0f);
	const double most = 5 * 0x1p-11 / (30 * 0x1p-24);
	struct library_wrong wrong = wrong_of("gemm-f16", &test, 4, 1);
	wrong.worst_ratio = 0.99 * most;
	cr_assert_eq(library_cause_of(&wrong), (unsigned)LIBRARY_CAUSE_PARTIAL_SUMS);
	wrong.worst_ratio = 1.01 * most;
	cr_assert_eq(library_cause_of(&wrong), 0u, "too large");
	wrong.worst_ratio = 2.0;
	wrong.share = 0.95;
	cr_assert_eq(library_cause_of(&wrong), 0u, "nearly all of them");
	wrong.wrong = 2;
	cr_assert_eq(library_cause_of(&wrong), (unsigned)LIBRARY_CAUSE_PARTIAL_SUMS, "of two");
	wrong.share = 0.1;
	wrong.right_before = true;
	cr_assert_eq(library_cause_of(&wrong), 0u, "the same call was right");
}
