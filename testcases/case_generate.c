/* Generated cases. */
#include <stdio.h>

#include "testcases/draw.h"

const char *const case_sizes_names[] = {
	[CASE_SIZES_MIXED] = "mixed", [CASE_SIZES_UNIFORM] = "uniform", NULL};

bool case_has_multiple(const struct problem *problem, int max_dim, int multiple)
{
	struct draw_all_limits all = draw_limits_of(problem, max_dim);
	bool any = true;
	for (int i = 0; i < CASE_DIMENSIONS; i++)
		any = any && all.of[i].high / multiple * multiple >= all.of[i].low;
	return any;
}

struct test_case case_generate(const struct problem *problem, uint64_t seed, size_t index,
							   enum case_sizes sizes, int max_dim, int multiple)
{
	struct draws run = {.seed = seed, .index = UINT32_MAX};
	struct draws draws = {.seed = seed, .index = index};
	struct test_case test = {0};
	case_neutral_scalars(&test);

	size_t count = DRAW_FAMILIES;
	size_t family_start = (size_t)draw_below(&run, (int)count);
	size_t exact_start = (size_t)draw_below(&run, 6);

	snprintf(test.name, sizeof test.name, "random-%zu", index);
	test.seed = (uint64_t)draw_word(&draws) << 32 | draw_word(&draws);
	test.shape = draw_shape(&draws, problem, sizes, index + family_start, max_dim, multiple);
	/* One case in six: 6 divides the number of families, so step aside once a round
	 * and every family gets its exact cases. */
	bool exact = (index + index / count + exact_start) % 6 == 0;
	if (problem_takes(problem, SCALAR_ALPHA)) {
		if (exact)
			draw_exact_factors(&draws, &test);
		else
			draw_factors(&draws, &test);
	}
	draw_contents(&draws, problem, &test, exact);
	return test;
}

enum given_kind { GIVEN_PLAIN, GIVEN_EXACT, GIVEN_ANY_FACTORS, GIVEN_DRAWN, GIVEN_KINDS };

struct test_case case_generate_at(const struct problem *problem, const struct shape *shape,
								  uint64_t seed, size_t index)
{
	struct draws draws = {.seed = seed, .index = index};
	struct test_case test = {.shape = *shape};
	enum given_kind kind = (enum given_kind)(index % GIVEN_KINDS);
	char name[SHAPE_TEXT];
	case_neutral_scalars(&test);
	shape_print(problem, shape, name);
	snprintf(test.name, sizeof test.name, "%.36s-%zu", name, index);
	test.seed = (uint64_t)draw_word(&draws) << 32 | draw_word(&draws);
	if (problem_takes(problem, SCALAR_ALPHA)) {
		if (kind == GIVEN_EXACT) {
			draw_exact_factors(&draws, &test);
		} else if (kind == GIVEN_ANY_FACTORS) {
			test.scalar[SCALAR_ALPHA] = draw_scalar(&draws);
			test.scalar[SCALAR_BETA] = draw_scalar(&draws);
		} else if (kind == GIVEN_DRAWN) {
			draw_factors(&draws, &test);
		}
	}
	draw_contents(&draws, problem, &test, kind == GIVEN_EXACT);
	return test;
}
