/* Generated cases. */
#include <stdio.h>

#include "testcases/draw.h"

const char *const case_sizes_names[] = {
	[CASE_SIZES_MIXED] = "mixed", [CASE_SIZES_UNIFORM] = "uniform", NULL};

bool case_has_multiple(const struct problem *problem, int max_dim, int multiple)
{
	struct draw_all_limits all = draw_limits_of(problem, max_dim);
	bool any = true;
	for (int i = 0; i < all.count; i++)
		any = any && all.of[i].high / multiple * multiple >= all.of[i].low;
	return any;
}

/* Between the ragged cases that come first and the alignments. */
#define CLASSES (DRAW_COVERINGS - DRAW_RAGGED - DRAW_ALIGNMENTS)

/* Where a run's cases stand, by its seed. */
struct run_order {
	size_t ragged_first;
	size_t class_first, class_step; /* so that the third case or the fourth is aligned */
	size_t family_first;
	size_t exact_first;
};

/* One case in six: 6 divides the number of families, so step aside once a round and every family
 * gets its exact cases. */
static bool is_exact(const struct run_order *order, size_t index)
{
	return (index + index / DRAW_FAMILIES + order->exact_first) % 6 == 0;
}

static struct run_order order_of(uint64_t seed)
{
	struct draws draws = {.seed = seed, .index = UINT32_MAX};
	struct run_order order = {.family_first = (size_t)draw_below(&draws, DRAW_FAMILIES),
							  .exact_first = (size_t)draw_below(&draws, 6)};
	order.ragged_first = (size_t)draw_below(&draws, DRAW_RAGGED);
	order.class_step = draw_below(&draws, 2) == 0 ? 1 : CLASSES - 1;
	order.class_first = draw_below(&draws, 2) == 0 ? 0 : CLASSES - order.class_step;
	return order;
}

/* Whether the case has alpha 0. It says nothing of products, so that a round of DRAW_FAMILIES has
 * one, which is not exact: the last or the one before, where the first round has rows of 16 or 8
 * elements, which are aligned in the types of problems with an alpha. */
static bool is_only_c(const struct run_order *order, size_t index)
{
	size_t place = index / DRAW_FAMILIES * DRAW_FAMILIES + DRAW_FAMILIES - 1;
	return index == (is_exact(order, place) ? place - 1 : place);
}

static size_t turn_of(const struct run_order *order, size_t index)
{
	if (index >= DRAW_COVERINGS)
		return (order->family_first + index) % DRAW_FAMILIES;
	size_t turn = index;
	if (index < DRAW_RAGGED)
		turn = (order->ragged_first + index) % DRAW_RAGGED;
	else if (index < DRAW_RAGGED + CLASSES)
		turn = DRAW_RAGGED +
			   (order->class_first + order->class_step * (index - DRAW_RAGGED)) % CLASSES;
	return DRAW_FAMILIES + turn;
}

struct test_case case_generate(const struct problem *problem, uint64_t seed, size_t index,
							   enum case_sizes sizes, int max_dim, int multiple)
{
	struct run_order order = order_of(seed);
	struct draws draws = {.seed = seed, .index = index};
	struct test_case test = {0};
	case_neutral_scalars(&test);

	snprintf(test.name, sizeof test.name, "random-%zu", index);
	test.seed = (uint64_t)draw_word(&draws) << 32 | draw_word(&draws);
	size_t turn = turn_of(&order, index);
	test.shape = draw_shape(&draws, problem, sizes, turn, max_dim, multiple);
	bool exact = is_exact(&order, index);
	if (problem_takes(problem, SCALAR_ALPHA)) {
		if (exact)
			draw_exact_factors(&draws, &test);
		else
			draw_factors(&draws, &test);
		if (is_only_c(&order, index))
			draw_no_product(&test);
	}
	draw_named_factors(&draws, problem, &test);
	draw_contents(&draws, problem, &test, exact);
	if (turn == DRAW_ABOVE)
		draw_padding_decides(&draws, problem, &test);
	return test;
}

/* Every other plain case holds what timed calls hold, so that what a file does with such values
 * alone is judged on them. */
enum given_kind { GIVEN_PLAIN, GIVEN_EXACT, GIVEN_ANY_FACTORS, GIVEN_DRAWN, GIVEN_KINDS };

/* A scale of the result, where there is one, goes by the values that were drawn. */
static void hold_timed_values(const struct problem *problem, struct test_case *test)
{
	for (size_t i = 0; i < problem_operands(problem) && !problem_takes(problem, SCALAR_SCALE_LEFT);
		 i++)
		test->values[i] = case_plain_values(problem, i, test);
}

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
		if (index % (2 * GIVEN_KINDS) == GIVEN_KINDS + GIVEN_DRAWN)
			draw_no_product(&test);
	}
	draw_named_factors(&draws, problem, &test);
	draw_contents(&draws, problem, &test, kind == GIVEN_EXACT);
	if (index % (2 * GIVEN_KINDS) == GIVEN_PLAIN)
		hold_timed_values(problem, &test);
	if (kind == GIVEN_ANY_FACTORS)
		draw_padding_decides(&draws, problem, &test);
	return test;
}
