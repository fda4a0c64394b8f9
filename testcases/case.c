#include "testcases/case.h"

#include <math.h>
#include <stdio.h>

#include "testcases/draw.h"

struct value_spec case_plain_values(const struct problem *problem, size_t operand,
									const struct test_case *test)
{
	const struct operand *row = &problem->operands[operand];
	switch (row->draw) {
	case DRAW_NUMBERS:
	case DRAW_LENGTHS: break;
	case DRAW_CODES:
		return (struct value_spec){VALUES_CODES, type_of(row->type)->uniform_most, 0, 0};
	case DRAW_SCALES: return (struct value_spec){VALUES_POSITIVE, 0.1f, 0.01f, 0};
	case DRAW_GRAPH: return (struct value_spec){VALUES_GRAPH, 10.0f, 0.1f, 0.3f};
	case DRAW_NOTHING: return (struct value_spec){VALUES_UNWRITTEN, 0, 0, 0};
	}
	if (row->role == ROLE_BOTH && test->scalar[SCALAR_BETA] == 0)
		return (struct value_spec){VALUES_MARKER, 0, 0, 0};
	return (struct value_spec){VALUES_UNIFORM, 1.0f, 0, 0};
}

int case_largest(const struct problem *problem)
{
	int largest = 1;
	for (int i = 0; i < DRAW_DIMENSIONS; i++) {
		const struct problem_size *size = problem_size_of(problem, draw_dimensions[i]);
		if (size != NULL && size->max > largest)
			largest = size->max;
	}
	return largest;
}

int case_smallest(const struct problem *problem)
{
	int smallest = 1;
	for (int i = 0; i < DRAW_DIMENSIONS; i++) {
		const struct problem_size *size = problem_size_of(problem, draw_dimensions[i]);
		if (size != NULL && size->min > smallest)
			smallest = size->min;
	}
	return smallest;
}

bool case_has_multiple(const struct problem *problem, int max_dim, int multiple)
{
	struct draw_all_limits all = draw_limits_of(problem, max_dim);
	bool any = true;
	for (int i = 0; i < DRAW_DIMENSIONS; i++)
		any = any && all.of[i].high / multiple * multiple >= all.of[i].low;
	return any;
}

bool case_multiplies(const struct test_case *test)
{
	return test->scalar[SCALAR_ALPHA] != 0;
}

static void scalars_neutral(struct test_case *test)
{
	for (int i = 0; i < SCALAR_COUNT; i++)
		test->scalar[i] = scalar_neutral((enum scalar)i);
}

struct test_case case_generate(const struct problem *problem, uint64_t seed, size_t index,
							   enum case_sizes sizes, int max_dim, int multiple)
{
	struct draws run = {.seed = seed, .index = UINT32_MAX};
	struct draws draws = {.seed = seed, .index = index};
	struct test_case test = {0};
	scalars_neutral(&test);

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
	scalars_neutral(&test);
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

const char *const case_sizes_names[] = {
	[CASE_SIZES_MIXED] = "mixed", [CASE_SIZES_UNIFORM] = "uniform", NULL};

struct test_case case_of_shape(const struct problem *problem, const struct shape *shape,
							   const float *scalars, uint64_t seed)
{
	struct test_case test = {.shape = *shape, .seed = seed};
	scalars_neutral(&test);
	for (size_t i = 0; problem->scalars[i].name != NULL; i++) {
		enum scalar scalar = problem->scalars[i].is;
		if (scalars != NULL)
			test.scalar[scalar] = scalars[i];
		else if (problem->scalars[i].draw != SCALAR_DRAW_FACTOR)
			test.scalar[scalar] = problem->large_scalars[i];
	}
	for (size_t i = 0; problem->operands[i].name != NULL; i++)
		test.values[i] = case_plain_values(problem, i, &test);
	char name[SHAPE_TEXT];
	shape_print(problem, shape, name);
	snprintf(test.name, sizeof test.name, "%.47s", name);
	return test;
}

bool case_holds(const struct problem *problem, const struct test_case *test, struct error *err)
{
	for (size_t i = 0; problem->scalars[i].name != NULL; i++) {
		float value = test->scalar[problem->scalars[i].is];
		if (problem->scalars[i].is_integer &&
			!(fabsf(value) <= CASE_INTEGER_MOST && value == truncf(value)))
			return error_set(err, "%s is an integer of at most %d, not %g",
							 problem->scalars[i].name, CASE_INTEGER_MOST, (double)value);
	}
	for (size_t i = 0; problem->operands[i].name != NULL; i++)
		if (!value_spec_holds(&test->values[i], err))
			return error_prefix(err, "%s", problem->operands[i].name);
	return true;
}
