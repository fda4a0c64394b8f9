/* For the files that are compiled once per x86-64 level (the others of this folder), and
 * for handlers that are compiled once (ops/). */
#ifndef EMULATOR_SIMD_LANES_H
#define EMULATOR_SIMD_LANES_H

#include <math.h>
#include <string.h>

#include "emulator/exec/cluster.h"
#include "emulator/exec/fault.h"
#include "emulator/exec/sub.h"
#include "emulator/exec/worker.h"
#include "emulator/processor.h"

#define EXEC_PASTE2(a, b) a##_v##b
#define EXEC_PASTE(a, b) EXEC_PASTE2(a, b)
#ifdef SIMD_LEVEL
#define SIMD_LEVELLED(name) EXEC_PASTE(name, SIMD_LEVEL)
#define HANDLER_FUNCTION(name) SIMD_LEVELLED(op_##name)
#else /* nothing of it is worth another instruction set */
#define SIMD_ONCE
#define SIMD_LEVEL 2
#define HANDLER_FUNCTION(name) op_##name
#endif

/* Elements of vectors, in the rows that define handlers. */
typedef uint8_t u8;
typedef int8_t s8;
typedef uint16_t u16;
typedef int16_t s16;
typedef uint32_t u32;
typedef int32_t s32;
typedef uint64_t u64;
typedef int64_t s64;
typedef float f32;
typedef double f64;

#define HANDLER(name)                                                                              \
	enum exec_status HANDLER_FUNCTION(name)(struct warp * w, const struct exec_instruction *in,    \
											u32 mask)
/* Every handler is declared by its row, so that one without a row does not compile. */
#pragma GCC diagnostic error "-Wmissing-prototypes"
#ifdef SIMD_ONCE
#define ONCE(operation, form, function, class) HANDLER(function);
#else
#define LEVELLED(operation, form, function, class) HANDLER(function);
#endif
#include "emulator/ptx/opcodes.def"

#define SOURCE(type, operand) ((const type *)(w->base[(operand)&1] + (operand)))
#define DEST(type, operand) ((type *)(w->base[0] + (operand)))
#define FOR_LANES _Pragma("GCC ivdep") for (int i = 0; i < EXEC_LANES; i++)
#define IN_MASK(i) ((mask >> (i)) & 1)

/* A handler of one operand `a` of type A: d is the expression in each lane. */
#define UNARY(name, D, A, expression)                                                              \
	HANDLER(name)                                                                                  \
	{                                                                                              \
		const A *pa = SOURCE(A, in->a);                                                            \
		D *pd = DEST(D, in->d), t[EXEC_LANES], *o = mask == EXEC_FULL ? pd : t;                    \
		FOR_LANES                                                                                  \
		{                                                                                          \
			A a = pa[i];                                                                           \
			o[i] = (D)(expression);                                                                \
		}                                                                                          \
		if (mask != EXEC_FULL)                                                                     \
			merge(pd, t, sizeof(D), mask);                                                         \
		return EXEC_NEXT;                                                                          \
	}

/* What such a handler of two operands does, a and b. */
#define BODY_2(D, A, expression)                                                                   \
	const A *pa = SOURCE(A, in->a), *pb = SOURCE(A, in->b);                                        \
	D *pd = DEST(D, in->d), t[EXEC_LANES], *o = mask == EXEC_FULL ? pd : t;                        \
	FOR_LANES                                                                                      \
	{                                                                                              \
		A a = pa[i], b = pb[i];                                                                    \
		o[i] = (D)(expression);                                                                    \
	}                                                                                              \
	if (mask != EXEC_FULL)                                                                         \
		merge(pd, t, sizeof(D), mask);                                                             \
	return EXEC_NEXT;

/* d[i] = t[i] where mask has bit i. By whole vectors: what a masked store wrote, the loads of the
 * next instruction wait for. */
static inline void merge16(u16 *restrict d, const u16 *restrict t, u32 mask)
{
#if SIMD_LEVEL >= 4
	_mm512_storeu_si512(
		d, _mm512_mask_blend_epi16(mask, _mm512_loadu_si512(d), _mm512_loadu_si512(t)));
#else
	for (int i = 0; i < EXEC_LANES; i++)
		d[i] = IN_MASK(i) ? t[i] : d[i];
#endif
}

static inline void merge32(u32 *restrict d, const u32 *restrict t, u32 mask)
{
#if SIMD_LEVEL >= 4
	for (int i = 0; i < EXEC_LANES; i += 16)
		_mm512_storeu_si512(d + i, _mm512_mask_blend_epi32((__mmask16)(mask >> i),
														   _mm512_loadu_si512(d + i),
														   _mm512_loadu_si512(t + i)));
#else
	for (int i = 0; i < EXEC_LANES; i++)
		d[i] = IN_MASK(i) ? t[i] : d[i];
#endif
}

static inline void merge64(u64 *restrict d, const u64 *restrict t, u32 mask)
{
#if SIMD_LEVEL >= 4
	for (int i = 0; i < EXEC_LANES; i += 8)
		_mm512_storeu_si512(d + i, _mm512_mask_blend_epi64((__mmask8)(mask >> i),
														   _mm512_loadu_si512(d + i),
														   _mm512_loadu_si512(t + i)));
#else
	for (int i = 0; i < EXEC_LANES; i++)
		d[i] = IN_MASK(i) ? t[i] : d[i];
#endif
}

static inline __attribute__((always_inline)) void merge(void *d, const void *t, size_t size,
														u32 mask)
{
	if (size == 2)
		merge16(d, t, mask);
	else if (size == 4)
		merge32(d, t, mask);
	else
		merge64(d, t, mask);
}

/* Bit i is the sign of t[i]. */
static inline u32 mask_of_32(const s32 *t)
{
#if SIMD_LEVEL >= 4
	return (u32)_mm512_movepi32_mask(_mm512_loadu_si512(t)) |
		   (u32)_mm512_movepi32_mask(_mm512_loadu_si512(t + 16)) << 16;
#else
	u32 mask = 0;
	for (int i = 0; i < 8; i++)
		mask |= (u32)_mm_movemask_ps(_mm_loadu_ps((const float *)t + 4 * i)) << (4 * i);
	return mask;
#endif
}

static inline u32 mask_of_64(const s64 *t)
{
#if SIMD_LEVEL >= 4
	u32 mask = 0;
	for (int i = 0; i < 4; i++)
		mask |= (u32)_mm512_movepi64_mask(_mm512_loadu_si512(t + 8 * i)) << (8 * i);
	return mask;
#else
	u32 mask = 0;
	for (int i = 0; i < 16; i++)
		mask |= (u32)_mm_movemask_pd(_mm_loadu_pd((const double *)t + 2 * i)) << (2 * i);
	return mask;
#endif
}

static inline u32 mask_of_16(const s16 *t)
{
#if SIMD_LEVEL >= 4
	return (u32)_mm512_movepi16_mask(_mm512_loadu_si512(t));
#else
	u32 mask = 0;
	for (int i = 0; i < 2; i++) {
		__m128i a = _mm_loadu_si128((const __m128i *)(t + 16 * i));
		__m128i b = _mm_loadu_si128((const __m128i *)(t + 16 * i + 8));
		mask |= (u32)_mm_movemask_epi8(_mm_packs_epi16(a, b)) << (16 * i);
	}
	return mask;
#endif
}

/* Bit i: t[i] is value. */
static inline u32 equal_lanes(const u32 *t, u32 value)
{
#if SIMD_LEVEL >= 4
	__m512i wanted = _mm512_set1_epi32((s32)value);
	return (u32)_mm512_cmpeq_epi32_mask(_mm512_loadu_si512(t), wanted) |
		   (u32)_mm512_cmpeq_epi32_mask(_mm512_loadu_si512(t + 16), wanted) << 16;
#else
	s32 equal[EXEC_LANES];
	FOR_LANES equal[i] = t[i] == value ? -1 : 0;
	return mask_of_32(equal);
#endif
}

static inline int first_lane(u32 mask)
{
	return __builtin_ctz(mask);
}

static inline f32 float_of_bits(u32 bits)
{
	f32 value;
	memcpy(&value, &bits, sizeof value);
	return value;
}

static inline u32 bits_of_float(f32 value)
{
	u32 bits;
	memcpy(&bits, &value, sizeof bits);
	return bits;
}

static inline u64 bits_of_double(f64 value)
{
	u64 bits;
	memcpy(&bits, &value, sizeof bits);
	return bits;
}

static inline f64 double_of_bits(u64 bits)
{
	f64 value;
	memcpy(&value, &bits, sizeof value);
	return value;
}

/* ------------------------------------------------------------------------
 * 16-bit floating formats. Rounding is to nearest even unless said otherwise. */

static inline f32 bf16_to_float(u16 h)
{
	return float_of_bits((u32)h << 16);
}

static inline u16 float_to_bf16(f32 value)
{
	u32 bits = bits_of_float(value);
	u32 rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
	return (u16)((bits & 0x7fffffff) > 0x7f800000 ? 0x7fff : rounded);
}

static inline f32 f16_to_float_soft(u16 h)
{
	u32 sign = (u32)(h & 0x8000) << 16, magnitude = h & 0x7fff;
	/* 2^112 scales the exponent; subnormals come out right by the multiplication */
	u32 scaled = bits_of_float(float_of_bits(magnitude << 13) * 0x1p112f);
	u32 special = (magnitude << 13) | 0x7f800000;
	return float_of_bits(sign | (magnitude >= 0x7c00 ? special : scaled));
}

static inline u16 float_to_f16_soft(f32 value)
{
	u32 bits = bits_of_float(value), sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
	/* normal results: rebias, round to nearest even */
	u32 normal = (magnitude - 0x38000000 + 0xfff + ((magnitude >> 13) & 1)) >> 13;
	/* subnormal results: an addition aligns and rounds */
	u32 small = bits_of_float(float_of_bits(magnitude) + 0.5f) - 0x3f000000;
	u32 result = magnitude < 0x38800000 ? small : normal;
	result = magnitude >= 0x477ff000 ? 0x7c00 : result;
	result = magnitude > 0x7f800000 ? 0x7fff : result;
	return (u16)(magnitude > 0x7f800000 ? 0x7fff : sign | result);
}

static inline void f16_to_floats(f32 *restrict out, const u16 *restrict in, int count)
{
#if SIMD_LEVEL >= 4
	for (int i = 0; i < count; i += 16)
		_mm512_storeu_ps(out + i, _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(in + i))));
#elif SIMD_LEVEL >= 3
	for (int i = 0; i < count; i += 8)
		_mm256_storeu_ps(out + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(in + i))));
#else
	for (int i = 0; i < count; i++)
		out[i] = f16_to_float_soft(in[i]);
#endif
}

static inline void floats_to_f16(u16 *restrict out, const f32 *restrict in, int count)
{
	for (int i = 0; i < count; i += 16) {
#if SIMD_LEVEL >= 4
		__m512 v = _mm512_loadu_ps(in + i);
		__m256i h = _mm512_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT);
		/* PTX gives one NaN, 0x7fff */
		__mmask16 nan = _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q);
		h = _mm256_mask_mov_epi16(h, nan, _mm256_set1_epi16(0x7fff));
		_mm256_storeu_si256((__m256i *)(out + i), h);
#elif SIMD_LEVEL >= 3
		for (int j = i; j < i + 16; j += 8)
			_mm_storeu_si128((__m128i *)(out + j),
							 _mm256_cvtps_ph(_mm256_loadu_ps(in + j), _MM_FROUND_TO_NEAREST_INT));
		for (int j = i; j < i + 16; j++)
			out[j] = in[j] != in[j] ? 0x7fff : out[j];
#else
		for (int j = i; j < i + 16; j++)
			out[j] = float_to_f16_soft(in[j]);
#endif
	}
}

static inline void bf16_to_floats(f32 *restrict out, const u16 *restrict in, int count)
{
	for (int i = 0; i < count; i++)
		out[i] = bf16_to_float(in[i]);
}

static inline void floats_to_bf16(u16 *restrict out, const f32 *restrict in, int count)
{
	for (int i = 0; i < count; i++)
		out[i] = float_to_bf16(in[i]);
}

/* Flushes subnormals to zero of the same sign. */
static inline f32 ftz(f32 value)
{
	u32 bits = bits_of_float(value);
	return float_of_bits((bits & 0x7f800000) ? bits : bits & 0x80000000);
}

/* A product, and a product added to c, where subnormal numbers are flushed: what is below 2^-126
 * when it is rounded to 24 bits of any exponent. The scale, which overflows for no such result,
 * leaves it normal. */
static inline f32 product_ftz(f32 a, f32 b)
{
	f32 product = a * b;
	bool is_tiny = __builtin_fabsf((a * 0x1p64f) * b) < 0x1p-62f;
	return is_tiny ? float_of_bits(bits_of_float(product) & 0x80000000) : product;
}

static inline f32 fma_ftz(f32 a, f32 b, f32 c)
{
	f32 sum = __builtin_fmaf(a, b, c);
	bool is_tiny = __builtin_fabsf(__builtin_fmaf(a * 0x1p64f, b, c * 0x1p64f)) < 0x1p-62f;
	return is_tiny ? float_of_bits(bits_of_float(sum) & 0x80000000) : sum;
}

#define NAN32 float_of_bits(0x7fffffff)

/* The one NaN that a GPU's f32 arithmetic gives. */
static inline f32 canonical(f32 value)
{
	return value != value ? NAN32 : value;
}

static inline f32 saturate(f32 value)
{
	/* NaN becomes +0 */
	return value > 0.0f ? (value < 1.0f ? value : 1.0f) : 0.0f;
}

/* How many different units of 1 << shift bytes the addresses, from low to high, are in. */
static __attribute__((noinline, unused)) u32 count_scattered(const u64 *at, u64 low, u64 high,
															 int shift)
{
	if ((high - low) >> shift < 31) {
		u32 seen = 0;
		u64 first = low >> shift << shift;
		FOR_LANES seen |= 1u << ((u32)(at[i] - first) >> shift);
		return (u32)__builtin_popcount(seen);
	}
	if ((high - low) >> shift < 63) {
		u64 seen = 0;
		for (int i = 0; i < EXEC_LANES; i++)
			seen |= (u64)1 << ((at[i] >> shift) - (low >> shift));
		return (u32)__builtin_popcountll(seen);
	}
	u32 sectors[EXEC_LANES], count = 0;
	FOR_LANES sectors[i] = (u32)((at[i] >> shift) - (low >> shift));
	for (u32 left = EXEC_FULL; left; count++)
		left &= ~equal_lanes(sectors, sectors[first_lane(left)]);
	return count;
}

#endif
