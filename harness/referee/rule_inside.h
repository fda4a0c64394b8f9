/* The arithmetic of rule.c, which block.c does on many elements at once: one text, and so the same
 * bits. Nothing here branches on an element, so that compilers make vector instructions of loops
 * around it. Internal to referee/. */
#ifndef GEMMJUDGE_REFEREE_RULE_INSIDE_H
#define GEMMJUDGE_REFEREE_RULE_INSIDE_H

#include <float.h>
#include <math.h>
#include <string.h>

#include "referee/check.h"

#define EXPONENT_BITS (0x7FFull << 52) /* of an f64 */

static inline uint64_t bits_of(double x)
{
	uint64_t bits;
	memcpy(&bits, &x, sizeof bits);
	return bits;
}

static inline double double_of(uint64_t bits)
{
	double x;
	memcpy(&x, &bits, sizeof x);
	return x;
}

static inline double power_of_two(int exponent)
{
	return double_of((uint64_t)(exponent + 1023) << 52);
}

static inline double least_of(double x, double y)
{
	return x < y ? x : y;
}

static inline double most_of(double x, double y)
{
	return x > y ? x : y;
}

/* A unit in the last place of the format at y, a power of two; y is no NaN. No type's unit is below
 * f64's normal numbers. */
static inline double unit_of(const struct number_format *format, double y)
{
	double magnitude = most_of(fabs(y), power_of_two(format->smallest_exponent));
	return double_of(bits_of(magnitude) & EXPONENT_BITS) * power_of_two(1 - format->precision);
}

/* Of a power of two: exact. */
static inline double reciprocal_of(double power)
{
	return double_of((2046ull << 52) - bits_of(power));
}

/* The multiple of the format's unit that is nearest to x, to even: x has no more than 2^40 units.
 */
static inline double near_of(const struct number_format *format, double x)
{
	double round = 0x1.8p52 * unit_of(format, x); /* its unit, in f64, is the format's at x */
	return x + round - round;
}

/* x rounded to the format, whose largest number is `most`: what values_from_double() makes of it.
 */
static inline double rounded(const struct number_format *format, double most, double x)
{
	double near = fabs(near_of(format, x));
	return copysign(near <= most ? near : format->infinity != 0 ? INFINITY : most, x);
}

/* How far a result before its last rounding may lie from the reference: `certain`, of which `known`
 * is no rounding error of a sum; those have a standard deviation of at most `deviation`, or 0:
 * nothing is known of it. */
struct reach {
	double certain, known, deviation;
};

/* What the product may be off before its scales, beside the sum's rounding errors: steps that
 * underflow, and weights that are rounded first. What that moves is rounded with the result. */
static inline double apart_from_sums(const struct check_rule *rule,
									 const struct check_element *element)
{
	return rule->underflow + (1 + rule->type->unit_roundoff) * fabs(element->rest);
}

/* The square of the deviation of an element's sum, before its scales; 0: not known. A root of the
 * sum of squares lies between |A||B|/sqrt(K) and |A||B|. */
static inline double variance_of(const struct check_rule *rule, const struct check_element *element)
{
	double least = rule->root_least * element->magnitude, most = element->magnitude;
	double square = least_of(most_of(element->squares, least * least), most * most);
	double of_root = rule->deviation_of_root * rule->deviation_of_root;
	double of_result = rule->deviation_of_result * element->product;
	bool known = (element->squares > 0) & (fabs(element->product) <= DBL_MAX);
	return known ? of_root * square + of_result * of_result : 0;
}

/* What is the same for all elements of a rule. */
struct rule_kind {
	bool multiplies; /* alpha is not 0 */
	bool scales;     /* two products and their sum are rounded, not the one sum alone */
	bool reads_c;    /* BLAS: C is not read when beta is 0, whatever it holds */
	bool flat;
};

static inline struct rule_kind kind_of(const struct check_rule *rule)
{
	return (struct rule_kind){.multiplies = rule->alpha != 0,
							  .scales = rule->alpha != 1 || rule->beta != 0,
							  .reads_c = rule->beta != 0,
							  .flat = rule->tolerance.kind == TOLERANCE_FLAT};
}

/* What the element should be, of a plain product, and how far from that it may lie. */
static inline double reach_of(const struct check_rule *rule, struct rule_kind kind,
							  const struct check_element *element, struct reach *reach)
{
	double scale = fabs(rule->alpha), want = rule->alpha * element->product;
	double added = kind.reads_c ? rule->beta * element->c : 0;
	double magnitude = kind.multiplies ? scale * element->magnitude : 0;
	double known = kind.multiplies ? scale * apart_from_sums(rule, element) : 0;
	double variance = kind.multiplies ? scale * scale * variance_of(rule, element) : 0;
	known += fabs(want) <= DBL_MAX ? rule->truncation * fabs(want) : 0;
	reach->certain = (rule->accumulation + rule->reference) * magnitude + known;
	if (kind.scales)
		known += 2 * 0x1p-24 * (fabs(want) + fabs(added));
	if (kind.reads_c) { /* A sum may begin with it: each step is rounded, or cut off, as C is large.
						 */
		double deviation = rule->deviation_of_result * added;
		known += 2 * rule->truncation * fabs(added);
		variance += deviation * deviation;
		want += added;
		reach->certain += rule->accumulation * fabs(added);
	}
	reach->known = known;
	reach->deviation = sqrt(variance);
	return want;
}

/* What is right around `want`: the one rounding that is left is of it, to an output. */
static inline struct check_finding bounded(const struct check_rule *rule, double want,
										   const struct reach *reach, bool flat, bool exact)
{
	struct check_finding finding = {.want = want, .error = NAN};
	double rounding =
		rule->type->unit_roundoff * fabs(want) + reach->certain + rule->type->smallest;
	bool fits = exact & (rounded(&rule->type->format, rule->type->largest, want) == want);
	finding.bound = fits ? 0 : rounding;
	finding.deviation = fits ? 0 : reach->deviation;
	if (flat) {
		finding.bound = rule->tolerance.atol + rule->tolerance.rtol * fabs(want);
		finding.deviation = 0;
	}
	return finding;
}

/* Of a finite error: 0 .. 1 where it is within the bound. */
static inline double ratio_to(double error, double bound)
{
	double ratio = error / bound;
	double right = bound > 0 ? ratio : 0, wrong = ratio > 1 ? ratio : INFINITY;
	return error <= bound ? right : wrong;
}

/* What half a unit in the last place of what is rounded, which may be in the next binade, and the
 * known part leave of an error; of a NaN a NaN. */
static inline double excess_of(const struct type *type, const struct check_finding *finding,
							   const struct reach *reach)
{
	double half = unit_of(&type->format, fabs(finding->want) + reach->known) / 2;
	double rest = finding->error - (half + reach->known);
	return rest <= 0 ? 0 : rest;
}

/* What an element adds to all errors together. What is left of an error when half a unit h in the
 * last place is taken off it is known for errors far below h and far above it: of a normal one with
 * deviation s, its second power is on average 0.266 s^3/h and s^2 at most, its fourth 0.64 s^5/h
 * and 3 s^4. */
static inline struct check_spread spread_of(const struct type *type,
											const struct check_finding *finding)
{
	bool counts = (finding->deviation >= (double)FLT_MIN) & (finding->excess <= DBL_MAX);
	double over = finding->excess / finding->deviation;
	double step = 2 * finding->deviation * reciprocal_of(unit_of(&type->format, finding->want));
	return (struct check_spread){.squares = counts ? over * over : 0,
								 .expected = counts ? least_of(0.266 * step, 1) : 0,
								 .fourth = counts ? least_of(0.64 * step, 3) : 0};
}

#endif
