/* The arithmetic of stages.c, which block.c does on many elements at once: one text, and so the
 * same bits, as in rule_inside.h. Internal to referee/. */
#ifndef GEMMJUDGE_REFEREE_STAGE_INSIDE_H
#define GEMMJUDGE_REFEREE_STAGE_INSIDE_H

#include "referee/rule_inside.h"

#define F32_ROUNDOFF 0x1p-24
#define F32_THRESHOLD (0x1p128 - 0x1p103) /* from here on f32 rounds to infinity */
#define ULP_ALLOWED 2.0                   /* of the output type, for our own stages */
#define F32_SMALLEST 0x1p-126             /* below it f32 code may have 0 */

static inline bool fits_f32(double x)
{
	return (double)(float)x == x;
}

/* Rounded up: it is a bound. */
static inline float error_above(double error)
{
	return error > 0 ? (float)(error * (1 + 0x1p-20)) + FLT_TRUE_MIN : 0;
}

/* The accumulator as the first stage gets it, before stage_settle(): the scales of its operands are
 * in it. */
static inline struct carried begun(const struct check_rule *rule,
								   const struct check_element *element)
{
	double scale = (double)rule->scales[0] * (double)rule->scales[1];
	double product = element->product * scale;
	double known = fabs(scale) * apart_from_sums(rule, element) + rule->truncation * fabs(product);
	double error =
		fabs(scale) * ((rule->accumulation + rule->reference) * element->magnitude) + known;
	error = fabs(product) <= DBL_MAX ? error : 0; /* else every order of summing comes to it */
	return (struct carried){.x = product,
							.error = (float)(error * (1 + 0x1p-20)) + FLT_TRUE_MIN,
							.known = (float)known,
							.deviation = (float)(fabs(scale) * sqrt(variance_of(rule, element))),
							.exact = rule->exact & fits_f32(product)};
}

/* What a function's own arithmetic may add, at inputs up to |x|. */
static inline double form_error(const struct stage_form *form, double x, double y,
								const struct type *type)
{
	double of = form->of_x > 0 ? fabs(x) : 1;
	of = fabs(x) <= DBL_MAX ? of : 1; /* the ends are exact */
	double textbook = F32_ROUNDOFF * (form->relative * fabs(y) + (form->of_x + form->of_one) * of) +
					  F32_SMALLEST * (1 + of);
	if (type->format.precision < 24)
		textbook += form->approximate * of;
	double error = most_of(ULP_ALLOWED * unit_of(&type->format, y), textbook);
	return form->largest * fabs(y) >= F32_THRESHOLD ? INFINITY : error;
}

/* What the stage's own arithmetic may add. */
static inline double own_error(const struct stage_reference *reference, const struct carried *value,
							   double y, const struct stage_coordinate *place)
{
	double added = place->beta * place->c, x = value->x;
	switch (reference->accuracy) {
	case STAGE_MOVES: break;
	case STAGE_ROUNDS: return F32_ROUNDOFF * fabs(y) + (double)FLT_TRUE_MIN;
	case STAGE_SCALES:
		return 2 * F32_ROUNDOFF * (fabs(place->alpha * x) + fabs(y)) +
			   place->accumulation * fabs(added) + (double)FLT_TRUE_MIN;
	case STAGE_FUNCTION:
		return form_error(reference->form, fabs(x) + (double)value->error, y, place->type);
	}
	return 0;
}

/* Whether the stage is exact in f32 at a value that is. */
static inline bool stays_exact(const struct stage_reference *reference, double x,
							   const struct stage_coordinate *place)
{
	if (reference->accuracy == STAGE_SCALES)
		return fits_f32(place->alpha * x) & fits_f32(place->beta * place->c);
	return reference->accuracy != STAGE_FUNCTION;
}

/* The value behind a stage, before stage_settle(): the stage's own part, and whether the result is
 * still exact. `spread` is what became of the error. */
static inline struct carried staged(const struct carried *value, double y, double spread,
									double own, bool exact)
{
	struct carried staged = *value;
	bool finite = fabs(y) <= DBL_MAX, moves = (value->error > 0) & (spread <= DBL_MAX);
	double slope = moves ? spread / (double)value->error : 0;
	own = finite ? own : 0;
	staged.known = (float)(slope * (double)value->known + own);
	staged.deviation = value->deviation * (float)slope;
	staged.exact = value->exact & exact & finite & fits_f32(y);
	staged.x = y;
	staged.error = error_above(staged.exact ? 0 : spread + own);
	return staged;
}

/* How far the last stage's value may lie from x before it is rounded to an output. What the error
 * moves is rounded with the result, which counts where the result is small. */
static inline struct reach reach_behind(const struct check_rule *rule, const struct carried *value)
{
	double more = 1 + rule->type->unit_roundoff;
	return (struct reach){.certain = more * (double)value->error,
						  .known = more * (double)value->known,
						  .deviation = (double)value->deviation};
}

#endif
