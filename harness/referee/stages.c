#include "referee/stages.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "testcases/values.h"

#define F32_ROUNDOFF 0x1p-24
#define F32_THRESHOLD (0x1p128 - 0x1p103) /* from here on f32 rounds to infinity */
#define ULP_ALLOWED 2.0

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

static double apply_relu(double x, const double *members)
{
	(void)members;
	return x < 0 ? 0 : x;
}

static double apply_sigmoid(double x, const double *members)
{
	(void)members;
	return logistic(x);
}

static double apply_leaky_relu(double x, const double *members)
{
	return x < 0 ? members[0] * x : x;
}

static double apply_clamp(double x, const double *members)
{
	return x < members[0] ? members[0] : x > members[1] ? members[1] : x;
}

/* 1 + tanh(u) = 2 / (1 + exp(-2u)). */
static double apply_gelu(double x, const double *members)
{
	(void)members;
	return gated(x, logistic(2 * sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}

static double apply_gelu_erf(double x, const double *members)
{
	(void)members;
	return gated(x, erfc(-x / M_SQRT2) / 2);
}

static double apply_silu(double x, const double *members)
{
	(void)members;
	return gated(x, logistic(x));
}

static double apply_tanh(double x, const double *members)
{
	(void)members;
	return tanh(x);
}

static double apply_sum(double x, const double *members)
{
	return x + members[0];
}

static double apply_product(double x, const double *members)
{
	return x * members[0];
}

static double apply_save(double x, const double *members)
{
	(void)members;
	return x;
}

static double apply_relu_grad(double x, const double *members)
{
	return members[0] > 0 ? x : 0;
}

static const struct stage_reference references[] = {
	{"relu", STAGE_MOVES, apply_relu},
	{"sigmoid", STAGE_FUNCTION, apply_sigmoid},
	{"leaky_relu", STAGE_ROUNDS, apply_leaky_relu},
	{"clamp", STAGE_MOVES, apply_clamp},
	{"gelu", STAGE_FUNCTION, apply_gelu},
	{"gelu_erf", STAGE_FUNCTION, apply_gelu_erf},
	{"silu", STAGE_FUNCTION, apply_silu},
	{"tanh", STAGE_FUNCTION, apply_tanh},
	{"bias", STAGE_ROUNDS, apply_sum},
	{"bias_rows", STAGE_ROUNDS, apply_sum},
	{"residual", STAGE_ROUNDS, apply_sum},
	{"scale_cols", STAGE_ROUNDS, apply_product},
	{"save", STAGE_MOVES, apply_save},
	{"relu_grad", STAGE_MOVES, apply_relu_grad},
};

const struct stage_reference *stage_find(const struct chain_stage *stage)
{
	for (size_t i = 0; stage->shipped && i < sizeof references / sizeof *references; i++)
		if (strcmp(references[i].name, stage->name) == 0)
			return &references[i];
	return NULL;
}

bool stage_is_alpha_beta(const struct chain_stage *stage)
{
	return stage->shipped && strcmp(stage->name, "alpha_beta") == 0;
}

/* ---- errors ------------------------------------------------------------------- */

double stage_ulp(enum dtype type, double y)
{
	if (!isfinite(y))
		return 0;
	int exponent = y != 0 ? ilogb(y) : INT32_MIN;
	if (exponent < values_smallest_exponent(type))
		exponent = values_smallest_exponent(type);
	return ldexp(1, exponent - values_precision(type) + 1);
}

/* Rounded up: it is a bound. */
static void set_error(struct carried *value, double error)
{
	value->error = error > 0 ? (float)(error * (1 + 0x1p-20)) + FLT_TRUE_MIN : 0;
	if (isnan(error))
		value->error = INFINITY;
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

/* The stage's own part, and whether the result is still exact. */
static void settle_result(struct carried *value, double y, double spread, double own, bool exact)
{
	value->exact = value->exact && exact && isfinite(y) && (double)(float)y == y;
	value->x = y;
	set_error(value, value->exact ? 0 : spread + (isfinite(y) ? own : 0));
	stage_settle(value);
}

void stage_carry(const struct stage_reference *reference, const double *members, enum dtype type,
				 struct carried *value)
{
	static const double places[] = {-1, -0.5, 0.5, 1};
	if (isinf(value->error))
		return;
	double y = reference->apply(value->x, members), spread = 0;
	if (!value->exact && value->error > 0)
		for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
			double x = value->x + places[i] * (double)value->error;
			double d = distance(y, reference->apply(x, members));
			spread = d > spread ? d : spread;
		}
	double own = reference->accuracy == STAGE_FUNCTION ? ULP_ALLOWED * stage_ulp(type, y)
				 : reference->accuracy == STAGE_ROUNDS ? F32_ROUNDOFF * fabs(y) + FLT_TRUE_MIN
													   : 0;
	settle_result(value, y, spread, own, reference->accuracy != STAGE_FUNCTION);
}

void stage_alpha_beta(float alpha, float beta, double c, double accumulation, struct carried *value)
{
	if (isinf(value->error))
		return;
	double scaled = (double)alpha * value->x, added = beta != 0 ? (double)beta * c : 0;
	double y = beta != 0 ? scaled + added : scaled;
	double own =
		2 * F32_ROUNDOFF * (fabs(scaled) + fabs(y)) + accumulation * fabs(added) + FLT_TRUE_MIN;
	bool exact = (double)(float)scaled == scaled && (double)(float)added == added;
	settle_result(value, y, fabs((double)alpha) * (double)value->error, own, exact);
}

void stage_take(const float y[3], enum dtype type, struct carried *value)
{
	double middle = (double)y[0];
	double low = distance(middle, (double)y[1]), high = distance(middle, (double)y[2]);
	if (isinf(value->error))
		return;
	settle_result(value, middle, fmax(low, high), ULP_ALLOWED * stage_ulp(type, middle), false);
}
