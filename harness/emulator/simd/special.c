/* Special functions. A GPU's multi-function unit (MUFU) interpolates in tables, which are not here:
 * mufu_*() give what is nearest, and flush subnormal numbers on either side as the unit does. What
 * stands around them, scaling and ranges, is the code that ptxas 13.0 makes for sm_90a. It makes
 * FMUL.RZ and MUFU.SIN of sin, and so of cos, whose errors at large angles are not here either. */
#include "emulator/simd/lanes.h"

static inline f32 mufu_rcp(f32 a)
{
	return ftz(1.0f / ftz(a));
}

static inline f32 mufu_rsq(f32 a)
{
	return (f32)(1.0 / __builtin_sqrt((f64)ftz(a)));
}

static inline f32 mufu_ex2(f32 a)
{
	return ftz(exp2f(ftz(a)));
}

static inline f32 mufu_lg2(f32 a)
{
	return log2f(ftz(a));
}

/* An H200 gives 1 from 8 on. */
static inline f32 mufu_tanh(f32 a)
{
	return __builtin_fabsf(a) >= 8.0f ? __builtin_copysignf(1.0f, a) : tanhf(a);
}

/* Only the upper words of f64 go in and come out. */
static inline f64 upper_word(f64 value)
{
	u64 bits;
	memcpy(&bits, &value, sizeof bits);
	bits &= 0xffffffff00000000;
	memcpy(&value, &bits, sizeof bits);
	return value;
}

static inline f64 ftz64(f64 value)
{
	return __builtin_fabs(value) < 0x1p-1022 ? __builtin_copysign(0.0, value) : value;
}

static inline f64 mufu_rcp64h(f64 a)
{
	return upper_word(ftz64(1.0 / ftz64(upper_word(a))));
}

static inline f64 mufu_rsq64h(f64 a)
{
	return upper_word(1.0 / __builtin_sqrt(ftz64(upper_word(a))));
}

/* ------------------------------------------------------------------------
 * ptxas's code around them */

static inline bool is_below_normal(f32 a)
{
	return __builtin_fabsf(a) < 0x1p-126f;
}

/* Beyond it a reciprocal is subnormal, and so 0. */
static inline bool has_no_reciprocal(f32 a)
{
	return __builtin_fabsf(a) > 0x1p126f;
}

static inline f32 reciprocal(f32 a)
{
	f32 scale = has_no_reciprocal(a) ? 0.25f : is_below_normal(a) ? 0x1p24f : 1.0f;
	return scale * mufu_rcp(scale * a);
}

/* A quotient by more than 2^126 is 0, and a NaN of infinity. */
static inline f32 divide_approximately(f32 a, f32 b)
{
	f32 scale = is_below_normal(b) ? 0x1p24f : 1.0f;
	return mufu_rcp(scale * b) * (scale * a);
}

static inline f32 divide_full_range(f32 a, f32 b)
{
	f32 scale = has_no_reciprocal(b) ? 0.25f : is_below_normal(b) ? 0x1p24f : 1.0f;
	return mufu_rcp(scale * b) * (scale * a);
}

/* b is no subnormal number. */
static inline f32 divide_full_range_ftz(f32 a, f32 b)
{
	f32 scale = has_no_reciprocal(b) ? 0.25f : 1.0f;
	return ftz(mufu_rcp(scale * b) * ftz(scale * a));
}

static inline f32 inverse_root(f32 a)
{
	return is_below_normal(a) ? 0x1p12f * mufu_rsq(0x1p24f * a) : mufu_rsq(a);
}

static inline f32 logarithm(f32 a)
{
	return is_below_normal(a) ? mufu_lg2(0x1p24f * a) - 24.0f : mufu_lg2(a);
}

static inline f32 power_of_2(f32 a)
{
	bool is_small = a < -126.0f;
	f32 power = mufu_ex2(is_small ? 0.5f * a : a);
	return is_small ? power * power : power;
}

/* sin(2 pi turns): the reduction is exact */
static inline f64 sine_of_turns(f64 turns)
{
	f64 rest = turns - __builtin_rint(turns);
	if (__builtin_fabs(rest) > 0.25)
		rest = __builtin_copysign(0.5, rest) - rest;
	return sin(6.283185307179586 * rest);
}

static inline f64 cosine_of_turns(f64 turns)
{
	return sine_of_turns(0.25 - __builtin_fabs(turns - __builtin_rint(turns)));
}

#define QUOTIENT(name, expression)                                                                 \
	HANDLER(name)                                                                                  \
	{                                                                                              \
		BODY_2(f32, f32, canonical(expression))                                                    \
	}

UNARY(rcp_approx_f32, f32, f32, canonical(reciprocal(a)))
UNARY(rcp_approx_ftz_f32, f32, f32, canonical(mufu_rcp(a)))
UNARY(rcp_approx_ftz_f64, f64, f64, mufu_rcp64h(a))
QUOTIENT(div_approx_f32, divide_approximately(a, b))
QUOTIENT(div_approx_ftz_f32, ftz(mufu_rcp(b) * ftz(a)))
QUOTIENT(div_full_f32, divide_full_range(a, b))
QUOTIENT(div_full_ftz_f32, divide_full_range_ftz(ftz(a), ftz(b)))
UNARY(rsqrt_approx_f32, f32, f32, canonical(inverse_root(a)))
UNARY(rsqrt_approx_ftz_f32, f32, f32, canonical(mufu_rsq(a)))
UNARY(rsqrt_approx_f64, f64, f64, 1.0 / __builtin_sqrt(a))
UNARY(rsqrt_approx_ftz_f64, f64, f64, mufu_rsq64h(a))
UNARY(ex2_approx_f32, f32, f32, canonical(power_of_2(a)))
UNARY(ex2_approx_ftz_f32, f32, f32, canonical(mufu_ex2(a)))
UNARY(lg2_approx_f32, f32, f32, canonical(logarithm(a)))
UNARY(lg2_approx_ftz_f32, f32, f32, canonical(mufu_lg2(a)))
UNARY(sin_approx_f32, f32, f32, canonical(sinf(a)))
UNARY(sin_approx_ftz_f32, f32, f32, canonical(ftz(sinf(ftz(a)))))
UNARY(cos_approx_f32, f32, f32, canonical(cosf(a)))
UNARY(cos_approx_ftz_f32, f32, f32, canonical(cosf(ftz(a))))
UNARY(sin_2pi_approx_ftz_f32, f32, f32, canonical(ftz((f32)sine_of_turns(ftz(a)))))
UNARY(cos_2pi_approx_ftz_f32, f32, f32, canonical(ftz((f32)cosine_of_turns(ftz(a)))))
UNARY(tanh_approx_f32, f32, f32, canonical(mufu_tanh(a)))
