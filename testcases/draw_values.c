/* The scalars of generated cases, and what their operands hold. */
#include <math.h>

#include "testcases/draw.h"
#include "testcases/rules.h"

float draw_scalar(struct draws *draws)
{
	int thousandths = draw_between(draws, -2000, 2000);
	return (float)(thousandths != 0 ? thousandths : 1) / 1000.0f;
}

void draw_factors(struct draws *draws, struct test_case *test)
{
	static const float pairs[][2] = {{1, 0}, {1, 0}, {1, 1}, {1, 1}, {1, 1}, {0.5f, 0.5f}};
	int kind = draw_below(draws, 12);

	if (kind < 6) {
		test->scalar[SCALAR_ALPHA] = pairs[kind][0];
		test->scalar[SCALAR_BETA] = pairs[kind][1];
		return;
	}
	test->scalar[SCALAR_ALPHA] = kind < 8 ? 1.0f : draw_scalar(draws);
	test->scalar[SCALAR_BETA] = kind < 10 ? draw_scalar(draws) : kind == 10 ? 1.0f : 0.0f;
}

void draw_no_product(struct test_case *test)
{
	test->scalar[SCALAR_ALPHA] = 0;
	test->scalar[SCALAR_BETA] = 1;
}

void draw_named_factors(struct draws *draws, const struct problem *problem, struct test_case *test)
{
	static const float plain[] = {1, 1, 0.5f};
	for (size_t i = 0; problem->file != NULL && problem->scalars[i].name != NULL; i++) {
		int kind = draw_below(draws, 6);
		test->scalar[problem->scalars[i].is] = problem->scalars[i].draw == SCALAR_DRAW_FIXED
												   ? problem->large_scalars[i]
											   : kind < 3 ? plain[kind]
														  : draw_scalar(draws);
	}
}

void draw_exact_factors(struct draws *draws, struct test_case *test)
{
	static const float alphas[] = {1, 1, 2, -1, 0.5f, -2};
	static const float betas[] = {0, 1, -1, 0.5f, 2, -2};
	test->scalar[SCALAR_ALPHA] = alphas[draw_below(draws, 6)];
	test->scalar[SCALAR_BETA] = betas[draw_below(draws, 6)];
}

/* Powers of two make the f32 arithmetic exact, and ties of rounding frequent. */
static float draw_scale(struct draws *draws, bool power)
{
	static const float powers[] = {0.125f, 0.25f, 0.5f, 0.5f, 1, 2};
	int hundredths = draw_between(draws, 1, 50);
	return power ? powers[draw_below(draws, 6)] : (float)hundredths / 100.0f;
}

/* In a quarter of the cases 0, in one any code, else a small one. */
static float draw_zero_point(struct draws *draws)
{
	switch (draw_below(draws, 4)) {
	case 0: return 0;
	case 1: return (float)draw_between(draws, -128, 127);
	default: return (float)draw_between(draws, -10, 10);
	}
}

/* Of codes: uniform ones and extreme ones. */
static double mean_square(const struct value_spec *spec)
{
	double most = (double)spec->scale, extreme = (double)type_of(DTYPE_S8)->uniform_most;
	double share = (double)spec->share;
	return (1 - share) * most * most / 3 + share * extreme * extreme;
}

/* A power of two or hundredths at which about one result in ten saturates. */
static float draw_result_scale(struct draws *draws, const struct test_case *test, bool power)
{
	double products = 0;
	for (int i = 0; i < 2; i++)
		products += 0.5 * log2(mean_square(&test->values[i]));
	double sums =
		products + 0.5 * log2((double)test->shape.size[SIZE_K]) +
		log2((double)test->scalar[SCALAR_SCALE_LEFT] * (double)test->scalar[SCALAR_SCALE_RIGHT]);
	int octave = (int)floor(sums - 6.0) + draw_between(draws, -1, 2);
	float scale = ldexpf(1.0f, octave);
	return power ? scale : scale * (float)draw_between(draws, 50, 99) / 50.0f;
}

/* Every scalar of the problem but alpha and beta, which come as pairs. */
static void draw_quantisation(struct draws *draws, const struct problem *problem,
							  struct test_case *test, bool exact)
{
	bool power = draw_below(draws, 2) == 0 || exact;
	for (const struct problem_scalar *row = problem->scalars; row->name != NULL; row++) {
		float *out = &test->scalar[row->is];
		switch (row->draw) {
		case SCALAR_DRAW_FACTOR:
		case SCALAR_DRAW_FIXED: break;
		case SCALAR_DRAW_SCALE: *out = draw_scale(draws, power); break;
		case SCALAR_DRAW_RESULT_SCALE: *out = draw_result_scale(draws, test, power); break;
		case SCALAR_DRAW_ZERO: *out = draw_zero_point(draws); break;
		}
	}
}

/* Values whose results stay well inside the type's range at K = 4096 and
 * |alpha| = 2; overflow is a suite's business, not a surprise of a random run. */
static struct value_spec draw_numbers(struct draws *draws, const struct type *type)
{
	static const enum distribution parts[] = {VALUES_WIDE_LATE, VALUES_WIDE_ROWS, VALUES_BLOCKS};
	switch (draw_below(draws, 10)) {
	case 0: return (struct value_spec){VALUES_UNIFORM, type->uniform_most, 0, 0};
	case 1: return (struct value_spec){VALUES_UNIFORM, 0.5f, 0, 0};
	case 2:
	case 3: return (struct value_spec){VALUES_NORMAL, 1.0f, 0, 0};
	case 4: return (struct value_spec){VALUES_WIDE, type->wide_most, 0, 0};
	case 5: return (struct value_spec){VALUES_POSITIVE, 1.0f, 0, 0};
	case 6: {
		enum distribution part = parts[draw_below(draws, 3)];
		float scale = part == VALUES_BLOCKS ? 1.0f : type->wide_most;
		return (struct value_spec){part, scale, 0, 0};
	}
	default: return (struct value_spec){VALUES_UNIFORM, 1.0f, 0, 0};
	}
}

/* Mostly lengths, which are not negative: among values of both signs the least sum
 * is negative, and hides a zero that a kernel pads with. The large ones find those
 * who pad with what they take for infinite. */
static struct value_spec draw_lengths(struct draws *draws)
{
	switch (draw_below(draws, 10)) {
	case 0: return (struct value_spec){VALUES_UNIFORM, 10.0f, 0, 0};
	case 1: return (struct value_spec){VALUES_UNIFORM, 1.0f, 0, 0};
	case 2: return (struct value_spec){VALUES_NORMAL, 1.0f, 0, 0};
	case 3: return (struct value_spec){VALUES_WIDE, 24.0f, 0, 0};
	case 4: return (struct value_spec){VALUES_POSITIVE, 1e30f, 0, 0};
	default: return (struct value_spec){VALUES_POSITIVE, 1.0f, 0, 0};
	}
}

/* Any code, or small ones, as sums of few large products hide small faults. */
static struct value_spec draw_codes(struct draws *draws, const struct type *type)
{
	static const float limits[] = {5, 50};
	int kind = draw_below(draws, 4);
	return case_codes(type, kind < 2 ? limits[kind] : 0);
}

/* Dense and sparse, with and without negative lengths, and chains: paths of one edge and of as
 * many as there are nodes. */
static struct value_spec draw_graph(struct draws *draws, const struct shape *shape)
{
	static const enum distribution kinds[] = {VALUES_GRAPH, VALUES_GRAPH_SIGNED,
											  VALUES_GRAPH_INTEGER, VALUES_GRAPH_CHAIN};
	enum distribution kind = kinds[draw_below(draws, 4)];
	float share = (float)draw_between(draws, 1, 4) * 0.25f;
	float nodes = (float)shape->size[SIZE_N];
	if (kind == VALUES_GRAPH_CHAIN)
		share = draw_below(draws, 2) == 0 ? 0 : 0.25f / nodes;
	else if (draw_below(draws, 3) == 0) /* a few edges a node, and some nodes are not reached */
		share = fminf(share, 3.0f / nodes);
	return (struct value_spec){kind, 10.0f, kind == VALUES_GRAPH_INTEGER ? 0 : 0.1f, share};
}

/* Weights of a network are divided by the root of a size, whatever their distribution: values of
 * many magnitudes have none that could be divided. */
static struct value_spec draw_ruled(struct draws *draws, const struct operand *operand,
									const struct test_case *test)
{
	const struct operand_rules *rules = operand->rules;
	struct value_spec spec = draw_numbers(draws, type_of(operand->type));
	bool wide = spec.distribution == VALUES_WIDE || spec.distribution == VALUES_WIDE_LATE ||
				spec.distribution == VALUES_WIDE_ROWS;
	if (rules->zeros > 0 || (wide && rules->scaled != 0))
		spec = (struct value_spec){VALUES_UNIFORM, 1.0f, 0, 0};
	return operand_values(operand, &test->shape, spec);
}

static struct value_spec draw_of(struct draws *draws, const struct operand *operand,
								 const struct test_case *test)
{
	const struct type *type = type_of(operand->type);
	switch (operand->draw) {
	case DRAW_NUMBERS:
		return operand->rules != NULL ? draw_ruled(draws, operand, test)
									  : draw_numbers(draws, type);
	case DRAW_LENGTHS: return draw_lengths(draws);
	case DRAW_CODES: return draw_codes(draws, type);
	case DRAW_SCALES: return CASE_SCALES;
	case DRAW_GRAPH: return draw_graph(draws, &test->shape);
	case DRAW_NOTHING: break;
	}
	return (struct value_spec){VALUES_UNWRITTEN, 0, 0, 0};
}

/* Two inputs of one kind are drawn alike in half of the cases. */
static void draw_operands(struct draws *draws, const struct problem *problem,
						  struct test_case *test)
{
	const struct operand *rows = problem->operands;
	for (size_t i = 0; rows[i].name != NULL; i++) {
		bool alike = i == 1 && problem->file == NULL && rows[i].role == ROLE_INPUT &&
					 rows[i].draw == rows[0].draw && draw_below(draws, 2) == 0;
		test->values[i] = alike ? test->values[0] : draw_of(draws, &rows[i], test);
	}
}

/* What is only overwritten is marked, so that what was left out shows. */
static void mark_results(const struct problem *problem, struct test_case *test)
{
	for (size_t i = 0; problem->operands[i].name != NULL; i++)
		if (problem->operands[i].role == ROLE_BOTH && test->scalar[SCALAR_BETA] == 0)
			test->values[i] = (struct value_spec){VALUES_MARKER, 0, 0, 0};
}

void draw_contents(struct draws *draws, const struct problem *problem, struct test_case *test,
				   bool exact)
{
	bool scaled = problem_takes(problem, SCALAR_SCALE_LEFT);
	/* Every min-plus case is exact, and small integers would only make most
	 * elements of C alike. */
	bool integers = exact && !scaled && problem->algebra == ALGEBRA_PLUS_TIMES &&
					case_make_exact(problem, test);
	if (!integers)
		draw_operands(draws, problem, test);
	if (scaled) /* a result's scale goes by the values */
		draw_quantisation(draws, problem, test, exact);
	if (scaled && exact)
		case_make_exact(problem, test);
	mark_results(problem, test);
	if (test->values[0].distribution == VALUES_GRAPH_INTEGER)
		test->exact = true;
}

/* Zero points far from 0, and any codes. Then sums are about K times both zero points: the scale of
 * the result makes 16 to 64 of that, so that few saturate. */
static void draw_far_zero_points(struct draws *draws, const struct problem *problem,
								 struct test_case *test)
{
	static const enum scalar zeros[] = {SCALAR_ZERO_LEFT, SCALAR_ZERO_RIGHT};
	float *scalar = test->scalar;
	double sum = (double)test->shape.size[SIZE_K] * (double)scalar[SCALAR_SCALE_LEFT] *
				 (double)scalar[SCALAR_SCALE_RIGHT];
	for (int i = 0; i < 2; i++) {
		float zero = (float)draw_between(draws, 32, 64);
		scalar[zeros[i]] = draw_below(draws, 2) == 0 ? zero : -zero;
		sum *= (double)zero;
	}
	int octave, own;
	frexp(sum, &octave);
	float significand = frexpf(scalar[SCALAR_SCALE_RESULT], &own);
	scalar[SCALAR_SCALE_RESULT] = ldexpf(significand, octave - 5);
	scalar[SCALAR_ZERO_RESULT] = fminf(fmaxf(scalar[SCALAR_ZERO_RESULT], -40), 40);
	for (size_t i = 0; problem->operands[i].name != NULL; i++)
		if (problem->operands[i].role == ROLE_INPUT)
			test->values[i] = case_codes(type_of(problem->operands[i].type), 0);
}

void draw_padding_decides(struct draws *draws, const struct problem *problem,
						  struct test_case *test)
{
	if (problem_takes(problem, SCALAR_ZERO_LEFT))
		draw_far_zero_points(draws, problem, test);
	for (size_t i = 0; problem->operands[i].name != NULL; i++)
		if (problem->operands[i].draw == DRAW_LENGTHS) /* longer than what stands for infinite */
			test->values[i] = (struct value_spec){VALUES_POSITIVE, 1e30f, 1e30f, 0};
}
