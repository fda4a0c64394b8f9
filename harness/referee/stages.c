#include "referee/stages.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "referee/stage_inside.h"

/* ---- the stages --------------------------------------------------------------- */

/* 1 / (1 + exp(-x)); exp overflows to infinity where the quotient is 0 anyway. */
static double logistic(double x)
{
	return 1.0 / (1.0 + exp(-x));
}

/* x * gate(x) where the gate is 0 at -inf, which the product has to reach too. */
static double gated(double x, double gate)
{
	return isinf(x) && x < 0 ? -0.0 : x * gate;
}

static double apply_relu(double x, const double *members, const struct stage_coordinate *place)
{
	(void)members, (void)place;
	return x < 0 ? 0 : x;
}

static double apply_sigmoid(double x, const double *members, const struct stage_coordinate *place)
{
	(void)members, (void)place;
	return logistic(x);
}

static double apply_leaky_relu(double x, const double *members,
							   const struct stage_coordinate *place)
{
	(void)place;
	return x < 0 ? members[0] * x : x;
}

static double apply_clamp(double x, const double *members, const struct stage_coordinate *place)
{
	(void)place;
	return x < members[0] ? members[0] : x > members[1] ? members[1] : x;
}

/* 1 + tanh(u) = 2 / (1 + exp(-2u)). */
static double apply_gelu(double x, const double *members, const struct stage_coordinate *place)
{
	(void)members, (void)place;
	return gated(x, logistic(2 * sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}

static double apply_gelu_erf(double x, const double *members, const struct stage_coordinate *place)
{
	(void)members, (void)place;
	return gated(x, erfc(-x / M_SQRT2) / 2);
}

static double apply_silu(double x, const double *members, const struct stage_coordinate *place)
{
	(void)members, (void)place;
	return gated(x, logistic(x));
}

static double apply_tanh(double x, const double *members, const struct stage_coordinate *place)
{
	(void)members, (void)place;
	return tanh(x);
}

static double apply_sum(double x, const double *members, const struct stage_coordinate *place)
{
	(void)place;
	return x + members[0];
}

static double apply_product(double x, const double *members, const struct stage_coordinate *place)
{
	(void)place;
	return x * members[0];
}

static double apply_save(double x, const double *members, const struct stage_coordinate *place)
{
	(void)members, (void)place;
	return x;
}

static double apply_alpha_beta(double x, const double *members,
							   const struct stage_coordinate *place)
{
	(void)members;
	return place->beta != 0 ? place->alpha * x + place->beta * place->c : place->alpha * x;
}

static double apply_relu_grad(double x, const double *members, const struct stage_coordinate *place)
{
	(void)place;
	return members[0] > 0 ? x : 0;
}

static double apply_hardswish(double x, const double *members, const struct stage_coordinate *place)
{
	(void)members, (void)place;
	return x <= -3 ? 0 : x >= 3 ? x : x * (x + 3) / 6;
}

/* epilogues/dropout.cuh says which. */
static bool is_dropped(float rate, float seed, const struct stage_coordinate *place)
{
	uint32_t bits;
	memcpy(&bits, &seed, sizeof bits);
	bits = bits * 0x9E3779B9u ^ place->row;
	bits = (bits ^ bits >> 16) * 0x7FEB352Du ^ place->column;
	bits = (bits ^ bits >> 15) * 0x846CA68Bu;
	bits = (bits ^ bits >> 16) * 0x9E3779B9u;
	return (float)(bits >> 8) * 0x1p-24f < rate;
}

static double apply_dropout(double x, const double *members, const struct stage_coordinate *place)
{
	float rate = (float)members[0];
	return is_dropped(rate, (float)members[1], place) ? 0 : x * (double)(1.0f / (1.0f - rate));
}

/* apply_NAME() of many elements, in a loop without a call for each. */
#define EACH(name)                                                                                 \
	static void each_##name(const double *x, const struct stage_elements *of, double *restrict y)  \
	{                                                                                              \
		for (uint32_t i = 0; i < of->count; i++)                                                   \
			y[i] = apply_##name(x[i], of->members[i], &of->places[i]);                             \
	}
EACH(relu)
EACH(sigmoid)
EACH(leaky_relu)
EACH(clamp)
EACH(gelu)
EACH(gelu_erf)
EACH(silu)
EACH(tanh)
EACH(sum)
EACH(product)
EACH(save)
EACH(alpha_beta)
EACH(relu_grad)
EACH(hardswish)
EACH(dropout)

static double write_magnitude(double y, const double *members, const struct stage_coordinate *place)
{
	(void)members, (void)place;
	return fabs(y);
}

static double finish_scale(double largest, const double *members,
						   const struct stage_coordinate *place)
{
	(void)members, (void)place;
	return 448 / largest;
}

static const struct stage_form form_sigmoid = {
	.relative = 10, .of_one = 3, .approximate = 0x1p-12, .largest = 1};
static const struct stage_form form_silu = {
	.relative = 12, .of_x = 3, .approximate = 0x1p-12, .largest = 1, .nan_at_end = true};
static const struct stage_form form_gelu = {
	.relative = 12, .of_x = 12, .largest = 2, .nan_at_end = true};
static const struct stage_form form_gelu_erf = {
	.relative = 12, .of_x = 4, .largest = 2, .nan_at_end = true};
static const struct stage_form form_tanh = {.relative = 4, .of_one = 16, .largest = 1};
static const struct stage_form form_hardswish = {
	.relative = 6, .of_x = 2, .largest = 6, .nan_at_end = true};

#define APPLY(name) .apply = apply_##name, .each = each_##name

static const struct stage_reference references[] = {
	{.name = "alpha_beta", .accuracy = STAGE_SCALES, APPLY(alpha_beta)},
	{.name = "relu", .accuracy = STAGE_MOVES, APPLY(relu)},
	{.name = "sigmoid", .accuracy = STAGE_FUNCTION, .form = &form_sigmoid, APPLY(sigmoid)},
	{.name = "leaky_relu", .accuracy = STAGE_ROUNDS, APPLY(leaky_relu)},
	{.name = "clamp", .accuracy = STAGE_MOVES, APPLY(clamp)},
	{.name = "gelu", .accuracy = STAGE_FUNCTION, .form = &form_gelu, APPLY(gelu)},
	{.name = "gelu_erf", .accuracy = STAGE_FUNCTION, .form = &form_gelu_erf, APPLY(gelu_erf)},
	{.name = "silu", .accuracy = STAGE_FUNCTION, .form = &form_silu, APPLY(silu)},
	{.name = "tanh", .accuracy = STAGE_FUNCTION, .form = &form_tanh, APPLY(tanh)},
	{.name = "bias", .accuracy = STAGE_ROUNDS, APPLY(sum)},
	{.name = "bias_rows", .accuracy = STAGE_ROUNDS, APPLY(sum)},
	{.name = "residual", .accuracy = STAGE_ROUNDS, APPLY(sum)},
	{.name = "scale_cols", .accuracy = STAGE_ROUNDS, APPLY(product)},
	{.name = "save", .accuracy = STAGE_MOVES, APPLY(save)},
	{.name = "hardswish", .accuracy = STAGE_FUNCTION, .form = &form_hardswish, APPLY(hardswish)},
	{.name = "dropout", .accuracy = STAGE_ROUNDS, APPLY(dropout)},
	{.name = "scale_rows", .accuracy = STAGE_ROUNDS, APPLY(product)},
	{.name = "scale_blocks", .accuracy = STAGE_ROUNDS, APPLY(product)},
	{.name = "quantise_e4m3", APPLY(save), .written = apply_product},
	{.name = "quantise_s8", APPLY(save), .written = apply_product},
	{.name = "amax", APPLY(save), .written = write_magnitude},
	{.name = "scale_for_e4m3", APPLY(save), .written = write_magnitude, .finished = finish_scale},
	{.name = "row_sums", APPLY(save)},
	{.name = "row_sums_deterministic", APPLY(save)},
	{.name = "swiglu", APPLY(save), .gate = apply_silu, .form = &form_silu},
	{.name = "geglu", APPLY(save), .gate = apply_gelu, .form = &form_gelu},
	{.name = "relu_grad", .accuracy = STAGE_MOVES, APPLY(relu_grad)},
};

const struct stage_reference *stage_find(const struct chain_stage *stage)
{
	for (size_t i = 0; stage->shipped && i < sizeof references / sizeof *references; i++)
		if (strcmp(references[i].name, stage->name) == 0)
			return &references[i];
	return NULL;
}

/* ---- errors ------------------------------------------------------------------- */

double stage_ulp(const struct type *type, double y)
{
	return isfinite(y) ? unit_of(&type->format, y) : 0;
}

void stage_settle(struct carried *value)
{
	double magnitude = fabs(value->x), error = (double)value->error;
	if (!isfinite(value->x)) {
		if (!isinf(value->error))
			value->error = 0;
		return;
	}
	if (magnitude - error >= F32_THRESHOLD) {
		value->x = copysign(INFINITY, value->x);
		value->error = 0;
	} else if (magnitude + error >= F32_THRESHOLD) {
		value->error = INFINITY;
	}
}

static double distance(double y, double other)
{
	if (isnan(y) && isnan(other))
		return 0;
	if (y == other) /* infinities too */
		return 0;
	double d = fabs(y - other);
	return isnan(d) ? INFINITY : d;
}

/* `spread` is what became of the error. */
static void settle_result(struct carried *value, double y, double spread, double own, bool exact)
{
	*value = staged(value, y, spread, own, exact);
	if (isnan(spread + (isfinite(y) ? own : 0)) && !value->exact)
		value->error = INFINITY;
	stage_settle(value);
}

static bool is_lowest(double x)
{
	return isinf(x) && x < 0;
}

void stage_carry(const struct stage_reference *reference, const double *members,
				 const struct stage_coordinate *place, struct carried *value)
{
	static const double places[] = {-1, -0.5, 0.5, 1};
	if (isinf(value->error))
		return;
	double y = reference->apply(value->x, members, place), spread = 0;
	if (!value->exact && value->error > 0)
		for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
			double x = value->x + places[i] * (double)value->error;
			double d = distance(y, reference->apply(x, members, place));
			spread = d > spread ? d : spread;
		}
	bool exact = stays_exact(reference, value->x, place);
	if (reference->accuracy == STAGE_FUNCTION && reference->form->nan_at_end && is_lowest(value->x))
		value->or_nan = true;
	else if (value->or_nan)
		value->or_nan = isnan(reference->apply(NAN, members, place));
	settle_result(value, y, spread, own_error(reference, value, y, place), exact);
}

void stage_write(const struct stage_reference *reference, const double *members,
				 const struct stage_coordinate *place, struct carried *value)
{
	struct stage_reference written = {.accuracy = STAGE_ROUNDS, .apply = reference->written};
	if (reference->written != NULL)
		stage_carry(&written, members, place, value);
}

void stage_finish(const struct stage_reference *reference, struct carried *value)
{
	const struct stage_reference finished = {.accuracy = STAGE_ROUNDS,
											 .apply = reference->finished};
	const struct stage_coordinate nowhere = {.row = 0};
	stage_carry(&finished, NULL, &nowhere, value);
}

struct carried stage_pair(const struct stage_reference *reference,
						  const struct stage_coordinate *place, const struct carried *x,
						  const struct carried *next)
{
	static const double sides[] = {-1, -0.5, 0, 0.5, 1};
	double gate = reference->gate(x->x, NULL, place), spread = 0;
	double of_x = x->exact ? 0 : (double)x->error, of_next = next->exact ? 0 : (double)next->error;
	struct carried value = {.x = gate * next->x, .error = x->error + next->error};
	value.known = x->known + next->known;
	value.deviation = hypotf(x->deviation, next->deviation);
	value.or_nan = x->or_nan || next->or_nan || is_lowest(x->x);
	double own = form_error(reference->form, fabs(x->x) + of_x, gate, place->type) *
					 (fabs(next->x) + of_next) +
				 2 * F32_ROUNDOFF * fabs(value.x) + F32_SMALLEST;
	for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
		double y = reference->gate(x->x + sides[i] * of_x, NULL, place);
		spread = fmax(spread, distance(value.x, y * (next->x - of_next)));
		spread = fmax(spread, distance(value.x, y * (next->x + of_next)));
	}
	if (isinf(of_x) || isinf(of_next))
		spread = INFINITY;
	settle_result(&value, value.x, spread, own, false);
	return value;
}

void stage_take(const float y[3], const struct type *type, struct carried *value)
{
	double middle = (double)y[0];
	double low = distance(middle, (double)y[1]), high = distance(middle, (double)y[2]);
	if (value->or_nan) /* what the stage makes of a NaN is not known */
		value->error = INFINITY;
	if (isinf(value->error))
		return;
	settle_result(value, middle, fmax(low, high), ULP_ALLOWED * stage_ulp(type, middle), false);
}
