/* An argument is reduced to a segment of the function's table and 17 bits x within it. The
 * segment's c0 + c1 * x + c2 * square(x), exact as integers, has the result's significand, which is
 * cut to 24 bits. */
#include "emulator/simd/mufu.h"

#include "emulator/mufu_tables.h"

/* x squared, in units of 2^19. Of the partial products of the square, each of two bits of x, those
 * in columns below 2^19 are not there. Row i has bit i times itself and times each bit above it. */
static inline s32 square(s32 x)
{
	s32 sum = 0;
	_Pragma("GCC unroll 16") for (int i = 2; i <= 16; i++)
	{
		const int lowest = i + 1 > 18 - i ? i + 1 : 18 - i;
		s32 row = (x & (s32)(~0u << lowest)) >> (18 - i);
		row += i >= 10 ? 1 << (i >= 10 ? 2 * i - 19 : 0) : 0;
		sum += row & -(x >> i & 1);
	}
	return sum;
}

static inline __attribute__((always_inline)) void
interpolate(const struct mufu_segment *segments, const s32 *segment, const s32 *x, f64 *values)
{
	f64 c0[EXEC_LANES], c1[EXEC_LANES], c2[EXEC_LANES];
	for (int i = 0; i < EXEC_LANES; i++) {
		c0[i] = segments[segment[i]].c0;
		c1[i] = segments[segment[i]].c1;
		c2[i] = segments[segment[i]].c2;
	}
	FOR_LANES values[i] = c0[i] + c1[i] * (f64)x[i] + c2[i] * (f64)square(x[i]);
}

/* What is below 2^-126 is 0. */
static inline f32 result_of(f64 value)
{
	f64 cut = cut_to_f32(value);
	return (f32)(__builtin_fabs(cut) < 0x1p-126 ? 0.0 : cut);
}

static inline f32 signed_as(f32 value, u32 bits)
{
	return float_of_bits(bits_of_float(value) | (bits & 0x80000000));
}

static inline s32 exponent_of(u32 bits)
{
	return (s32)(bits >> 23 & 255) - 127;
}

static inline bool is_zero(u32 bits)
{
	return (bits & 0x7f800000) == 0;
}

/* A function of `bits`, the argument's: its segment, x, and the result that a value gives. */
#define FUNCTION(name, segments, segment_of, x_of, result)                                         \
	void mufu_##name(const f32 arguments[EXEC_LANES], f32 results[EXEC_LANES])                     \
	{                                                                                              \
		s32 segment[EXEC_LANES], x[EXEC_LANES];                                                    \
		f64 values[EXEC_LANES];                                                                    \
		FOR_LANES                                                                                  \
		{                                                                                          \
			const u32 bits = bits_of_float(arguments[i]);                                          \
			segment[i] = (s32)(segment_of);                                                        \
			x[i] = (s32)(x_of);                                                                    \
		}                                                                                          \
		interpolate(segments, segment, x, values);                                                 \
		FOR_LANES                                                                                  \
		{                                                                                          \
			const f32 a = arguments[i];                                                            \
			results[i] = canonical(result(values[i], a, bits_of_float(a)));                        \
		}                                                                                          \
	}

/* --- reciprocals and roots: the unit is 2^-40 --- */

static inline f32 rcp_of(f64 value, f32 a, u32 bits)
{
	f32 result = result_of(value * 0x1p-40 * power(-exponent_of(bits)));
	result = is_zero(bits) ? INFINITY : exponent_of(bits) == 128 ? 0.0f : result;
	return a != a ? a : signed_as(result, bits);
}

/* The exponent, or the next smaller even one, halved. */
static inline s32 half_exponent(u32 bits)
{
	return (s32)((bits >> 23 & 255) + 1) / 2 - 64;
}

/* Segments of even exponents come first. */
#define ROOT_SEGMENT ((bits >> 23 & 1 ? 0 : 64) + (bits >> 17 & 63))

/* Powers of four are exact. */
static inline f32 rsq_of(f64 value, f32 a, u32 bits)
{
	value = (bits & 0xffffff) == 0x800000 ? 0x1p40 : value;
	f32 result = result_of(value * 0x1p-40 * power(-half_exponent(bits)));
	result = a == INFINITY ? 0.0f : a < 0.0f || a != a ? NAN32 : result;
	return is_zero(bits) ? signed_as(INFINITY, bits) : result;
}

static inline f32 sqrt_of(f64 value, f32 a, u32 bits)
{
	f32 result = result_of(value * 0x1p-40 * power(half_exponent(bits)));
	result = a == INFINITY ? a : a < 0.0f || a != a ? NAN32 : result;
	return is_zero(bits) ? signed_as(0.0f, bits) : result;
}

FUNCTION(rcp, mufu_rcp_segments, bits >> 16 & 127, (bits & 0xffff) << 1, rcp_of)
FUNCTION(rsq, mufu_rsq_segments, ROOT_SEGMENT, bits & 0x1ffff, rsq_of)
FUNCTION(sqrt, mufu_sqrt_segments, ROOT_SEGMENT, bits & 0x1ffff, sqrt_of)

/* --- powers and logarithms of 2: the unit is 2^-38 --- */

/* The argument, within what has results, cut to 23 bits behind the point. The bits of a negative
 * one are turned, where it is no whole number. */
static inline s32 fixed_of(u32 bits)
{
	const f32 a = float_of_bits(bits), least = a < 200.0f ? a : 200.0f;
	const s32 fixed = (s32)((f64)(least > -200.0f ? least : -200.0f) * 0x1p23);
	return fixed - (fixed < 0 && (fixed & 0x7fffff) != 0);
}

static inline f32 ex2_of(f64 value, f32 a, u32 bits)
{
	f32 result = result_of(value * 0x1p-38 * power(fixed_of(bits) >> 23));
	return a != a ? a : a >= 128.0f ? INFINITY : result;
}

/* The sum with the exponent has 36 bits behind the point; the bits of a negative one are turned. */
static inline f32 lg2_of(f64 value, f32 a, u32 bits)
{
	f64 sum = __builtin_floor(value * 0.25 + (f64)exponent_of(bits) * 0x1p36);
	f32 result = result_of((sum < 0.0 ? sum + 1.0 : sum) * 0x1p-36);
	result = a == 1.0f ? 0.0f : a == INFINITY ? a : result;
	result = a < 0.0f || a != a ? NAN32 : result;
	return is_zero(bits) ? -INFINITY : result;
}

FUNCTION(ex2, mufu_ex2_segments, fixed_of(bits) >> 17 & 63, fixed_of(bits) & 0x1ffff, ex2_of)
FUNCTION(lg2, mufu_lg2_segments, bits >> 17 & 63, bits & 0x1ffff, lg2_of)

/* --- sin and cos: the unit is 2^-37, segments are of a quarter of a turn --- */

/* The fraction of the turns, cut to 25 bits: of the cosine a quarter further. */
static inline u32 turns_of(u32 bits)
{
	const f64 size = __builtin_fabs((f64)float_of_bits(bits));
	return (u32)(s32)((size - __builtin_floor(size)) * 0x1p25);
}

static inline u32 within_quarter(u32 turns)
{
	return (turns >> 23 & 1 ? ~turns : turns) & 0x7fffff;
}

static inline f32 sine_of(f64 value, f32 a, u32 turns, u32 sign)
{
	f32 result = signed_as(result_of(value * 0x1p-37), sign ^ turns << 7);
	return __builtin_fabsf(a) < INFINITY ? result : NAN32;
}

static inline f32 sin_of(f64 value, f32 a, u32 bits)
{
	return sine_of(value, a, turns_of(bits) & 0x1000000, bits);
}

static inline f32 cos_of(f64 value, f32 a, u32 bits)
{
	return sine_of(value, a, (turns_of(bits) + 0x800000) & 0x1000000, 0);
}

#define SIN_PART within_quarter(turns_of(bits))
#define COS_PART within_quarter(turns_of(bits) + 0x800000)
FUNCTION(sin, mufu_sin_segments, SIN_PART >> 17, SIN_PART & 0x1ffff, sin_of)
FUNCTION(cos, mufu_sin_segments, COS_PART >> 17, COS_PART & 0x1ffff, cos_of)

/* --- tanh: the unit is 2^-39 --- */

/* Of exponents 2^-8 to 2^2: how many bits of the significand choose a segment, and the first of
 * them. What follows these and 17 more is cut. */
static const s32 tanh_bits[] = {0, 0, 0, 1, 1, 2, 2, 2, 3, 4, 3};
static const s32 tanh_first[] = {0, 1, 2, 3, 5, 7, 11, 15, 19, 27, 43};
#define TANH_LAST 10

/* 1 from 8 on, and the argument below 2^-8 */
static inline f32 tanh_of(f64 value, f32 a, u32 bits)
{
	f32 result = exponent_of(bits) > 2 ? 1.0f : result_of(value * 0x1p-39);
	result = exponent_of(bits) < -8 ? __builtin_fabsf(a) : result;
	return a != a ? a : signed_as(result, bits);
}

static inline s32 tanh_row(u32 bits)
{
	const s32 row = exponent_of(bits) + 8;
	return row < 0 ? 0 : row > TANH_LAST ? TANH_LAST : row;
}

#define TANH_BITS tanh_bits[tanh_row(bits)]
FUNCTION(tanh, mufu_tanh_segments,
		 tanh_first[tanh_row(bits)] + (s32)((bits & 0x7fffff) >> (23 - TANH_BITS)),
		 bits >> (6 - TANH_BITS) & 0x1ffff, tanh_of)
