/* Special functions: the multi-function unit (mufu.h), and around it, for scaling and ranges, the
 * code that ptxas 13.0 makes for sm_90a. */
#include "emulator/simd/mufu.h"

/* A handler of one operand `a` of type T: the unit's argument, and the result `r` that it gives. */
#define SPECIAL(name, T, unit, argument, result)                                                   \
	HANDLER(name)                                                                                  \
	{                                                                                              \
		const T *pa = SOURCE(T, in->a);                                                            \
		T *pd = DEST(T, in->d), t[EXEC_LANES], *o = mask == EXEC_FULL ? pd : t;                    \
		f32 arguments[EXEC_LANES], results[EXEC_LANES];                                            \
		FOR_LANES                                                                                  \
		{                                                                                          \
			T a = pa[i];                                                                           \
			arguments[i] = (argument);                                                             \
		}                                                                                          \
		unit(arguments, results);                                                                  \
		FOR_LANES                                                                                  \
		{                                                                                          \
			T a = pa[i];                                                                           \
			f32 r = results[i];                                                                    \
			(void)a;                                                                               \
			o[i] = (result);                                                                       \
		}                                                                                          \
		if (mask != EXEC_FULL)                                                                     \
			merge(pd, t, sizeof(T), mask);                                                         \
		return EXEC_NEXT;                                                                          \
	}

/* A handler of a quotient of `a` and `b`: results[i] is what `reciprocal` gives for the argument.
 */
#define QUOTIENT(name, reciprocal, argument, result)                                               \
	HANDLER(name)                                                                                  \
	{                                                                                              \
		f32 arguments[EXEC_LANES], results[EXEC_LANES];                                            \
		const f32 *divisors = SOURCE(f32, in->b);                                                  \
		FOR_LANES                                                                                  \
		{                                                                                          \
			f32 b = divisors[i];                                                                   \
			arguments[i] = (argument);                                                             \
		}                                                                                          \
		reciprocal(arguments, results);                                                            \
		BODY_2(f32, f32, ((void)b, canonical(result)))                                             \
	}

/* That of a constant is taken by ptxas, to nearest, and flushed as the unit's. */
static void nearest_reciprocal(const f32 arguments[EXEC_LANES], f32 results[EXEC_LANES])
{
	FOR_LANES results[i] = ftz(1.0f / ftz(arguments[i]));
}

static inline bool is_below_normal(f32 a)
{
	return __builtin_fabsf(a) < 0x1p-126f;
}

/* Beyond it a reciprocal is subnormal, and so 0. */
static inline bool has_no_reciprocal(f32 a)
{
	return __builtin_fabsf(a) > 0x1p126f;
}

/* What both sides of a quotient are multiplied with, within its range and over the full one. */
static inline f32 scale(f32 b)
{
	return is_below_normal(b) ? 0x1p24f : 1.0f;
}

static inline f32 full_scale(f32 b)
{
	return has_no_reciprocal(b) ? 0.25f : scale(b);
}

static inline f32 full_scale_ftz(f32 b)
{
	return has_no_reciprocal(b) ? 0.25f : 1.0f;
}

/* a / (2 pi), towards 0 */
static inline f32 turns(f32 a)
{
	return (f32)cut_to_f32((f64)a * 0x1.45f306p-3);
}

SPECIAL(rcp_approx_f32, f32, mufu_rcp, full_scale(a) * a, canonical(full_scale(a) * r))
SPECIAL(rcp_approx_ftz_f32, f32, mufu_rcp, a, r)
#define QUOTIENTS(suffix, reciprocal)                                                              \
	QUOTIENT(div_approx##suffix##_f32, reciprocal, scale(b) * b, results[i] * (scale(b) * a))      \
	QUOTIENT(div_full##suffix##_f32, reciprocal, full_scale(b) * b,                                \
			 results[i] * (full_scale(b) * a))                                                     \
	QUOTIENT(div_approx##suffix##_ftz_f32, reciprocal, b, product_ftz(results[i], ftz(a)))         \
	QUOTIENT(div_full##suffix##_ftz_f32, reciprocal, product_ftz(full_scale_ftz(b), ftz(b)),       \
			 product_ftz(results[i], product_ftz(full_scale_ftz(b), ftz(a))))
QUOTIENTS(, mufu_rcp)
QUOTIENTS(_constant, nearest_reciprocal)
SPECIAL(rsqrt_approx_f32, f32, mufu_rsq, scale(a) * a, is_below_normal(a) ? 0x1p12f * r : r)
SPECIAL(rsqrt_approx_ftz_f32, f32, mufu_rsq, a, r)
SPECIAL(sqrt_approx_f32, f32, mufu_sqrt, scale(a) * a, is_below_normal(a) ? 0x1p-12f * r : r)
SPECIAL(sqrt_approx_ftz_f32, f32, mufu_sqrt, a, r)
SPECIAL(ex2_approx_f32, f32, mufu_ex2, a < -126.0f ? 0.5f * a : a, a < -126.0f ? r * r : r)
SPECIAL(ex2_approx_ftz_f32, f32, mufu_ex2, a, r)
SPECIAL(lg2_approx_f32, f32, mufu_lg2, scale(a) * a, is_below_normal(a) ? r - 24.0f : r)
SPECIAL(lg2_approx_ftz_f32, f32, mufu_lg2, a, r)
SPECIAL(sin_approx_f32, f32, mufu_sin, turns(a), r)
SPECIAL(sin_approx_ftz_f32, f32, mufu_sin, turns(a), r)
SPECIAL(cos_approx_f32, f32, mufu_cos, turns(a), r)
SPECIAL(cos_approx_ftz_f32, f32, mufu_cos, turns(a), r)
SPECIAL(sin_2pi_approx_ftz_f32, f32, mufu_sin, a, r)
SPECIAL(cos_2pi_approx_ftz_f32, f32, mufu_cos, a, r)
SPECIAL(tanh_approx_f32, f32, mufu_tanh, a, r)

/* --- f64: only upper words go in and come out, whose fractions have 20 bits --- */

static inline f64 upper_word(f64 value)
{
	return double_of_bits(bits_of_double(value) & 0xffffffff00000000);
}

static inline s32 exponent_64(f64 a)
{
	return (s32)(bits_of_double(a) >> 52 & 2047) - 1023;
}

/* The significand with another exponent, as a number of the unit */
static inline f32 with_exponent(f64 a, s32 exponent)
{
	u32 fraction = (u32)(bits_of_double(a) >> 32) & 0xfffff;
	return float_of_bits((u32)(exponent + 127) << 23 | fraction << 3);
}

#define UPPER_NAN double_of_bits(0x7fffffff00000000)

static inline f64 reciprocal_64(f64 a, f32 of_significand)
{
	const s32 exponent = exponent_64(a);
	f64 result = upper_word((f64)of_significand) * power(exponent > 1022 ? -1022 : -exponent);
	result = exponent > 1022 || result < 0x1p-1022 ? 0.0 : result;
	result = exponent == -1023 ? INFINITY : result;
	return a != a ? UPPER_NAN : __builtin_copysign(result, a);
}

static inline f64 inverse_root_64(f64 a, f32 of_significand)
{
	const s32 exponent = exponent_64(a), even = exponent & ~1;
	f64 result = upper_word((f64)of_significand) * power(-even / 2);
	result = a == INFINITY ? 0.0 : result;
	result = a < 0.0 || a != a ? UPPER_NAN : result;
	return exponent == -1023 ? __builtin_copysign(INFINITY, a) : result;
}

SPECIAL(rcp_approx_ftz_f64, f64, mufu_rcp, with_exponent(a, 0), reciprocal_64(upper_word(a), r))
SPECIAL(rsqrt_approx_ftz_f64, f64, mufu_rsq, with_exponent(a, exponent_64(a) & 1),
		inverse_root_64(upper_word(a), r))

static inline f64 scaled_64(f64 a)
{
	return a < 0x1p-1022 ? 0x1p54 * a : a;
}

/* The unit's result y, and one step to a better one. */
static inline f64 refined_inverse_root(f64 a, f32 of_significand)
{
	const f64 x = scaled_64(a), y = inverse_root_64(upper_word(x), of_significand);
	const f64 rest = __builtin_fma(x, -(y * y), 1.0);
	f64 result = __builtin_fma(__builtin_fma(rest, 0.375, 0.5), y * rest, y);
	result = a < 0x1p-1022 ? 0x1p27 * result : result;
	result = a == INFINITY ? 0.0 : a == 0.0 ? __builtin_copysign(INFINITY, a) : result;
	return a < 0.0 ? double_of_bits(0xfff8000000000000) : a != a ? a + a : result;
}

SPECIAL(rsqrt_approx_f64, f64, mufu_rsq, with_exponent(scaled_64(a), exponent_64(scaled_64(a)) & 1),
		refined_inverse_root(a, r))
