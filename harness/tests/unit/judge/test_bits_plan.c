/* links: judge testcases base */
/* Which calls show whether bits stay the same. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "judge/cases/bits_plan.h"

/* An accepted file whose cases have these sizes and took a millisecond for 100,000 products. */
static struct judgement *accepted(const struct problem *problem, const int32_t (*sizes)[3],
								  size_t count)
{
	struct judgement *out = calloc(1, sizeof *out);
	cr_assert_not_null(out);
	out->cases = calloc(count, sizeof *out->cases);
	out->count = count;
	for (size_t i = 0; i < count; i++) {
		struct shape shape = {{1, sizes[i][0], sizes[i][1], sizes[i][2], 1}};
		out->cases[i].test = case_of_shape(problem, &shape, NULL, 1);
		out->cases[i].checked = true;
		out->cases[i].seconds = shape_terms(&shape) * 1e-8;
	}
	return out;
}

static const int32_t mixed[][3] = {{127, 63, 191}, {161, 97, 33}, {40, 104, 184}, {192, 16, 80}};

static struct bits_plan plan_of(const char *name, const struct judge_options *options,
								const int32_t (*sizes)[3], size_t count, double seconds)
{
	const struct problem *problem = problem_find(name);
	struct bits_plan plan;
	struct judgement *judgement = accepted(problem, sizes, count);
	const struct bits_asked asked = {.options = options,
									 .device = DEVICE_EMULATED,
									 .problem = problem,
									 .judgement = judgement,
									 .seconds = seconds};
	bits_plan_make(&asked, &plan);
	free(judgement->cases);
	free(judgement);
	return plan;
}

static int32_t size_of(const struct test_case *test, enum size size)
{
	return test->shape.size[size];
}

Test(bits_plan, generated_cases_have_the_problems_sizes)
{
	const struct judge_options options = {.cases.seed = 7};
	struct bits_plan plan = plan_of("sgemm", &options, mixed, 4, 0.01);
	cr_assert(plan.row_count >= 3, "%s", plan.why);
	cr_expect_eq(size_of(&plan.rows[0], SIZE_M), 16);
	cr_expect_eq(size_of(&plan.rows[plan.row_count - 1], SIZE_M), 128);
	for (uint32_t i = 0; i < plan.row_count; i++) {
		cr_expect_eq(size_of(&plan.rows[i], SIZE_K), size_of(&plan.rows[0], SIZE_K));
		cr_expect_eq(size_of(&plan.rows[i], SIZE_N), size_of(&plan.rows[0], SIZE_N));
		cr_expect_eq(plan.rows[i].seed, plan.rows[0].seed, "else the rows have other values");
		cr_expect(i == 0 || size_of(&plan.rows[i], SIZE_M) > size_of(&plan.rows[i - 1], SIZE_M));
	}
	const int32_t base = size_of(&plan.rows[plan.base], SIZE_M);
	cr_expect(plan.to >= base && plan.to + base <= 128 && plan.to % 16 != 0);
	cr_expect(plan.rows[0].scalar[SCALAR_BETA] == 0, "C is not drawn anew between calls");
}

Test(bits_plan, more_time_makes_longer_sums)
{
	const struct judge_options options = {.cases.seed = 7};
	struct bits_plan few = plan_of("sgemm", &options, mixed, 4, 0.001);
	struct bits_plan many = plan_of("sgemm", &options, mixed, 4, 0.1);
	cr_expect_eq(size_of(&few.rows[0], SIZE_K), 512, "in a moment");
	cr_expect_eq(size_of(&many.rows[0], SIZE_K), 2048);
	cr_expect(shape_terms(&few.repeated.shape) < shape_terms(&many.repeated.shape));
}

Test(bits_plan, given_sizes_are_not_left)
{
	static const int32_t tiles[][3] = {{64, 128, 256}, {192, 64, 64}, {128, 128, 64}};
	const char *const suites[] = {"tiles", NULL};
	const struct judge_options options = {.cases.suites = suites, .cases.suite_count = 1};
	struct bits_plan plan = plan_of("sgemm", &options, tiles, 3, 10.0);
	cr_expect_eq(size_of(&plan.repeated, SIZE_M), 64, "the largest case that there is time for");
	cr_expect_eq(size_of(&plan.repeated, SIZE_K), 256);
	plan = plan_of("sgemm", &options, tiles, 3, 0.001);
	cr_expect_eq(size_of(&plan.repeated, SIZE_M), 192, "the smallest one");
	plan = plan_of("sgemm", &options, tiles, 3, 1.0);
	for (uint32_t i = 0; i < plan.row_count; i++) {
		cr_expect(size_of(&plan.rows[i], SIZE_M) % 64 == 0);
		cr_expect(size_of(&plan.rows[i], SIZE_M) <= 192 && size_of(&plan.rows[i], SIZE_N) == 64);
		cr_expect(size_of(&plan.rows[i], SIZE_K) % 64 == 0 &&
				  size_of(&plan.rows[i], SIZE_K) <= 256);
	}
	cr_expect(plan.row_count == 2);
	struct bits_plan one = plan_of("sgemm", &options, tiles, 1, 1.0);
	cr_expect_eq(one.row_count, 0);
	cr_expect_str_eq(one.why, "one M alone");
}

Test(bits_plan, nothing_is_asked_where_a_call_takes_too_long)
{
	static const int32_t large[][3] = {{1024, 1024, 1024}};
	const char *const suites[] = {"large", NULL};
	const struct judge_options options = {.cases.suites = suites, .cases.suite_count = 1};
	struct bits_plan plan = plan_of("sgemm", &options, large, 1, 0.06 * 10);
	cr_expect(plan.sets == 0 && plan.row_count == 0 && plan.why[0] != '\0');
	plan = plan_of("sgemm", &options, large, 1, 1000);
	cr_expect(plan.sets == 5, "12 MiB a set: %u", plan.sets);
}

Test(bits_plan, multiples_are_kept)
{
	static const int32_t tiles[][3] = {{64, 128, 256}, {192, 64, 64}};
	const struct judge_options options = {.cases.multiple = 32};
	struct bits_plan plan = plan_of("sgemm", &options, tiles, 2, 0.01);
	cr_assert(plan.row_count >= 2);
	for (uint32_t i = 0; i < plan.row_count; i++)
		for (enum size size = SIZE_M; size <= SIZE_K; size++)
			cr_expect_eq(size_of(&plan.rows[i], size) % 32, 0);
	for (enum size size = SIZE_M; size <= SIZE_K; size++)
		cr_expect_eq(size_of(&plan.repeated, size) % 32, 0);
}

Test(bits_plan, problems_without_rows_of_their_own)
{
	static const int32_t nodes[][3] = {{50, 50, 50}}, vectors[][3] = {{50, 1, 70}};
	const struct judge_options options = {.cases.seed = 7};
	cr_expect_str_eq(plan_of("apsp-f32", &options, nodes, 1, 0.01).why, BITS_NO_ROWS);
	struct bits_plan plan = plan_of("gemv-f32", &options, vectors, 1, 0.01);
	cr_expect_str_eq(plan.why, BITS_NO_ROWS);
	cr_expect(size_of(&plan.repeated, SIZE_M) == 50 && size_of(&plan.repeated, SIZE_K) == 70);
}
