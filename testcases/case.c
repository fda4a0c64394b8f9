#include "testcases/case.h"

#include <math.h>
#include <stdio.h>

#include "testcases/limits.h"
#include "testcases/rules.h"

const enum size case_dimensions[CASE_DIMENSIONS] = {SIZE_M, SIZE_N, SIZE_K};

/* Small codes keep most sums small, as large products hide small faults. */
#define EXTREME_SHARE 0.0625f
#define EXTREME_SHARE_SMALL 0.015625f

struct value_spec case_codes(const struct type *type, float most)
{
	bool small = most > 0 && most < type->uniform_most;
	float share = type->format.bits < 8 ? 0 /* each code is frequent anyway */
				  : small               ? EXTREME_SHARE_SMALL
										: EXTREME_SHARE;
	return (struct value_spec){small ? VALUES_INTEGER : VALUES_CODES,
							   small ? most : type->uniform_most, 0, share};
}

struct value_spec operand_values(const struct operand *operand, const struct shape *shape,
								 struct value_spec spec)
{
	if (operand->rules == NULL)
		return spec;
	if (operand->rules->scaled != 0)
		spec.scale /= sqrtf((float)shape->size[operand->rules->scaled]);
	if (operand->rules->zeros > 0)
		spec = (struct value_spec){VALUES_SPARSE, spec.scale, 0, operand->rules->zeros};
	return spec;
}

struct value_spec case_plain_values(const struct problem *problem, size_t operand,
									const struct test_case *test)
{
	const struct operand *row = &problem->operands[operand];
	switch (row->draw) {
	case DRAW_NUMBERS:
	case DRAW_LENGTHS: break;
	case DRAW_CODES: return case_codes(type_of(row->type), 0);
	case DRAW_SCALES: return CASE_SCALES;
	case DRAW_GRAPH: return (struct value_spec){VALUES_GRAPH, 10.0f, 0.1f, 0.3f};
	case DRAW_NOTHING: return (struct value_spec){VALUES_UNWRITTEN, 0, 0, 0};
	}
	if (row->role == ROLE_BOTH && test->scalar[SCALAR_BETA] == 0)
		return (struct value_spec){VALUES_MARKER, 0, 0, 0};
	return operand_values(row, &test->shape, (struct value_spec){VALUES_UNIFORM, 1.0f, 0, 0});
}

int case_largest(const struct problem *problem)
{
	struct draw_all_limits all = draw_limits_of(problem, INT32_MAX);
	int largest = 1;
	for (int i = 0; i < all.count; i++)
		if (all.of[i].high > largest)
			largest = all.of[i].high;
	return largest;
}

int case_smallest(const struct problem *problem)
{
	struct draw_all_limits all = draw_limits_of(problem, INT32_MAX);
	int smallest = 1;
	for (int i = 0; i < all.count; i++)
		if (all.of[i].low > smallest)
			smallest = all.of[i].low;
	return smallest;
}

bool case_multiplies(const struct test_case *test)
{
	return test->scalar[SCALAR_ALPHA] != 0;
}

void case_neutral_scalars(struct test_case *test)
{
	for (int i = 0; i < SCALAR_COUNT; i++)
		test->scalar[i] = scalar_neutral((enum scalar)i);
}

struct test_case case_of_shape(const struct problem *problem, const struct shape *shape,
							   const float *scalars, uint64_t seed)
{
	struct test_case test = {.shape = *shape, .seed = seed};
	case_neutral_scalars(&test);
	for (size_t i = 0; problem->scalars[i].name != NULL; i++) {
		enum scalar scalar = problem->scalars[i].is;
		if (scalars != NULL)
			test.scalar[scalar] = scalars[i];
		else if (problem->scalars[i].draw != SCALAR_DRAW_FACTOR || problem->file != NULL)
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
