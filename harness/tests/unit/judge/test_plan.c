/* links: judge testcases base */
/* Which cases a run has. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/paths.h"
#include "judge/plan.h"

#define CASES 100

static struct plan plan_of(const struct judge_options *options)
{
	char source[PATHS_MAX], file[PATHS_MAX];
	struct error err = {{0}};
	struct plan plan;
	cr_assert(paths_source(source, &err) &&
			  paths_join(file, source, "solutions/gemm_f16/01_naive.cu", &err));
	cr_assert(plan_make(options, file, &plan, &err), "%s", err.message);
	return plan;
}

static size_t without_product(const struct plan *plan)
{
	size_t count = 0;
	for (size_t i = 0; i < plan->count; i++)
		count += plan->cases[i].scalar[SCALAR_ALPHA] == 0;
	return count;
}

Test(plan, draws_no_case_to_time_that_multiplies_nothing)
{
	struct judge_options options = {.mode = JUDGE_CHECKS, .cases.count = CASES, .cases.seed = 7};
	struct plan judged = plan_of(&options);
	options.mode = JUDGE_TIMES;
	struct plan timed = plan_of(&options);
	cr_assert(judged.count == CASES && timed.count == CASES);
	cr_assert(without_product(&judged) > 0);
	cr_assert(without_product(&timed) == 0);

	/* Both draw alike: what is left out is passed over, and nothing else changes. */
	size_t at = 0;
	for (size_t i = 0; i < judged.count; i++)
		if (judged.cases[i].scalar[SCALAR_ALPHA] != 0)
			cr_assert_str_eq(timed.cases[at++].name, judged.cases[i].name);
	cr_assert(at < CASES);
	cr_assert_neq(strcmp(timed.cases[CASES - 1].name, judged.cases[CASES - 1].name), 0);
	plan_free(&judged);
	plan_free(&timed);
}

Test(plan, times_the_alpha_of_zero_that_is_asked_for)
{
	struct judge_options options = {.mode = JUDGE_TIMES,
									.shapes.items = &(struct shape_text){3, {64, 48, 32}},
									.shapes.count = 1,
									.timing.alpha = {true, 0}};
	struct plan plan = plan_of(&options);
	cr_assert(plan.count == 1 && plan.cases[0].scalar[SCALAR_ALPHA] == 0);
	cr_assert(plan.cases[0].shape.size[SIZE_M] == 64);
	plan_free(&plan);
}

Test(plan, keeps_the_cases_of_a_suite)
{
	struct judge_options options = {.mode = JUDGE_TIMES,
									.cases.suites = (const char *const[]){"leetgpu-gemm", NULL},
									.cases.suite_count = 1};
	struct plan plan = plan_of(&options);
	cr_assert(without_product(&plan) == 1);
	plan_free(&plan);
}
