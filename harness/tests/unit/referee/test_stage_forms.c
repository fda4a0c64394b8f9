/* links: referee_core chain testcases base */
/* Functions as people write them, with the errors that CUDA's manual allows its own functions, are
 * right in every type of output; other functions are not. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>

#include "referee/rule.h"
#include "testcases/values.h"

#define EACH 2000 /* values of a kind */

static uint32_t state;

static uint32_t next_bits(void)
{
	state = state * 1664525u + 1013904223u;
	return state >> 8;
}

static float uniform(void)
{
	return (float)next_bits() * 0x1p-24f;
}

/* As far off as it may be, up or down. */
static float off(double y, double relative)
{
	return (float)(y * (1 + (next_bits() % 2 == 0 ? relative : -relative)));
}

/* As off() for a function with limits of -1 and 1, which it has at infinities. */
static float off_within_one(double y, double x, double relative)
{
	return isinf(x) ? (float)y : fminf(fmaxf(off(y, relative), -1), 1);
}

/* ---- what the manual says of CUDA's functions, in units of 2^-23 ------------------ */

#define UNIT 0x1p-23

static float cuda_exp(float x)
{
	return off(exp((double)x), 2 * UNIT);
}

static float cuda_tanh(float x)
{
	return isnan(x) ? x : off_within_one(tanh((double)x), (double)x, 1 * UNIT);
}

static float cuda_erf(float x)
{
	return isnan(x) ? x : off_within_one(erf((double)x), (double)x, 2 * UNIT);
}

static float flushed(float y)
{
	return fabsf(y) < 0x1p-126f ? 0 * y : y;
}

static float fast_exp(float x)
{
	if (isinf(x))
		return expf(x);
	return flushed(off(exp((double)x), (2 + floor(fabs(1.173 * (double)x))) * UNIT));
}

/* __fdividef(): 0 where the divisor is from 2^126 on, and NaN of an infinity. By 1 it is exact. */
static float fast_divide(float x, float y)
{
	if (y == 1)
		return flushed(x);
	if (fabsf(y) > 0x1p126f && !isnan(x))
		return isinf(x) ? NAN : 0;
	return flushed(off((double)x / (double)y, 2 * UNIT));
}

static float approximate_tanh(float x)
{
	return isnan(x) ? x : off_within_one(tanh((double)x), (double)x, 0x1p-11);
}

/* ---- forms ------------------------------------------------------------------------ */

typedef float form(float x);

static float sigmoid_exp(float x)
{
	return 1 / (1 + cuda_exp(-x));
}
static float sigmoid_fast(float x)
{
	return fast_divide(1, 1 + fast_exp(-x));
}
static float sigmoid_tanh(float x)
{
	return 0.5f + 0.5f * cuda_tanh(0.5f * x);
}
static float sigmoid_approximate(float x)
{
	return 0.5f + 0.5f * approximate_tanh(0.5f * x);
}
static float silu_exp(float x)
{
	return x / (1 + cuda_exp(-x));
}
static float silu_product(float x)
{
	return x * sigmoid_exp(x);
}
static float silu_fast(float x)
{
	return fast_divide(x, 1 + fast_exp(-x));
}
static float silu_approximate(float x)
{
	return x * sigmoid_approximate(x);
}
static float gelu_argument(float x)
{
	return 0.7978845608f * (x + 0.044715f * x * x * x);
}
static float gelu_tanh(float x)
{
	return x / 2 * (1 + cuda_tanh(gelu_argument(x)));
}
static float gelu_tanh_last(float x)
{
	return x * (1 + cuda_tanh(gelu_argument(x))) * 0.5f;
}
static float gelu_tanh_of_exp(float x)
{
	return 0.5f * x * (1 + (1 - fast_divide(2, 1 + fast_exp(2 * gelu_argument(x)))));
}
static float gelu_sigmoid_fast(float x)
{
	return fast_divide(x, 1 + fast_exp(-2 * gelu_argument(x)));
}
static float gelu_erf(float x)
{
	return x / 2 * (1 + cuda_erf(x * 0.70710678f));
}
static float gelu_erf_divided(float x)
{
	return x * 0.5f * (1 + cuda_erf(x / 1.41421356f));
}
static float gelu_erfc(float x)
{
	return 0.5f * x * off(erfc((double)(x * -0.70710678f)), 4 * UNIT);
}
static float tanh_of_exp(float x)
{
	return 1 - 2 / (1 + cuda_exp(2 * x));
}
static float tanh_fast(float x)
{
	return 1 - fast_divide(2, 1 + fast_exp(2 * x));
}
static float relu6(float x)
{
	return x < 0 ? 0 : x > 6 ? 6 : x;
}
static float hardswish(float x)
{
	return x * relu6(x + 3) / 6;
}
static float hardswish_product(float x)
{
	return x * (relu6(x + 3) * 0.16666667f);
}
static float hardswish_sixth(float x)
{
	float y = x / 6 + 0.5f;
	return x * (y < 0 ? 0 : y > 1 ? 1 : y);
}
static float gelu_quick(float x)
{
	return x / (1 + cuda_exp(-1.702f * x));
}
static float nothing(float x)
{
	return x;
}

/* ---- outputs of all types ------------------------------------------------------------ */

/* That of C, and that of what a stage writes: e4m3 is written from a C in bf16. */
static const struct {
	enum dtype c, written;
} outputs[] = {{DTYPE_F32, DTYPE_F32},
			   {DTYPE_BF16, DTYPE_BF16},
			   {DTYPE_F16, DTYPE_F16},
			   {DTYPE_BF16, DTYPE_E4M3}};

static const struct stage_reference *stage_of(const char *name)
{
	struct chain_stage stage = {.shipped = 1};
	snprintf(stage.name, sizeof stage.name, "%s", name);
	const struct stage_reference *reference = stage_find(&stage);
	cr_assert_not_null(reference, "%s", name);
	return reference;
}

static double ratio(struct carried value, float y, size_t output)
{
	const struct type *type = type_of(outputs[output].written);
	double out = values_to_double(&type->format, values_from_double(&type->format, (double)y));
	return rule_written(&(struct check_rule){.type = type}, type, out, &value).ratio;
}

static double ratio_of(const char *name, form *made, float x, size_t output)
{
	struct stage_coordinate place = {.type = type_of(outputs[output].c), .alpha = 1};
	struct carried value = {.x = (double)x};
	stage_carry(stage_of(name), NULL, &place, &value);
	return ratio(value, made(x), output);
}

static double ratio_of_pair(const char *name, form *made, float gate, float up, size_t output)
{
	struct stage_coordinate place = {.type = type_of(outputs[output].c), .alpha = 1};
	struct carried x = {.x = (double)gate}, next = {.x = (double)up};
	return ratio(stage_pair(stage_of(name), &place, &x, &next), made(gate) * up, output);
}

enum kind { UNIFORM, NORMAL, WIDE, TAILS, SUBNORMAL_RESULTS, SPECIAL, KINDS };

static float draw(enum kind kind)
{
	static const float special[] = {0,         -0.0f,      INFINITY, -INFINITY, NAN,
									0x1p-149f, -0x1p-130f, 1e13f,    -1e13f,    3e37f,
									-3e37f,    3e38f,      -3e38f};
	switch (kind) {
	case UNIFORM: return 2 * uniform() - 1;
	case NORMAL:
		return sqrtf(-2 * logf(uniform() + 0x1p-25f)) * cosf(2 * (float)M_PI * uniform()) * 4;
	case WIDE: return ldexpf(2 * uniform() - 1, (int)(next_bits() % 250) - 125);
	case TAILS: return 200 * uniform() - 100;
	case SUBNORMAL_RESULTS: return -80 - 30 * uniform();
	default: return special[next_bits() % (sizeof special / sizeof *special)];
	}
}

static const struct {
	const char *stage, *gated, *says;
	form *made;
	int narrow_only; /* tanh.approx has not f32's accuracy */
} right[] = {
	{"sigmoid", NULL, "exp", sigmoid_exp, 0},
	{"sigmoid", NULL, "fast", sigmoid_fast, 0},
	{"sigmoid", NULL, "tanh", sigmoid_tanh, 0},
	{"sigmoid", NULL, "tanh.approx", sigmoid_approximate, 1},
	{"silu", "swiglu", "exp", silu_exp, 0},
	{"silu", "swiglu", "product", silu_product, 0},
	{"silu", "swiglu", "fast", silu_fast, 0},
	{"silu", "swiglu", "tanh.approx", silu_approximate, 1},
	{"gelu", "geglu", "tanh", gelu_tanh, 0},
	{"gelu", "geglu", "tanh, halved last", gelu_tanh_last, 0},
	{"gelu", "geglu", "tanh of fast exp", gelu_tanh_of_exp, 0},
	{"gelu", "geglu", "fast", gelu_sigmoid_fast, 0},
	{"gelu_erf", NULL, "erf", gelu_erf, 0},
	{"gelu_erf", NULL, "erf, divided", gelu_erf_divided, 0},
	{"gelu_erf", NULL, "erfc", gelu_erfc, 0},
	{"tanh", NULL, "tanh", cuda_tanh, 0},
	{"tanh", NULL, "exp", tanh_of_exp, 0},
	{"tanh", NULL, "fast", tanh_fast, 0},
	{"tanh", NULL, "tanh.approx", approximate_tanh, 1},
	{"hardswish", NULL, "quotient", hardswish, 0},
	{"hardswish", NULL, "product", hardswish_product, 0},
	{"hardswish", NULL, "sixth", hardswish_sixth, 0},
};

Test(stage_forms, the_usual_ones_are_right)
{
	for (size_t i = 0; i < sizeof right / sizeof *right; i++)
		for (size_t output = 0; output < sizeof outputs / sizeof *outputs; output++)
			for (int kind = 0; kind < KINDS; kind++)
				for (int n = 0; n < EACH && !(right[i].narrow_only && output == 0); n++) {
					float x = draw((enum kind)kind), up = 4 * uniform() - 2;
					double r = ratio_of(right[i].stage, right[i].made, x, output);
					cr_assert_leq(r, 1, "%s by %s of %a, output %zu: %g", right[i].stage,
								  right[i].says, (double)x, output, r);
					if (right[i].gated == NULL)
						continue;
					r = ratio_of_pair(right[i].gated, right[i].made, x, up, output);
					cr_assert_leq(r, 1, "%s by %s of %a, output %zu: %g", right[i].gated,
								  right[i].says, (double)x, output, r);
				}
}

static const struct {
	const char *stage, *gated;
	form *made;
	int least[4]; /* of EACH normal values that show it, for each output */
} wrong[] = {
	{"gelu", "geglu", gelu_erf, {1000, 200, 300, 0}}, /* of e4m3 they are the same */
	{"gelu_erf", NULL, gelu_tanh, {1000, 200, 300, 0}},
	{"gelu", "geglu", gelu_quick, {1500, 500, 1000, 100}},
	{"gelu", "geglu", silu_exp, {1500, 800, 1000, 400}},
	{"gelu_erf", NULL, silu_exp, {1500, 800, 1000, 400}},
	{"silu", "swiglu", gelu_tanh, {1500, 800, 1000, 400}},
	{"silu", "swiglu", sigmoid_exp, {1500, 1500, 1500, 1500}},
	{"sigmoid", NULL, silu_exp, {1500, 1500, 1500, 1500}},
	{"sigmoid", NULL, cuda_tanh, {1500, 1000, 1000, 1000}},
	{"tanh", NULL, sigmoid_exp, {1500, 1000, 1000, 1000}},
	{"hardswish", NULL, silu_exp, {1500, 800, 1000, 400}},
	{"sigmoid", NULL, nothing, {1500, 1500, 1500, 1500}},
	{"silu", "swiglu", nothing, {1000, 1000, 1000, 800}},
	{"gelu", "geglu", nothing, {1000, 1000, 1000, 800}},
	{"tanh", NULL, nothing, {1500, 1000, 1000, 1000}},
};

Test(stage_forms, other_functions_are_wrong)
{
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		for (size_t output = 0; output < sizeof outputs / sizeof *outputs; output++) {
			int found = 0, found_gated = 0;
			for (int n = 0; n < EACH; n++) {
				float x = draw(NORMAL), up = 4 * uniform() - 2;
				found += !(ratio_of(wrong[i].stage, wrong[i].made, x, output) <= 1);
				found_gated += wrong[i].gated != NULL &&
							   !(ratio_of_pair(wrong[i].gated, wrong[i].made, x, up, output) <= 1);
			}
			int least = wrong[i].least[output];
			cr_assert_geq(found, least, "%s, fault %zu, output %zu: %d", wrong[i].stage, i, output,
						  found);
			cr_assert(wrong[i].gated == NULL || found_gated >= least,
					  "%s, fault %zu, output %zu: %d", wrong[i].gated, i, output, found_gated);
		}
}

/* At -inf the usual forms have inf * 0 or inf / inf; nothing but that and 0 is right there, and a
 * NaN goes through what follows. */
Test(stage_forms, the_lower_end_is_zero_or_nan)
{
	static const char *const names[] = {"silu", "gelu", "gelu_erf", "hardswish"};
	struct stage_coordinate place = {.type = type_of(DTYPE_F32), .alpha = 1};
	const double members[] = {0.5};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct carried value = {.x = -INFINITY};
		stage_carry(stage_of(names[i]), NULL, &place, &value);
		cr_assert(ratio(value, 0, 0) <= 1 && ratio(value, NAN, 0) <= 1, "%s", names[i]);
		cr_assert(ratio(value, 3, 0) > 1 && ratio(value, -INFINITY, 0) > 1, "%s", names[i]);
		stage_carry(stage_of("bias"), members, &place, &value);
		cr_assert(ratio(value, 0.5, 0) <= 1 && ratio(value, NAN, 0) <= 1, "%s", names[i]);
		cr_assert(ratio(value, 0, 0) > 1, "%s", names[i]);
		stage_carry(stage_of("relu_grad"), (const double[]){-1}, &place, &value);
		cr_assert(ratio(value, NAN, 0) > 1, "chosen away");
	}
	struct carried value = {.x = -INFINITY};
	stage_carry(stage_of("sigmoid"), NULL, &place, &value);
	cr_assert(ratio(value, NAN, 0) > 1, "nothing is undefined there");
	value.x = -INFINITY;
	stage_carry(stage_of("swiglu"), NULL, &place, &value);
	cr_assert(isinf(value.x) && ratio(value, NAN, 0) > 1, "C keeps what came in");
}

/* Between a bound that a form needs and none: an error ten times as large is wrong. */
Test(stage_forms, the_bound_is_not_wide)
{
	static const char *const names[] = {"sigmoid", "silu", "gelu", "gelu_erf", "tanh", "hardswish"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct stage_coordinate place = {.type = type_of(DTYPE_F32), .alpha = 1};
		struct carried value = {.x = 1.5};
		stage_carry(stage_of(names[i]), NULL, &place, &value);
		cr_assert_lt((double)value.error, 40 * 0x1p-24, "%s", names[i]);
		value = (struct carried){.x = -12};
		stage_carry(stage_of(names[i]), NULL, &place, &value);
		cr_assert_lt((double)value.error, 12 * 16 * 0x1p-24, "%s", names[i]);
	}
}
