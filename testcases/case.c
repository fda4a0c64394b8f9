#include "testcases/case.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "testcases/values.h"

/* ---- the generator's own random numbers --------------------------------- */

struct draws {
	uint64_t seed, index;
	uint32_t used;
	struct values_words words;
};

static uint32_t draw_word(struct draws *draws)
{
	if (draws->used % 4 == 0)
		draws->words =
			values_random(draws->seed, VALUES_STREAM_CASE, draws->index << 16 | draws->used / 4);
	return draws->words.word[draws->used++ % 4];
}

/* 0 .. count-1 */
static int draw_below(struct draws *draws, int count)
{
	return (int)((uint64_t)draw_word(draws) * (uint64_t)count >> 32);
}

/* low .. high */
static int draw_between(struct draws *draws, int low, int high)
{
	return low + draw_below(draws, high - low + 1);
}

/* ---- sizes -------------------------------------------------------------- */

struct limits {
	int low, high;
};

static int clamp(struct limits limits, int size)
{
	return size < limits.low ? limits.low : size > limits.high ? limits.high : size;
}

/* Any size: half of the time uniform, half of the time one whose order of
 * magnitude is uniform, so that small sizes are as common as large ones. The
 * second kind picks a power of two and a place within its octave: integers only,
 * because pow() differs between C libraries. */
static int size_any(struct draws *draws, struct limits limits)
{
	if (draw_below(draws, 2) == 0)
		return draw_between(draws, limits.low, limits.high);
	int octaves = 0;
	while (limits.low << (octaves + 1) <= limits.high)
		octaves++;
	int start = limits.low << draw_below(draws, octaves + 1);
	int end = 2 * start - 1 > limits.high ? limits.high : 2 * start - 1;
	return draw_between(draws, start, end);
}

static int size_of_multiple(struct limits limits, int multiple, int size)
{
	struct limits multiples = {(limits.low + multiple - 1) / multiple, limits.high / multiple};
	return clamp(multiples, (size + multiple / 2) / multiple) * multiple;
}

static bool is_prime(int n)
{
	if (n < 4)
		return n > 1;
	for (int d = 2; d * d <= n; d++)
		if (n % d == 0)
			return false;
	return true;
}

static int size_prime(struct draws *draws, struct limits limits)
{
	int size = size_any(draws, limits);
	for (int down = size; down >= limits.low; down--)
		if (is_prime(down))
			return down;
	return size;
}

static int size_aligned(struct draws *draws, struct limits limits)
{
	static const int steps[] = {8, 16, 64, 128};
	int step = steps[draw_below(draws, 4)];
	int size = size_any(draws, limits) / step * step;
	while (size < limits.low)
		size += step;
	return clamp(limits, size);
}

static int size_one_off(struct draws *draws, struct limits limits)
{
	int off = draw_below(draws, 2) == 0 ? -1 : 1;
	int size = size_aligned(draws, limits);
	return clamp(limits, size + off < limits.low ? size + 1 : size + off);
}

static int size_limit(struct draws *draws, struct limits limits)
{
	return draw_below(draws, 2) == 0 ? limits.low : limits.high;
}

static int size_ragged(struct draws *draws, struct limits limits)
{
	switch (draw_below(draws, 4)) {
	case 0: return size_prime(draws, limits);
	case 1: return size_one_off(draws, limits);
	default: return size_any(draws, limits);
	}
}

static int size_mixed(struct draws *draws, struct limits limits)
{
	return draw_below(draws, 2) == 0 ? size_aligned(draws, limits) : size_ragged(draws, limits);
}

/* The small and the large sizes of a skinny case. */
static struct limits limits_small(struct limits limits)
{
	int high = limits.low + (limits.high - limits.low) / 16 + 16;
	return (struct limits){limits.low, high < limits.high ? high : limits.high};
}

static struct limits limits_large(struct limits limits)
{
	return (struct limits){limits.low + (limits.high - limits.low) / 2, limits.high};
}

enum family {
	FAMILY_SQUARE_ALIGNED,
	FAMILY_SQUARE_RAGGED,
	FAMILY_ALIGNED,
	FAMILY_RAGGED,
	FAMILY_ONE_OFF,
	FAMILY_PRIME,
	FAMILY_MIXED,
	FAMILY_LIMITS,
	FAMILY_LARGE_N,
	FAMILY_LARGE_K,
	FAMILY_FLAT,
};

/* Consecutive cases walk through this table from a place that the seed chooses,
 * so that a dozen cases hold every family. */
static const enum family families[] = {
	FAMILY_RAGGED,  FAMILY_ALIGNED, FAMILY_LARGE_K, FAMILY_SQUARE_RAGGED,
	FAMILY_MIXED,   FAMILY_LIMITS,  FAMILY_ONE_OFF, FAMILY_SQUARE_ALIGNED,
	FAMILY_LARGE_N, FAMILY_RAGGED,  FAMILY_FLAT,    FAMILY_PRIME,
};

/* M, N and K. */
#define DIMENSIONS 3
static const enum size dimensions[DIMENSIONS] = {SIZE_M, SIZE_N, SIZE_K};

/* The limits of M, N and K; of one that the problem has not, those of the first. */
struct all_limits {
	struct limits of[DIMENSIONS];
};

typedef int draw_size(struct draws *draws, struct limits limits);

/* Each by its own function. */
static void draw_apart(struct draws *draws, const struct all_limits *all, draw_size *draw,
					   int out[DIMENSIONS])
{
	for (int i = 0; i < DIMENSIONS; i++)
		out[i] = draw(draws, all->of[i]);
}

static void draw_square(struct draws *draws, const struct all_limits *all, draw_size *draw,
						int out[DIMENSIONS])
{
	int size = draw(draws, all->of[0]);
	for (int i = 0; i < DIMENSIONS; i++)
		out[i] = clamp(all->of[i], size);
}

/* large[i]: the upper half of its limits, else the small sizes. */
static void draw_skinny(struct draws *draws, const struct all_limits *all,
						const bool large[DIMENSIONS], int out[DIMENSIONS])
{
	for (int i = 0; i < DIMENSIONS; i++)
		out[i] = size_mixed(draws, large[i] ? limits_large(all->of[i]) : limits_small(all->of[i]));
}

static void draw_family(struct draws *draws, enum family family, const struct all_limits *all,
						int out[DIMENSIONS])
{
	switch (family) {
	case FAMILY_SQUARE_ALIGNED: draw_square(draws, all, size_aligned, out); return;
	case FAMILY_SQUARE_RAGGED: draw_square(draws, all, size_ragged, out); return;
	case FAMILY_ALIGNED: draw_apart(draws, all, size_aligned, out); return;
	case FAMILY_RAGGED: draw_apart(draws, all, size_ragged, out); return;
	case FAMILY_ONE_OFF: draw_apart(draws, all, size_one_off, out); return;
	case FAMILY_PRIME: draw_apart(draws, all, size_prime, out); return;
	case FAMILY_MIXED: draw_apart(draws, all, size_mixed, out); return;
	case FAMILY_LIMITS: draw_apart(draws, all, size_limit, out); return;
	case FAMILY_LARGE_N: draw_skinny(draws, all, (bool[]){false, true, false}, out); return;
	case FAMILY_LARGE_K: draw_skinny(draws, all, (bool[]){false, false, true}, out); return;
	case FAMILY_FLAT: draw_skinny(draws, all, (bool[]){true, true, false}, out); return;
	}
}

static struct all_limits limits_of(const struct problem *problem, int max_dim)
{
	struct all_limits all;
	for (int i = 0; i < DIMENSIONS; i++) {
		const struct problem_size *size = problem_size_of(problem, dimensions[i]);
		if (size == NULL)
			size = problem_size_of(problem, SIZE_M);
		struct limits limits = {size->min, size->max};
		if (max_dim < limits.high)
			limits.high = max_dim > limits.low ? max_dim : limits.low;
		all.of[i] = limits;
	}
	return all;
}

/* Mostly below the problem's common size, where it has one. */
static struct all_limits limits_common(struct draws *draws, const struct problem *problem,
									   struct all_limits all)
{
	int common = problem->common;
	bool rare = common == 0 || draw_below(draws, 8) == 0;
	for (int i = 0; i < DIMENSIONS && !rare; i++)
		if (common < all.of[i].high)
			all.of[i].high = common > all.of[i].low ? common : all.of[i].low;
	return all;
}

/* One in two is small; all terms are no more than those of the largest product. */
static int draw_batch(struct draws *draws, const struct problem *problem, const struct shape *shape,
					  int max_dim)
{
	const struct problem_size *size = problem_size_of(problem, SIZE_BATCH);
	int largest = case_largest(problem);
	double side = max_dim < largest ? max_dim : largest;
	double room = side * side * side / shape_terms(shape);
	struct limits limits = {size->min, size->max};
	if (room < limits.high)
		limits.high = room < limits.low ? limits.low : (int)room;
	return size_any(draws, limits);
}

static int common_multiple(int a, int b)
{
	int step = a;
	while (step % b != 0)
		step += a;
	return step;
}

/* A power of two in three of four cases; K becomes a multiple of it, and stays one of `multiple`.
 */
static void draw_group(struct draws *draws, const struct problem *problem, struct shape *shape,
					   int multiple)
{
	const struct problem_size *size = problem_size_of(problem, SIZE_GROUP);
	int k = shape->size[SIZE_K], group = 2 << draw_below(draws, 7);
	if (draw_below(draws, 4) == 0)
		group = draw_between(draws, size->min / 2, size->max / 4) * 2;
	/* mostly two groups or more, as with one there is none to confuse it with */
	int most = draw_below(draws, 4) == 0 ? k : k / 2;
	while (group > most && group > size->min)
		group /= 2;
	group += group % 2;
	if (common_multiple(group, multiple) > k)
		group = size->min;
	int step = common_multiple(group, multiple);
	shape->size[SIZE_GROUP] = group;
	shape->size[SIZE_K] = k < step ? step : k / step * step;
}

static struct shape draw_shape(struct draws *draws, const struct problem *problem,
							   enum case_sizes sizes, enum family family, int max_dim, int multiple)
{
	int drawn[DIMENSIONS] = {0};
	struct all_limits all = limits_of(problem, max_dim);
	struct shape shape;
	for (int i = 0; i < SIZE_COUNT; i++)
		shape.size[i] = 1;
	if (sizes == CASE_SIZES_UNIFORM) {
		for (int i = 0; i < DIMENSIONS; i++)
			drawn[i] = draw_between(draws, all.of[i].low, all.of[i].high);
	} else {
		struct all_limits common = limits_common(draws, problem, all);
		draw_family(draws, family, &common, drawn);
	}
	for (int i = 0; i < DIMENSIONS; i++) {
		const struct problem_size *size = problem_size_of(problem, dimensions[i]);
		if (multiple > 1)
			drawn[i] = size_of_multiple(all.of[i], multiple, drawn[i]);
		else if (size != NULL && size->multiple > 1)
			drawn[i] = size_of_multiple(all.of[i], size->multiple, drawn[i]);
		bool again = i > 0 && size == problem_size_of(problem, SIZE_M); /* one size is all three */
		if (size != NULL)
			shape.size[dimensions[i]] = again ? drawn[0] : drawn[i];
	}
	if (problem_size_of(problem, SIZE_BATCH) != NULL)
		shape.size[SIZE_BATCH] = draw_batch(draws, problem, &shape, max_dim);
	if (problem_size_of(problem, SIZE_GROUP) != NULL)
		draw_group(draws, problem, &shape, multiple);
	return shape;
}

/* ---- scalars and values ------------------------------------------------- */

static float draw_scalar(struct draws *draws)
{
	int thousandths = draw_between(draws, -2000, 2000);
	return (float)(thousandths != 0 ? thousandths : 1) / 1000.0f;
}

static void draw_factors(struct draws *draws, struct test_case *test)
{
	static const float pairs[][2] = {{1, 0}, {1, 0}, {1, 1}, {1, 1}, {0, 1}, {0.5f, 0.5f}};
	int kind = draw_below(draws, 12);

	if (kind < 6) {
		test->scalar[SCALAR_ALPHA] = pairs[kind][0];
		test->scalar[SCALAR_BETA] = pairs[kind][1];
		return;
	}
	test->scalar[SCALAR_ALPHA] = kind < 8 ? 1.0f : draw_scalar(draws);
	test->scalar[SCALAR_BETA] = kind < 10 ? draw_scalar(draws) : kind == 10 ? 1.0f : 0.0f;
}

static void draw_exact_factors(struct draws *draws, struct test_case *test)
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

/* A power of two or hundredths at which about one result in ten saturates. */
static float draw_result_scale(struct draws *draws, const struct test_case *test, bool power)
{
	double products = 0;
	for (int i = 0; i < 2; i++) /* the operands' mean squares are about a third of their limits' */
		products += log2((double)test->values[i].scale) - 0.79;
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
		case SCALAR_DRAW_FACTOR: break;
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
	switch (draw_below(draws, 10)) {
	case 0: return (struct value_spec){VALUES_UNIFORM, type->uniform_most, 0, 0};
	case 1: return (struct value_spec){VALUES_UNIFORM, 0.5f, 0, 0};
	case 2:
	case 3: return (struct value_spec){VALUES_NORMAL, 1.0f, 0, 0};
	case 4: return (struct value_spec){VALUES_WIDE, type->wide_most, 0, 0};
	case 5: return (struct value_spec){VALUES_POSITIVE, 1.0f, 0, 0};
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
	if (kind < 2 && limits[kind] < type->uniform_most)
		return (struct value_spec){VALUES_INTEGER, limits[kind], 0, 0};
	return (struct value_spec){VALUES_CODES, type->uniform_most, 0, 0};
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

static struct value_spec draw_of(struct draws *draws, const struct operand *operand,
								 const struct test_case *test)
{
	const struct type *type = type_of(operand->type);
	switch (operand->draw) {
	case DRAW_NUMBERS: return draw_numbers(draws, type);
	case DRAW_LENGTHS: return draw_lengths(draws);
	case DRAW_CODES: return draw_codes(draws, type);
	case DRAW_SCALES: return (struct value_spec){VALUES_POSITIVE, 0.1f, 0.01f, 0};
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
		bool alike = i == 1 && rows[i].role == ROLE_INPUT && rows[i].draw == rows[0].draw &&
					 draw_below(draws, 2) == 0;
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

/* ---- exact cases ---------------------------------------------------------- */

static bool is_simple_scalar(float x)
{
	return fabsf(x) <= 2.0f && rintf(2.0f * x) == 2.0f * x;
}

/* The largest power of two that divides both, of the values that
 * is_simple_scalar allows. */
static double common_unit(float alpha, float beta)
{
	for (double unit = 2; unit > 0.5; unit /= 2)
		if (fmod(alpha, unit) == 0 && fmod(beta, unit) == 0)
			return unit;
	return 0.5;
}

static bool is_power_of_two(float x)
{
	int exponent;
	return x > 0 && frexpf(x, &exponent) == 0.5f;
}

/* Whether every scalar keeps integers exact; *factor gets the product of the scales. */
static bool scalars_are_exact(const struct test_case *test, double *factor)
{
	if (!is_simple_scalar(test->scalar[SCALAR_ALPHA]) ||
		!is_simple_scalar(test->scalar[SCALAR_BETA]))
		return false;
	*factor = (double)test->scalar[SCALAR_SCALE_LEFT] * (double)test->scalar[SCALAR_SCALE_RIGHT];
	return is_power_of_two((float)*factor);
}

/* Standard deviation of a product, s(s+1)/3 of two operands of integers up to s. Codes of four
 * bits have one of their own, and scales that are 1. */
static double sigma_of_product(const struct problem *problem, double scale)
{
	double own = sqrt(scale * (scale + 1) / 3);
	bool codes = problem_part(problem, PART_RIGHT)->draw == DRAW_CODES;
	return codes ? 4.61 * (scale < 1 ? sqrt(scale) : own) : scale * (scale + 1) / 3;
}

bool case_make_exact(const struct problem *problem, struct test_case *test)
{
	double factor;
	if (problem->algebra == ALGEBRA_SHORTEST_PATHS || !scalars_are_exact(test, &factor))
		return false;
	const struct number_format *format = &type_of(problem_part(problem, PART_RESULT)->type)->format;
	if (format->is_integer) /* exact whatever the values are */
		return false;

	/* Results are multiples of `unit`; the type represents all of them up to
	 * 2^p * unit. The sum of products is about normal, so eight standard deviations
	 * inside half of that range leave C the other half, and 1e-15 an element to
	 * chance; check.c treats such an element as inexact. The sums themselves are
	 * exact in f32 always: K * scale^2 <= 2^24. */
	double alpha = (double)test->scalar[SCALAR_ALPHA], beta = (double)test->scalar[SCALAR_BETA];
	double k = test->shape.size[SIZE_K];
	double range = ldexp(common_unit(test->scalar[SCALAR_ALPHA], test->scalar[SCALAR_BETA]),
						 format->precision) /
				   2;
	double sigma = range / 8 / fmax(fabs(alpha), 0.5) / sqrt(k);
	double scale = 8;
	while (scale > 1 && (sigma_of_product(problem, scale) > sigma || scale * scale * k > 0x1p24))
		scale /= 2;
	if (sigma_of_product(problem, scale) > sigma) /* too many terms for -1, 0, 1: mostly zeros */
		while (scale > 0x1p-20 && (problem_part(problem, PART_RIGHT)->draw == DRAW_CODES
									   ? sigma_of_product(problem, scale) > sigma
									   : scale > sigma))
			scale /= 2;

	double c_scale = 8;
	while (c_scale > 1 && c_scale * fabs(beta) > range)
		c_scale /= 2;
	for (size_t i = 0; problem->operands[i].name != NULL; i++) {
		const struct operand *operand = &problem->operands[i];
		struct value_spec *values = &test->values[i];
		if (operand->draw == DRAW_CODES)
			*values = (struct value_spec){VALUES_CODES, 7, 0, 0};
		else if (operand->draw == DRAW_SCALES)
			*values = (struct value_spec){VALUES_POSITIVE, 0, 1, 0};
		else if (operand->role == ROLE_INPUT)
			*values = (struct value_spec){VALUES_INTEGER, (float)scale, 0, 0};
		else if (operand->role == ROLE_BOTH)
			*values = (struct value_spec){VALUES_INTEGER, (float)c_scale, 0, 0};
		else
			*values = (struct value_spec){VALUES_UNWRITTEN, 0, 0, 0};
	}
	test->exact = true;
	return true;
}

/* ---- cases ------------------------------------------------------------------ */

int case_largest(const struct problem *problem)
{
	int largest = 1;
	for (int i = 0; i < DIMENSIONS; i++) {
		const struct problem_size *size = problem_size_of(problem, dimensions[i]);
		if (size != NULL && size->max > largest)
			largest = size->max;
	}
	return largest;
}

int case_smallest(const struct problem *problem)
{
	int smallest = 1;
	for (int i = 0; i < DIMENSIONS; i++) {
		const struct problem_size *size = problem_size_of(problem, dimensions[i]);
		if (size != NULL && size->min > smallest)
			smallest = size->min;
	}
	return smallest;
}

bool case_has_multiple(const struct problem *problem, int max_dim, int multiple)
{
	struct all_limits all = limits_of(problem, max_dim);
	bool any = true;
	for (int i = 0; i < DIMENSIONS; i++)
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

/* What operands hold, and the scalars but alpha and beta. */
static void draw_contents(struct draws *draws, const struct problem *problem,
						  struct test_case *test, bool exact)
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

struct test_case case_generate(const struct problem *problem, uint64_t seed, size_t index,
							   enum case_sizes sizes, int max_dim, int multiple)
{
	struct draws run = {.seed = seed, .index = UINT32_MAX};
	struct draws draws = {.seed = seed, .index = index};
	struct test_case test = {0};
	scalars_neutral(&test);

	size_t count = sizeof families / sizeof families[0];
	size_t family_start = (size_t)draw_below(&run, (int)count);
	size_t exact_start = (size_t)draw_below(&run, 6);

	snprintf(test.name, sizeof test.name, "random-%zu", index);
	test.seed = (uint64_t)draw_word(&draws) << 32 | draw_word(&draws);
	enum family family = families[(index + family_start) % count];
	test.shape = draw_shape(&draws, problem, sizes, family, max_dim, multiple);
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

/* ---- shapes as text ------------------------------------------------------------ */

bool shape_parse(const char *text, int max, struct shape_text *out, struct error *err)
{
	const char *at = text;
	out->count = 0;
	while (*at >= '0' && *at <= '9' && out->count < SIZES_MAX) {
		char *rest;
		errno = 0;
		long value = strtol(at, &rest, 10);
		if (errno != 0 || value < 1 || value > max || (*rest != 'x' && *rest != '\0'))
			break;
		out->number[out->count++] = (int32_t)value;
		if (*rest == '\0')
			return true;
		at = rest + 1;
	}
	return error_set(
		err,
		"\"%.80s\" is no shape: write MxNxK, each from 1 to %d, such as 1024x512x64, or "
		"the sizes of a problem that has others, such as MxN or BxMxNxK",
		text, max);
}

void shape_text_print(const struct shape_text *text, char out[SHAPE_TEXT])
{
	size_t used = 0;
	out[0] = '\0';
	for (size_t i = 0; i < text->count; i++)
		used += (size_t)snprintf(out + used, SHAPE_TEXT - used, "%s%d", i > 0 ? "x" : "",
								 (int)text->number[i]);
}

static void set_size(const struct problem_size *row, int32_t number, struct shape *out)
{
	for (int i = 0; i < SIZE_COUNT; i++)
		if ((row->is & 1u << i) != 0)
			out->size[i] = number;
}

bool shape_holds(const struct problem *problem, const struct shape *shape, struct error *err)
{
	char text[SHAPE_TEXT];
	const struct problem_size *k = problem_size_of(problem, SIZE_K);
	const struct problem_size *group = problem_size_of(problem, SIZE_GROUP);
	shape_print(problem, shape, text);
	for (const struct problem_size *row = problem->sizes; row->name != NULL; row++)
		for (int i = 0; i < SIZE_COUNT; i++)
			if ((row->is & 1u << i) != 0 && row->multiple > 1 &&
				shape->size[i] % row->multiple != 0)
				return error_set(err, "%s is no shape of %s: %s is a multiple of %d", text,
								 problem->name, row->name, row->multiple);
	if (group != NULL && shape->size[SIZE_K] % shape->size[SIZE_GROUP] != 0)
		return error_set(err, "%s is no shape of %s: %s is a multiple of %s", text, problem->name,
						 k->name, group->name);
	return true;
}

bool shape_is_countable(const struct problem *problem, const struct shape *shape, struct error *err)
{
	char text[SHAPE_TEXT];
	struct shape matrix = *shape;
	matrix.size[SIZE_BATCH] = 1;
	for (const struct operand *operand = problem->operands; operand->name != NULL; operand++) {
		uint64_t elements = operand_elements(operand, &matrix);
		if (elements <= INT32_MAX)
			continue;
		shape_print(problem, shape, text);
		return error_set(
			err, "%s is too large: %s has %" PRIu64 " elements, and an int counts %d at most", text,
			operand->name, elements, INT32_MAX);
	}
	return true;
}

bool shape_fit(const struct problem *problem, const struct shape_text *text, struct shape *out,
			   struct error *err)
{
	char written[SHAPE_TEXT], legend[SHAPE_TEXT];
	size_t sizes = problem_sizes(problem);
	bool grouped = problem_size_of(problem, SIZE_GROUP) != NULL;
	for (int i = 0; i < SIZE_COUNT; i++)
		out->size[i] = 1;
	if (text->count != sizes && !(grouped && text->count + 1 == sizes)) {
		shape_text_print(text, written);
		return error_set(err, "%s is no shape of %s, which takes %s", written, problem->name,
						 shape_legend(problem, legend));
	}
	for (size_t i = 0; i < text->count; i++)
		set_size(&problem->sizes[i], text->number[i], out);
	if (text->count < sizes) {
		int group = 128;
		while (group > 2 && out->size[SIZE_K] % group != 0)
			group /= 2;
		out->size[SIZE_GROUP] = group;
	}
	return shape_holds(problem, out, err);
}

void shape_print(const struct problem *problem, const struct shape *shape, char out[SHAPE_TEXT])
{
	struct shape_text text = {0};
	for (const struct problem_size *row = problem->sizes; row->name != NULL; row++)
		for (int i = 0; i < SIZE_COUNT; i++)
			if ((row->is & 1u << i) != 0) {
				text.number[text.count++] = shape->size[i];
				break;
			}
	shape_text_print(&text, out);
}

const char *shape_legend(const struct problem *problem, char out[SHAPE_TEXT])
{
	size_t used = 0;
	out[0] = '\0';
	for (const struct problem_size *row = problem->sizes; row->name != NULL; row++)
		used += (size_t)snprintf(out + used, SHAPE_TEXT - used, "%s%s", used > 0 ? "x" : "",
								 row->shown);
	return out;
}

static const char *const distribution_names[] = {
	[VALUES_UNIFORM] = "uniform",
	[VALUES_NORMAL] = "normal",
	[VALUES_INTEGER] = "integer",
	[VALUES_WIDE] = "wide",
	[VALUES_POSITIVE] = "positive",
	[VALUES_ZERO] = "zero",
	[VALUES_NAN] = "nan",
	[VALUES_SPECIAL] = "special",
	[VALUES_LARGE] = "large",
	[VALUES_CODES] = "codes",
	[VALUES_MARKER] = "marker",
	[VALUES_UNWRITTEN] = "unwritten",
	[VALUES_GRAPH] = "graph",
	[VALUES_GRAPH_SIGNED] = "graph-signed",
	[VALUES_GRAPH_INTEGER] = "graph-integer",
	[VALUES_GRAPH_CHAIN] = "graph-chain",
};

const char *distribution_name(enum distribution distribution)
{
	size_t count = sizeof distribution_names / sizeof distribution_names[0];
	return (size_t)distribution < count ? distribution_names[distribution] : "unknown";
}

#define SCALE_MOST 1e30f

/* What is converted to an integer of 32 bits, or is an exponent, has less room. */
static float scale_most(enum distribution distribution)
{
	switch (distribution) {
	case VALUES_INTEGER:
	case VALUES_GRAPH_INTEGER: return 0x1p20f;
	case VALUES_WIDE: return 200.0f;
	default: return SCALE_MOST;
	}
}

bool value_spec_holds(const struct value_spec *spec, struct error *err)
{
	float most = scale_most(spec->distribution);
	const char *name = distribution_name(spec->distribution);
	if ((size_t)spec->distribution >= sizeof distribution_names / sizeof distribution_names[0])
		return error_set(err, "values of no known distribution");
	if (!(spec->scale >= 0 && spec->scale <= most))
		return error_set(err, "the scale of %s is at most %g", name, (double)most);
	if (!(spec->low >= 0 && spec->low <= SCALE_MOST))
		return error_set(err, "the lowest value of %s is at most %g", name, (double)SCALE_MOST);
	return (spec->share >= 0 && spec->share <= 1) ||
		   error_set(err, "the share of edges of %s is at most 1", name);
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

bool distribution_parse(const char *text, enum distribution *out)
{
	for (size_t i = 0; i < sizeof distribution_names / sizeof distribution_names[0]; i++) {
		if (strcmp(text, distribution_names[i]) == 0) {
			*out = (enum distribution)i;
			return true;
		}
	}
	return false;
}
