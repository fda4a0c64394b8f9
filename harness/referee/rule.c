#include "referee/rule.h"

#include <float.h>
#include <math.h>

#include "referee/stage_inside.h"

/* Where a result before its last rounding begins to round to infinity: half a
 * unit in the last place above the largest number. Infinite where there is no infinity. */
static double overflow_threshold(const struct type *type)
{
	double u = type->unit_roundoff;
	return type->format.infinity != 0 ? type->largest * (1 + u / (2 - 2 * u)) : INFINITY;
}

/* What sums of the case's K products may lose, relative to |A||B|: a path's sums are as many as its
 * edges, which its magnitude counts. */
static double accumulation_of(const struct problem *problem, double k)
{
	if (problem->algebra == ALGEBRA_SHORTEST_PATHS)
		return 0x1p-24;
	return CHECK_CONSTANT * sqrt(k) * 0x1p-24 +
		   type_of(problem_part(problem, PART_LEFT)->type)->cut / sqrt(k);
}

/* Below f32's normal numbers each step loses up to a unit of 2^-149, whatever its size. Two of
 * them: README.md says what they have room for. Sums of lengths lose nothing there. */
static double underflow_of(const struct problem *problem, double k)
{
	return problem->algebra == ALGEBRA_PLUS_TIMES ? 2 * k * 0x1p-149 : 0;
}

/* Of the root's deviation: rounding errors of K steps, what tensor cores cut off in as
 * many, and what fp8 sums lose. README.md derives all three. */
#define DEVIATION_ROUNDING 0.75
#define DEVIATION_TRUNCATION 0.1
#define DEVIATION_CUT 0.03

/* f32 sums of three TF32 products that stay in a tensor core are cut off, too: for so many products
 * among values of both signs, and of one, until they have to be added to a sum in f32. Halves that
 * are cut and not rounded leave a part of each product out. */
#define TF32_DRIFT 0.09
#define TF32_DRIFT_PRODUCTS 1024
#define TF32_BIAS 0.16
#define TF32_BIAS_PRODUCTS 256
#define TF32_HALVES 4

static double rounding_deviation(const struct check_input *input, double k)
{
	return DEVIATION_ROUNDING * sqrt(k) * hypot(0x1p-24, input->product.unit_roundoff);
}

static double root_deviation(const struct check_input *input, double k)
{
	const struct type *inputs = type_of(problem_part(input->problem, PART_LEFT)->type);
	double truncation = DEVIATION_TRUNCATION * inputs->truncation * k * 0x1p-24;
	double halves = 0;
	if (inputs == type_of(DTYPE_F32)) {
		truncation = TF32_DRIFT * fmin(k, TF32_DRIFT_PRODUCTS) * 0x1p-24;
		halves = TF32_HALVES * 0x1p-24;
	}
	return hypot(hypot(rounding_deviation(input, k), truncation),
				 hypot(DEVIATION_CUT * inputs->cut, halves));
}

/* Of the result's own deviation, and of that of C, which a sum may begin with. */
static double result_deviation(const struct check_input *input, double k)
{
	const struct type *inputs = type_of(problem_part(input->problem, PART_LEFT)->type);
	double bias = inputs == type_of(DTYPE_F32) ? TF32_BIAS * fmin(k, TF32_BIAS_PRODUCTS) : 0;
	return hypot(rounding_deviation(input, k), bias * 0x1p-24);
}

struct check_rule check_rule_of(const struct check_input *input)
{
	const struct test_case *test = input->test;
	const struct problem *problem = input->problem;
	const struct type *type = type_of(problem_part(problem, PART_RESULT)->type);
	if (problem->file != NULL) /* the rest comes with each element */
		return (struct check_rule){.type = type,
								   .alpha = 1,
								   .tolerance = input->tolerance,
								   .threshold = overflow_threshold(type)};
	const struct type *inputs = type_of(problem_part(problem, PART_LEFT)->type);
	const float *scalar = test->scalar;
	double k = test->shape.size[SIZE_K];
	return (struct check_rule){
		.type = type,
		.alpha = (double)scalar[SCALAR_ALPHA] * (double)scalar[SCALAR_SCALE_LEFT] *
				 (double)scalar[SCALAR_SCALE_RIGHT],
		.beta = (double)scalar[SCALAR_BETA],
		.exact = test->exact || input->product.unit_roundoff == 0,
		.tolerance = input->tolerance,
		.accumulation = accumulation_of(problem, k),
		.truncation = inputs->truncation * k * 0x1p-24 + inputs->cut / 2,
		.reference = CHECK_CONSTANT * sqrt(k) * input->product.unit_roundoff,
		.underflow = underflow_of(problem, k),
		.root_least = 1 / sqrt(k),
		.deviation_of_root = root_deviation(input, k),
		.deviation_of_result = result_deviation(input, k),
		.threshold = overflow_threshold(type),
		.scales = {scalar[SCALAR_SCALE_LEFT], scalar[SCALAR_SCALE_RIGHT],
				   scalar[SCALAR_SCALE_RESULT]},
		.zero = (double)scalar[SCALAR_ZERO_RESULT],
	};
}

/* `certain` is how far the result before its last rounding may lie from `want`;
 * finding->bound has that rounding in it too. */
static double ratio_of(const struct check_rule *rule, double out, double certain,
					   struct check_finding *finding)
{
	double want = finding->want;
	if (isnan(want))
		return isnan(out) ? 0 : INFINITY;
	if (isinf(want))
		return out == want ? 0 : INFINITY;
	if (isinf(out)) {
		bool same_side = signbit(out) == signbit(want);
		return same_side && fabs(want) + certain >= rule->threshold ? 0 : INFINITY;
	}
	if (fabs(want) - certain >= rule->threshold) /* has to be infinite, and is not (or is NaN) */
		return INFINITY;
	finding->error = fabs(out - want);
	return ratio_to(finding->error, finding->bound);
}

/* The one rounding that is left: of `want`, known to `certain`, to an output. */
static struct check_finding finish(const struct check_rule *rule, double out, double want,
								   const struct reach *reach, bool exact)
{
	bool flat = rule->tolerance.kind == TOLERANCE_FLAT;
	struct check_finding finding = bounded(rule, want, reach, flat, exact);
	bool certainly = finding.bound == 0 && !flat;
	finding.ratio = ratio_of(rule, out, certainly ? 0 : reach->certain, &finding);
	finding.excess = excess_of(rule->type, &finding, reach);
	return finding;
}

/* ---- all errors together ------------------------------------------------------- */

void check_spread_add(struct check_spread *spread, const struct type *type,
					  const struct check_finding *finding)
{
	struct check_spread more = spread_of(type, finding);
	spread->squares += more.squares;
	spread->expected += more.expected;
	spread->fourth += more.fourth;
}

/* With room for what is left to chance: six standard deviations, and an element of four. */
double check_spread_ratio(const struct check_spread *spread)
{
	return sqrt(spread->squares / (spread->expected + 6 * sqrt(spread->fourth) + 16));
}

/* ---- results of integers ------------------------------------------------------- */

/* Operations in f32 between the sum and what is rounded to an integer, in any sensible order, and
 * one for a reciprocal. */
#define REQUANTISE_ROUNDINGS 6

/* Whether every sensible order of f32 operations gives exactly `value`. */
static bool f32_is_exact(const float scales[3], double sum, double value)
{
	float s = (float)sum, a = scales[0], b = scales[1], c = scales[2];
	const float orders[] = {s * a * b / c,   s * (a * b) / c, s * (a * b / c),
							s * a * (b / c), s * b * (a / c), s * (a * b) * (1.0f / c)};
	bool exact = (double)s == sum;
	for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
		exact = exact && (double)orders[i] == value;
	return exact;
}

static double saturated(const struct check_rule *rule, double value)
{
	const struct number_format *format = &rule->type->format;
	return fmin(fmax(rint(value) + rule->zero, format->lowest), format->highest);
}

/* Any integer that f32 arithmetic may come to is right: one, but near a tie. */
static struct check_finding check_integer(const struct check_rule *rule,
										  const struct check_element *element)
{
	double value = element->product * (double)rule->scales[0] * (double)rule->scales[1] /
				   (double)rule->scales[2];
	double reach = REQUANTISE_ROUNDINGS * 0x1p-24 * fabs(value);
	double low = saturated(rule, value - reach), high = saturated(rule, value + reach);
	struct check_finding finding = {.want = saturated(rule, value)};
	if (low != high && f32_is_exact(rule->scales, element->product, value))
		low = high = finding.want;
	if (rule->tolerance.kind == TOLERANCE_FLAT)
		finding.bound = rule->tolerance.atol + rule->tolerance.rtol * fabs(finding.want);
	finding.error = fabs(element->out - finding.want);
	bool right = (element->out >= low && element->out <= high) || finding.error <= finding.bound;
	finding.ratio = right ? 0 : INFINITY;
	return finding;
}

struct check_finding check_one(const struct check_rule *rule, const struct check_element *element)
{
	if (rule->type->format.is_integer)
		return check_integer(rule, element);
	struct reach reach;
	if (element->bound != NULL && isinf(element->bound->error)) /* a divisor may be 0 */
		return (struct check_finding){
			.want = element->bound->value, .bound = INFINITY, .error = NAN};
	if (element->bound != NULL) {
		reach = (struct reach){.certain = element->bound->error,
							   .deviation = element->bound->deviation};
		return finish(rule, element->out, element->bound->value, &reach, false);
	}
	double want = reach_of(rule, kind_of(rule), element, &reach);
	return finish(rule, element->out, want, &reach, rule->exact);
}

/* ---- through a chain --------------------------------------------------------- */

/* The accumulator as the first stage gets it: the scales of its operands are in it. */
struct carried rule_begin(const struct check_rule *rule, struct check_element element)
{
	struct carried value = begun(rule, &element);
	stage_settle(&value);
	return value;
}

struct check_finding rule_finish(const struct check_rule *rule, double out,
								 const struct carried *value)
{
	if (isinf(value->error)) /* anything may be right */
		return (struct check_finding){.want = value->x, .bound = INFINITY, .error = NAN};
	if (value->or_nan && isnan(out))
		return (struct check_finding){.want = out, .error = NAN};
	struct reach reach = reach_behind(rule, value);
	return finish(rule, out, value->x, &reach, value->exact);
}

/* ---- what stages write ----------------------------------------------------------- */

/* Any integer that a value may round to. A NaN has none, so that any is right. */
static struct check_finding finish_integer(const struct check_rule *rule, double out,
										   const struct carried *value)
{
	struct check_rule plain = *rule;
	plain.zero = 0;
	double error = isinf(value->x) ? 0 : (double)value->error;
	if (isnan(value->x) || value->or_nan || isinf(error))
		return (struct check_finding){.want = value->x, .bound = INFINITY, .error = NAN};
	double low = saturated(&plain, value->x - error), high = saturated(&plain, value->x + error);
	struct check_finding finding = {.want = saturated(&plain, value->x)};
	if (rule->tolerance.kind == TOLERANCE_FLAT)
		finding.bound = rule->tolerance.atol + rule->tolerance.rtol * fabs(finding.want);
	finding.error = fabs(out - finding.want);
	bool right = (out >= low && out <= high) || finding.error <= finding.bound;
	finding.ratio = right ? 0 : INFINITY;
	return finding;
}

struct check_finding rule_written(const struct check_rule *rule, const struct type *type,
								  double out, const struct carried *value)
{
	struct check_rule typed = *rule;
	struct carried kept = *value;
	typed.type = type;
	typed.threshold = overflow_threshold(type);
	if (type->format.is_integer)
		return finish_integer(&typed, out, value);
	if (type->format.infinity == 0 && fabs(kept.x) > type->largest)
		kept.x = copysign(type->largest, kept.x); /* no infinity: the largest number instead */
	return rule_finish(&typed, out, &kept);
}
