#include "testcases/case.h"

#include <errno.h>
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

static struct shape draw_shape(struct draws *draws, enum family family, struct limits all)
{
	struct limits small = limits_small(all), large = limits_large(all);
	struct shape shape = {0};

	switch (family) {
	case FAMILY_SQUARE_ALIGNED: shape.m = shape.n = shape.k = size_aligned(draws, all); break;
	case FAMILY_SQUARE_RAGGED: shape.m = shape.n = shape.k = size_ragged(draws, all); break;
	case FAMILY_ALIGNED:
		shape.m = size_aligned(draws, all);
		shape.n = size_aligned(draws, all);
		shape.k = size_aligned(draws, all);
		break;
	case FAMILY_RAGGED:
		shape.m = size_ragged(draws, all);
		shape.n = size_ragged(draws, all);
		shape.k = size_ragged(draws, all);
		break;
	case FAMILY_ONE_OFF:
		shape.m = size_one_off(draws, all);
		shape.n = size_one_off(draws, all);
		shape.k = size_one_off(draws, all);
		break;
	case FAMILY_PRIME:
		shape.m = size_prime(draws, all);
		shape.n = size_prime(draws, all);
		shape.k = size_prime(draws, all);
		break;
	case FAMILY_MIXED:
		shape.m = size_mixed(draws, all);
		shape.n = size_mixed(draws, all);
		shape.k = size_mixed(draws, all);
		break;
	case FAMILY_LIMITS:
		shape.m = size_limit(draws, all);
		shape.n = size_limit(draws, all);
		shape.k = size_limit(draws, all);
		break;
	case FAMILY_LARGE_N:
		shape.m = size_mixed(draws, small);
		shape.n = size_mixed(draws, large);
		shape.k = size_mixed(draws, small);
		break;
	case FAMILY_LARGE_K:
		shape.m = size_mixed(draws, small);
		shape.n = size_mixed(draws, small);
		shape.k = size_mixed(draws, large);
		break;
	case FAMILY_FLAT:
		shape.m = size_mixed(draws, large);
		shape.n = size_mixed(draws, large);
		shape.k = size_mixed(draws, small);
		break;
	}
	return shape;
}

/* Mostly below the problem's common_dim, where it has one. */
static struct shape draw_mixed(struct draws *draws, const struct problem *problem,
							   enum family family, struct limits limits)
{
	int common = problem->common_dim;
	if (common > 0 && draw_below(draws, 8) != 0 && common < limits.high)
		limits.high = common > limits.low ? common : limits.low;
	return draw_shape(draws, family, limits);
}

static struct shape draw_uniform(struct draws *draws, struct limits limits)
{
	struct shape shape;
	shape.m = draw_between(draws, limits.low, limits.high);
	shape.n = draw_between(draws, limits.low, limits.high);
	shape.k = draw_between(draws, limits.low, limits.high);
	return shape;
}

/* ---- scalars and values ------------------------------------------------- */

static float draw_scalar(struct draws *draws)
{
	int thousandths = draw_between(draws, -2000, 2000);
	return (float)(thousandths != 0 ? thousandths : 1) / 1000.0f;
}

static void draw_scalars(struct draws *draws, struct test_case *test)
{
	static const float pairs[][2] = {{1, 0}, {1, 0}, {1, 1}, {1, 1}, {0, 1}, {0.5f, 0.5f}};
	int kind = draw_below(draws, 12);

	if (kind < 6) {
		test->alpha = pairs[kind][0];
		test->beta = pairs[kind][1];
		return;
	}
	test->alpha = kind < 8 ? 1.0f : draw_scalar(draws);
	test->beta = kind < 10 ? draw_scalar(draws) : kind == 10 ? 1.0f : 0.0f;
}

static void draw_exact_scalars(struct draws *draws, struct test_case *test)
{
	static const float alphas[] = {1, 1, 2, -1, 0.5f, -2};
	static const float betas[] = {0, 1, -1, 0.5f, 2, -2};
	test->alpha = alphas[draw_below(draws, 6)];
	test->beta = betas[draw_below(draws, 6)];
}

/* Values whose results stay well inside the type's range at K = 4096 and
 * |alpha| = 2; overflow is a suite's business, not a surprise of a random run. */
static struct value_spec draw_values(struct draws *draws, enum dtype type)
{
	bool narrow = type == DTYPE_F16;
	switch (draw_below(draws, 10)) {
	case 0: return (struct value_spec){VALUES_UNIFORM, narrow ? 4.0f : 10.0f};
	case 1: return (struct value_spec){VALUES_UNIFORM, 0.5f};
	case 2:
	case 3: return (struct value_spec){VALUES_NORMAL, 1.0f};
	case 4: return (struct value_spec){VALUES_WIDE, narrow ? 10.0f : 24.0f};
	case 5: return (struct value_spec){VALUES_POSITIVE, 1.0f};
	default: return (struct value_spec){VALUES_UNIFORM, 1.0f};
	}
}

/* Mostly lengths, which are not negative: among values of both signs the least sum
 * is negative, and hides a zero that a kernel pads with. The large ones find those
 * who pad with what they take for infinite. */
static struct value_spec draw_lengths(struct draws *draws)
{
	switch (draw_below(draws, 10)) {
	case 0: return (struct value_spec){VALUES_UNIFORM, 10.0f};
	case 1: return (struct value_spec){VALUES_UNIFORM, 1.0f};
	case 2: return (struct value_spec){VALUES_NORMAL, 1.0f};
	case 3: return (struct value_spec){VALUES_WIDE, 24.0f};
	case 4: return (struct value_spec){VALUES_POSITIVE, 1e30f};
	default: return (struct value_spec){VALUES_POSITIVE, 1.0f};
	}
}

static void draw_operands(struct draws *draws, const struct problem *problem,
						  struct test_case *test)
{
	bool lengths = problem->algebra == ALGEBRA_MIN_PLUS;
	struct value_spec *operands[] = {&test->a, &test->b, &test->c};
	for (int i = 0; i < 3; i++)
		if (i == 1 && draw_below(draws, 2) == 0)
			test->b = test->a;
		else
			*operands[i] = lengths ? draw_lengths(draws) : draw_values(draws, problem->dtype);
}

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

bool case_make_exact(struct test_case *test, enum dtype type)
{
	if (!is_simple_scalar(test->alpha) || !is_simple_scalar(test->beta))
		return false;

	/* Results are multiples of `unit`; the type represents all of them up to
	 * 2^p * unit. The sum of products is about normal, so eight standard deviations
	 * inside half of that range leave C the other half, and 1e-15 an element to
	 * chance; check.c treats such an element as inexact. The sums themselves are
	 * exact in f32 always: K * scale^2 <= 2^24. */
	double range = ldexp(common_unit(test->alpha, test->beta), values_precision(type)) / 2;
	double sigma = range / 8 / fmax(fabs(test->alpha), 0.5) / sqrt(test->shape.k);
	double scale = 8; /* per operand: the standard deviation of a product is s(s+1)/3 */
	while (scale > 1 && (scale * (scale + 1) / 3 > sigma || scale * scale * test->shape.k > 0x1p24))
		scale /= 2;
	if (scale * (scale + 1) / 3 > sigma) /* too many terms for -1, 0, 1: mostly zeros, then */
		while (scale > sigma)
			scale /= 2;

	double c_scale = 8;
	while (c_scale > 1 && c_scale * fabs(test->beta) > range)
		c_scale /= 2;
	test->a = test->b = (struct value_spec){VALUES_INTEGER, (float)scale};
	test->c = (struct value_spec){VALUES_INTEGER, (float)c_scale};
	test->exact = true;
	return true;
}

static struct limits limits_of(const struct problem *problem, int max_dim)
{
	struct limits limits = {problem->min_dim > 1 ? problem->min_dim : 1, problem->max_dim};
	if (max_dim < limits.high)
		limits.high = max_dim > limits.low ? max_dim : limits.low;
	return limits;
}

bool case_has_multiple(const struct problem *problem, int max_dim, int multiple)
{
	struct limits limits = limits_of(problem, max_dim);
	return limits.high / multiple * multiple >= limits.low;
}

struct test_case case_generate(const struct problem *problem, uint64_t seed, size_t index,
							   enum case_sizes sizes, int max_dim, int multiple)
{
	struct draws run = {.seed = seed, .index = UINT32_MAX};
	struct draws draws = {.seed = seed, .index = index};
	struct limits limits = limits_of(problem, max_dim);
	struct test_case test = {.alpha = 1, .beta = 0};

	size_t count = sizeof families / sizeof families[0];
	size_t family_start = (size_t)draw_below(&run, (int)count);
	size_t exact_start = (size_t)draw_below(&run, 6);

	snprintf(test.name, sizeof test.name, "random-%zu", index);
	test.seed = (uint64_t)draw_word(&draws) << 32 | draw_word(&draws);
	enum family family = families[(index + family_start) % count];
	test.shape = sizes == CASE_SIZES_UNIFORM ? draw_uniform(&draws, limits)
											 : draw_mixed(&draws, problem, family, limits);
	for (int i = 0; i < 3 && multiple > 1; i++) {
		int *size = i == 0 ? &test.shape.m : i == 1 ? &test.shape.n : &test.shape.k;
		*size = size_of_multiple(limits, multiple, *size);
	}
	if (problem_has_vectors(problem))
		test.shape.n = 1;
	/* One case in six: 6 divides the number of families, so step aside once a round
	 * and every family gets its exact cases. */
	bool exact = (index + index / count + exact_start) % 6 == 0;
	if (problem_has_scalars(problem)) {
		if (exact)
			draw_exact_scalars(&draws, &test);
		else
			draw_scalars(&draws, &test);
	}
	/* Every min-plus case is exact, and small integers would only make most
	 * elements of C alike. */
	if (exact && problem->algebra == ALGEBRA_PLUS_TIMES && case_make_exact(&test, problem->dtype))
		return test;
	draw_operands(&draws, problem, &test);
	return test;
}

const char *const case_sizes_names[] = {
	[CASE_SIZES_MIXED] = "mixed", [CASE_SIZES_UNIFORM] = "uniform", NULL};

struct test_case case_of_shape(const struct problem *problem, struct shape shape, float alpha,
							   float beta, uint64_t seed)
{
	bool scalars = problem_has_scalars(problem);
	struct value_spec uniform = {VALUES_UNIFORM, 1.0f};
	struct test_case test = {
		.shape = shape,
		.alpha = scalars ? alpha : 1.0f,
		.beta = scalars ? beta : 0.0f,
		.a = uniform,
		.b = uniform,
		.c = uniform,
		.seed = seed,
	};
	char name[SHAPE_TEXT];
	shape_print(problem, &shape, name);
	snprintf(test.name, sizeof test.name, "%s", name);
	return test;
}

/* One size and the 'x' or the end after it. */
static bool parse_size(const char **text, char end, int max, int *out)
{
	char *rest;
	if (**text < '0' || **text > '9')
		return false;
	errno = 0;
	long value = strtol(*text, &rest, 10);
	if (errno != 0 || *rest != end || value < 1 || value > max)
		return false;
	*out = (int)value;
	*text = rest + (end != '\0');
	return true;
}

bool shape_parse(const char *text, int max, struct shape *out, struct error *err)
{
	const char *at = text;
	if (parse_size(&at, 'x', max, &out->m)) {
		const char *second = at;
		if (parse_size(&at, 'x', max, &out->n) && parse_size(&at, '\0', max, &out->k))
			return true;
		out->n = 0;
		if (parse_size(&second, '\0', max, &out->k))
			return true;
	}
	return error_set(
		err,
		"\"%.80s\" is no shape: write MxNxK, each from 1 to %d, such as 1024x512x64, or "
		"MxN for a matrix and a vector",
		text, max);
}

bool shape_fit(const struct problem *problem, struct shape *shape, struct error *err)
{
	char text[SHAPE_TEXT];
	bool vectors = problem_has_vectors(problem);
	if (vectors && shape->n == 0)
		shape->n = 1;
	if (vectors ? shape->n == 1 : shape->n > 0)
		return true;
	shape_print(NULL, shape, text);
	return error_set(err, "%s is no shape of %s, which takes %s", text, problem->name,
					 shape_legend(problem));
}

void shape_print(const struct problem *problem, const struct shape *shape, char out[SHAPE_TEXT])
{
	if (shape->n == 0 || (problem != NULL && problem_has_vectors(problem)))
		snprintf(out, SHAPE_TEXT, "%dx%d", shape->m, shape->k);
	else
		snprintf(out, SHAPE_TEXT, "%dx%dx%d", shape->m, shape->n, shape->k);
}

const char *shape_legend(const struct problem *problem)
{
	return problem != NULL && problem_has_vectors(problem) ? "MxN" : "MxNxK";
}

static const char *const distribution_names[] = {
	[VALUES_UNIFORM] = "uniform", [VALUES_NORMAL] = "normal",     [VALUES_INTEGER] = "integer",
	[VALUES_WIDE] = "wide",       [VALUES_POSITIVE] = "positive", [VALUES_ZERO] = "zero",
	[VALUES_NAN] = "nan",         [VALUES_SPECIAL] = "special",   [VALUES_LARGE] = "large",
};

const char *distribution_name(enum distribution distribution)
{
	size_t count = sizeof distribution_names / sizeof distribution_names[0];
	return (size_t)distribution < count ? distribution_names[distribution] : "unknown";
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
