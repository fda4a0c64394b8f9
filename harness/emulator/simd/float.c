/* Floating point. f32 and f64 follow IEEE 754; the 16-bit formats are computed
 * in f32 (add, mul: the second rounding is innocuous, as 24 >= 2 * 11 + 2; fma
 * rounds to odd first). */
#include "emulator/simd/mufu.h"

#define BODY_3(D, A, expression)                                                                   \
	const A *pa = SOURCE(A, in->a), *pb = SOURCE(A, in->b), *pc = SOURCE(A, in->c);                \
	D *pd = DEST(D, in->d), t[EXEC_LANES], *o = mask == EXEC_FULL ? pd : t;                        \
	FOR_LANES                                                                                      \
	{                                                                                              \
		A a = pa[i], b = pb[i], c = pc[i];                                                         \
		o[i] = (D)(expression);                                                                    \
	}                                                                                              \
	if (mask != EXEC_FULL)                                                                         \
		merge(pd, t, sizeof(D), mask);                                                             \
	return EXEC_NEXT;

#define BINARY(name, A, expression)                                                                \
	HANDLER(name)                                                                                  \
	{                                                                                              \
		BODY_2(A, A, expression)                                                                   \
	}
#define TERNARY(name, A, expression)                                                               \
	HANDLER(name)                                                                                  \
	{                                                                                              \
		BODY_3(A, A, expression)                                                                   \
	}

/* ------------------------------------------------------------------------
 * Rounding to nearest. Which NaN an f32 instruction gives, PTX leaves open; a GPU gives one. Those
 * of f64 keep the payload of an operand. */

static inline f64 quiet(f64 value)
{
	return double_of_bits(bits_of_double(value) | (value != value ? (u64)1 << 51 : 0));
}

/* The NaN of arithmetic is the last operand's that is one: of fma, of a, c and b in this order; of
 * a quotient, of b and a. Where none is, as in 0 / 0, it has its sign set. The host's own is
 * another one on each kind of processor. */
static inline f64 with_nan(f64 result, f64 first, f64 second, f64 last)
{
	f64 one = first != first ? first : double_of_bits(UINT64_C(0xfff8) << 48);
	one = second != second ? second : one;
	one = last != last ? last : one;
	return result != result ? quiet(one) : result;
}

BINARY(add_f32, f32, canonical(a + b))
BINARY(sub_f32, f32, canonical(a - b))
BINARY(mul_f32, f32, canonical((a * b)))
BINARY(div_f32, f32, canonical(a / b))
TERNARY(fma_f32, f32, canonical(__builtin_fmaf(a, b, c)))
UNARY(sqrt_f32, f32, f32, canonical(__builtin_sqrtf(a)))
UNARY(rcp_f32, f32, f32, canonical(1.0f / a))
BINARY(add_ftz_f32, f32, canonical(ftz(ftz(a) + ftz(b))))
BINARY(sub_ftz_f32, f32, canonical(ftz(ftz(a) - ftz(b))))
BINARY(mul_ftz_f32, f32, canonical(product_ftz(ftz(a), ftz(b))))
BINARY(div_ftz_f32, f32, canonical(ftz(ftz(a) / ftz(b))))
TERNARY(fma_ftz_f32, f32, canonical(fma_ftz(ftz(a), ftz(b), ftz(c))))
UNARY(sqrt_ftz_f32, f32, f32, canonical(__builtin_sqrtf(ftz(a))))
UNARY(rcp_ftz_f32, f32, f32, canonical(ftz(1.0f / ftz(a))))
BINARY(add_f64, f64, with_nan(a + b, a, a, b))
BINARY(sub_f64, f64, with_nan(a - b, a, a, b))
BINARY(mul_f64, f64, with_nan(a *b, a, a, b))
BINARY(div_f64, f64, with_nan(a / b, b, b, a))
TERNARY(fma_f64, f64, with_nan(__builtin_fma(a, b, c), a, c, b))
UNARY(sqrt_f64, f64, f64, with_nan(__builtin_sqrt(a), a, a, a))
UNARY(rcp_f64, f64, f64, with_nan(1.0 / a, a, a, a))

/* ------------------------------------------------------------------------
 * Other rounding modes, .sat: in->sub is enum sub_rounding. The
 * arithmetic reads and writes memory only between the two barriers, which keeps
 * the compiler from moving it out of the mode. */

static inline u64 rounding_enter(u32 mode)
{
	static const enum rounding_mode modes[] = {[ROUND_NEAREST] = ROUNDING_NEAREST,
											   [ROUND_ZERO] = ROUNDING_ZERO,
											   [ROUND_DOWN] = ROUNDING_DOWN,
											   [ROUND_UP] = ROUNDING_UP};
	u64 before = rounding_set(modes[mode & 3]);
	__asm__ volatile("" ::: "memory");
	return before;
}

static inline void rounding_leave(u64 before)
{
	__asm__ volatile("" ::: "memory");
	rounding_set_back(before);
}

static __attribute__((noinline)) void finish_f32(f32 *t, u32 flags)
{
	if (flags & EXEC_FLAG_SAT)
		FOR_LANES t[i] = saturate(t[i]);
	if (flags & EXEC_FLAG_FTZ)
		FOR_LANES t[i] = ftz(t[i]);
	FOR_LANES t[i] = canonical(t[i]);
}

static __attribute__((noinline)) void fetch_f32(f32 *out, const f32 *in, u32 flags, u32 negated)
{
	FOR_LANES out[i] = flags & EXEC_FLAG_FTZ ? ftz(in[i]) : in[i];
	if (flags & negated)
		FOR_LANES out[i] = -out[i];
}

static __attribute__((noinline)) void fetch_f64(f64 *out, const f64 *in, u32 flags, u32 negated)
{
	FOR_LANES out[i] = flags & negated ? -in[i] : in[i];
}

#define MODE_F32(name, expression)                                                                 \
	HANDLER(name##_mode_f32)                                                                       \
	{                                                                                              \
		f32 va[EXEC_LANES], vb[EXEC_LANES], vc[EXEC_LANES], t[EXEC_LANES];                         \
		fetch_f32(va, SOURCE(f32, in->a), in->flags, EXEC_FLAG_NEGATED_A);                         \
		fetch_f32(vb, SOURCE(f32, in->b), in->flags, 0);                                           \
		fetch_f32(vc, SOURCE(f32, in->c), in->flags, EXEC_FLAG_NEGATED_C);                         \
		u64 before = rounding_enter(in->sub);                                                      \
		FOR_LANES                                                                                  \
		{                                                                                          \
			f32 a = va[i], b = vb[i], c = vc[i];                                                   \
			(void)b;                                                                               \
			(void)c;                                                                               \
			t[i] = expression;                                                                     \
		}                                                                                          \
		rounding_leave(before);                                                                    \
		finish_f32(t, in->flags);                                                                  \
		merge32(DEST(u32, in->d), (const u32 *)t, mask);                                           \
		return EXEC_NEXT;                                                                          \
	}
#define MODE_F64(name, expression)                                                                 \
	HANDLER(name##_mode_f64)                                                                       \
	{                                                                                              \
		const f64 *vb = SOURCE(f64, in->b);                                                        \
		f64 va[EXEC_LANES], vc[EXEC_LANES], t[EXEC_LANES];                                         \
		fetch_f64(va, SOURCE(f64, in->a), in->flags, EXEC_FLAG_NEGATED_A);                         \
		fetch_f64(vc, SOURCE(f64, in->c), in->flags, EXEC_FLAG_NEGATED_C);                         \
		u64 before = rounding_enter(in->sub);                                                      \
		FOR_LANES                                                                                  \
		{                                                                                          \
			f64 a = va[i], b = vb[i], c = vc[i];                                                   \
			(void)b;                                                                               \
			(void)c;                                                                               \
			t[i] = expression;                                                                     \
		}                                                                                          \
		rounding_leave(before);                                                                    \
		merge64(DEST(u64, in->d), (const u64 *)t, mask);                                           \
		return EXEC_NEXT;                                                                          \
	}

MODE_F32(add, a + b)
MODE_F32(sub, a - b)
MODE_F32(mul, (a * b))
MODE_F32(div, a / b)
MODE_F32(fma, __builtin_fmaf(a, b, c))
MODE_F32(sqrt, __builtin_sqrtf(a))
MODE_F32(rcp, 1.0f / a)
MODE_F64(add, with_nan(a + b, a, a, b))
MODE_F64(sub, with_nan(a - b, a, a, b))
MODE_F64(mul, with_nan(a *b, a, a, b))
MODE_F64(div, with_nan(a / b, b, b, a))
MODE_F64(fma, with_nan(__builtin_fma(a, b, c), a, c, b))
MODE_F64(sqrt, with_nan(__builtin_sqrt(a), a, a, a))
MODE_F64(rcp, with_nan(1.0 / a, a, a, a))

/* ------------------------------------------------------------------------
 * Signs, minima, tests. A GPU adds -0 for the sign of f32 and of 16 bits, whose NaN is the one of
 * arithmetic. */

static inline f32 least(f32 a, f32 b)
{
	f32 less = a < b || (a == b && __builtin_signbit(a)) ? a : b;
	less = a != a ? b : b != b ? a : less;
	return less != less ? NAN32 : less;
}

static inline f32 most(f32 a, f32 b)
{
	f32 more = a > b || (a == b && !__builtin_signbit(a)) ? a : b;
	more = a != a ? b : b != b ? a : more;
	return more != more ? NAN32 : more;
}

static inline f32 least_nan(f32 a, f32 b)
{
	return a != a || b != b ? NAN32 : least(a, b);
}

static inline f32 most_nan(f32 a, f32 b)
{
	return a != a || b != b ? NAN32 : most(a, b);
}

static inline f64 least64(f64 a, f64 b)
{
	f64 less = a < b || (a == b && __builtin_signbit(a)) ? a : b;
	return a != a ? quiet(b) : b != b ? a : less;
}

static inline f64 most64(f64 a, f64 b)
{
	f64 more = a > b || (a == b && !__builtin_signbit(a)) ? a : b;
	return a != a ? quiet(b) : b != b ? a : more;
}

/* A NaN has no sign. */
static inline f32 with_sign(f32 magnitude, u32 sign)
{
	u32 bits = (bits_of_float(magnitude) & 0x7fffffff) | (sign & 0x80000000);
	return magnitude != magnitude ? NAN32 : float_of_bits(bits);
}

#define SIGNS(a, b) (bits_of_float(a) ^ bits_of_float(b))

UNARY(abs_f32, f32, f32, canonical(__builtin_fabsf(a)))
UNARY(neg_f32, f32, f32, canonical(-a))
UNARY(abs_ftz_f32, f32, f32, canonical(__builtin_fabsf(ftz(a))))
UNARY(neg_ftz_f32, f32, f32, canonical(-ftz(a)))
UNARY(abs_f64, f64, f64, a != a ? quiet(a) : __builtin_fabs(a))
UNARY(neg_f64, f64, f64, a != a ? quiet(a) : -a)
BINARY(min_f32, f32, least(a, b))
BINARY(max_f32, f32, most(a, b))
BINARY(min_ftz_f32, f32, least(ftz(a), ftz(b)))
BINARY(max_ftz_f32, f32, most(ftz(a), ftz(b)))
BINARY(min_NaN_f32, f32, least_nan(a, b))
BINARY(max_NaN_f32, f32, most_nan(a, b))
BINARY(min_NaN_ftz_f32, f32, least_nan(ftz(a), ftz(b)))
BINARY(max_NaN_ftz_f32, f32, most_nan(ftz(a), ftz(b)))
#define OF_MAGNITUDES(name, choose)                                                                \
	BINARY(name##_xorsign_abs_f32, f32, with_sign(choose(fabsf(a), fabsf(b)), SIGNS(a, b)))        \
	BINARY(name##_xorsign_abs_ftz_f32, f32,                                                        \
		   with_sign(choose(ftz(fabsf(a)), ftz(fabsf(b))), SIGNS(a, b)))
OF_MAGNITUDES(min, least)
OF_MAGNITUDES(max, most)
OF_MAGNITUDES(min_NaN, least_nan)
OF_MAGNITUDES(max_NaN, most_nan)
BINARY(min_f64, f64, least64(a, b))
BINARY(max_f64, f64, most64(a, b))
/* copysign d, a, b: the sign of a, the value of b */
BINARY(copysign_f32, f32, __builtin_copysignf(b, a))
BINARY(copysign_f64, f64, __builtin_copysign(b, a))

/* in->sub: enum sub_number, whose bits are numbered as by fpclassify() */
_Static_assert(NUMBER_NAN == 1 << FP_NAN && NUMBER_INFINITE == 1 << FP_INFINITE &&
				   NUMBER_ZERO == 1 << FP_ZERO && NUMBER_SUBNORMAL == 1 << FP_SUBNORMAL &&
				   NUMBER_NORMAL == 1 << FP_NORMAL,
			   "testp shifts by what fpclassify gives");
#define TEST(type)                                                                                 \
	HANDLER(testp_##type)                                                                          \
	{                                                                                              \
		const type *a = SOURCE(type, in->a);                                                       \
		u32 value = 0;                                                                             \
		for (int i = 0; i < EXEC_LANES; i++)                                                       \
			value |= (in->sub >> fpclassify(a[i]) & 1u) << i;                                      \
		w->predicates[in->d] = (w->predicates[in->d] & ~mask) | (value & mask);                    \
		return EXEC_NEXT;                                                                          \
	}
TEST(f32)
TEST(f64)

/* ------------------------------------------------------------------------
 * f16, bf16 and their pairs: COUNT values in registers of 32 lanes */

static inline void write_halves(struct warp *w, const struct exec_instruction *in, const u16 *t,
								int count, u32 mask)
{
	if (count == EXEC_LANES)
		merge16(DEST(u16, in->d), t, mask);
	else
		merge32(DEST(u32, in->d), (const u32 *)t, mask);
}

static __attribute__((noinline)) void finish_halves(f32 *r, int count, u32 flags)
{
	if (flags & EXEC_FLAG_SAT)
		for (int i = 0; i < count; i++)
			r[i] = saturate(r[i]);
	if (flags & EXEC_FLAG_RELU)
		for (int i = 0; i < count; i++)
			r[i] = r[i] <= 0.0f ? 0.0f : r[i];
}

static __attribute__((noinline)) void flush_f16_floats(f32 *r, int count)
{
	for (int i = 0; i < count; i++)
		r[i] = __builtin_fabsf(r[i]) < 0x1p-14f ? __builtin_copysignf(0.0f, r[i]) : r[i];
}

/* Of results, before they are rounded: what 11 bits have below 2^-14, whatever the exponent. */
static __attribute__((noinline)) void flush_f16_results(f32 *r, int count)
{
	const f32 least = 0x1p-14f - 0x1p-26f;
	for (int i = 0; i < count; i++)
		r[i] = __builtin_fabsf(r[i]) < least ? __builtin_copysignf(0.0f, r[i]) : r[i];
}

#define HALF_FETCH(format, v, operand, count)                                                      \
	f32 v[count];                                                                                  \
	format##_to_floats(v, SOURCE(u16, operand), count);                                            \
	if (in->flags & EXEC_FLAG_FTZ)                                                                 \
		flush_f16_floats(v, count);
#define HALF_STORE(format, r, count)                                                               \
	if (in->flags & EXEC_FLAG_FTZ)                                                                 \
		flush_f16_results(r, count);                                                               \
	if (in->flags & (EXEC_FLAG_SAT | EXEC_FLAG_RELU))                                              \
		finish_halves(r, count, in->flags);                                                        \
	u16 t[count];                                                                                  \
	floats_to_##format(t, r, count);                                                               \
	write_halves(w, in, t, count, mask);                                                           \
	return EXEC_NEXT;

#define HALF_1(name, suffix, format, count, expression)                                            \
	HANDLER(name##_##suffix)                                                                       \
	{                                                                                              \
		HALF_FETCH(format, va, in->a, count)                                                       \
		f32 r[count];                                                                              \
		for (int i = 0; i < count; i++) {                                                          \
			f32 a = va[i];                                                                         \
			r[i] = expression;                                                                     \
		}                                                                                          \
		HALF_STORE(format, r, count)                                                               \
	}
#define HALF_2(name, suffix, format, count, expression)                                            \
	HANDLER(name##_##suffix)                                                                       \
	{                                                                                              \
		HALF_FETCH(format, va, in->a, count)                                                       \
		HALF_FETCH(format, vb, in->b, count)                                                       \
		f32 r[count];                                                                              \
		for (int i = 0; i < count; i++) {                                                          \
			f32 a = va[i], b = vb[i];                                                              \
			r[i] = expression;                                                                     \
		}                                                                                          \
		HALF_STORE(format, r, count)                                                               \
	}

/* a * b + c rounded to odd, so that one more rounding gives the right result.
 * The f16 product is exact in f32. */
static inline f32 fma_odd_f16(f32 a, f32 b, f32 c)
{
	f32 p = a * b, s = p + c;
	f32 bb = s - p, error = (p - (s - bb)) + (c - bb);
	u32 bits = bits_of_float(s);
	bool same = (error < 0.0f) == (s < 0.0f);
	u32 odd = same ? bits + 1 : bits - 1;
	bool nudge = error != 0.0f && !(bits & 1) && __builtin_fabsf(s) < INFINITY;
	return nudge && error == error ? float_of_bits(odd) : s;
}

/* The bf16 product is exact in f64; the sum is rounded to odd twice. */
static inline f32 fma_odd_bf16(f32 a, f32 b, f32 c)
{
	f64 p = (f64)a * b, s = p + c;
	f64 bb = s - p, error = (p - (s - bb)) + (c - bb);
	f32 r = (f32)s;
	f64 rest = (s - (f64)r) + error;
	u32 bits = bits_of_float(r);
	bool finite = __builtin_fabsf(r) < INFINITY;
	bool same = (rest < 0.0) == (r < 0.0f);
	bool nudge = finite && rest == rest && rest != 0.0 && r != 0.0f && !(bits & 1);
	return nudge ? float_of_bits(same ? bits + 1 : bits - 1) : r;
}

static __attribute__((noinline)) void negate(f32 *v, int count)
{
	for (int i = 0; i < count; i++)
		v[i] = -v[i];
}

#define HALF_FMA(suffix, format, count)                                                            \
	HANDLER(fma_##suffix)                                                                          \
	{                                                                                              \
		HALF_FETCH(format, va, in->a, count)                                                       \
		HALF_FETCH(format, vb, in->b, count)                                                       \
		HALF_FETCH(format, vc, in->c, count)                                                       \
		if (in->flags & EXEC_FLAG_NEGATED_A)                                                       \
			negate(va, count);                                                                     \
		if (in->flags & EXEC_FLAG_NEGATED_C)                                                       \
			negate(vc, count);                                                                     \
		f32 r[count];                                                                              \
		for (int i = 0; i < count; i++)                                                            \
			r[i] = fma_odd_##format(va[i], vb[i], vc[i]);                                          \
		HALF_STORE(format, r, count)                                                               \
	}

/* Towards 0, as the multi-function unit's results are. */
static inline f32 cut_to_f16(f32 value)
{
	f32 subnormal = (f32)(s32)(value * 0x1p24f) * 0x1p-24f;
	f32 normal = float_of_bits(bits_of_float(value) & 0xffffe000);
	bool is_normal = !(__builtin_fabsf(value) < 0x1p-14f);
	return is_normal ? normal : __builtin_copysignf(subnormal, value);
}

static inline f32 cut_to_bf16(f32 value)
{
	return float_of_bits(bits_of_float(value) & 0xffff0000);
}

#define HALF_SPECIAL(name, suffix, format, count)                                                  \
	HANDLER(name##_approx_##suffix)                                                                \
	{                                                                                              \
		HALF_FETCH(format, va, in->a, count)                                                       \
		f32 r[count];                                                                              \
		for (int i = 0; i < count; i += EXEC_LANES)                                                \
			mufu_##name(va + i, r + i);                                                            \
		for (int i = 0; i < count; i++)                                                            \
			r[i] = cut_to_##format(r[i]);                                                          \
		HALF_STORE(format, r, count)                                                               \
	}

#define HALF_ALL(suffix, format, count)                                                            \
	HALF_2(add, suffix, format, count, a + b)                                                      \
	HALF_2(sub, suffix, format, count, a - b)                                                      \
	HALF_2(mul, suffix, format, count, (a * b))                                                    \
	HALF_FMA(suffix, format, count)                                                                \
	HALF_2(min, suffix, format, count, least(a, b))                                                \
	HALF_2(max, suffix, format, count, most(a, b))                                                 \
	HALF_2(min_NaN, suffix, format, count, least_nan(a, b))                                        \
	HALF_2(max_NaN, suffix, format, count, most_nan(a, b))                                         \
	HALF_2(min_xorsign_abs, suffix, format, count,                                                 \
		   with_sign(least(fabsf(a), fabsf(b)), SIGNS(a, b)))                                      \
	HALF_2(max_xorsign_abs, suffix, format, count,                                                 \
		   with_sign(most(fabsf(a), fabsf(b)), SIGNS(a, b)))                                       \
	HALF_2(min_NaN_xorsign_abs, suffix, format, count,                                             \
		   with_sign(least_nan(fabsf(a), fabsf(b)), SIGNS(a, b)))                                  \
	HALF_2(max_NaN_xorsign_abs, suffix, format, count,                                             \
		   with_sign(most_nan(fabsf(a), fabsf(b)), SIGNS(a, b)))                                   \
	HALF_SPECIAL(ex2, suffix, format, count)                                                       \
	HALF_SPECIAL(tanh, suffix, format, count)

HALF_ALL(f16, f16, 32)
HALF_ALL(f16x2, f16, 64)
HALF_ALL(bf16, bf16, 32)
HALF_ALL(bf16x2, bf16, 64)

#define HALF_SIGN(name, suffix, count, infinity, expression)                                       \
	HANDLER(name##_##suffix)                                                                       \
	{                                                                                              \
		const u16 *pa = SOURCE(u16, in->a);                                                        \
		u16 t[count];                                                                              \
		for (int i = 0; i < count; i++) {                                                          \
			u16 a = pa[i];                                                                         \
			t[i] = (u16)((a & 0x7fff) > infinity ? 0x7fff : (expression));                         \
		}                                                                                          \
		write_halves(w, in, t, count, mask);                                                       \
		return EXEC_NEXT;                                                                          \
	}
#define HALF_SIGNS(suffix, count, infinity)                                                        \
	HALF_SIGN(abs, suffix, count, infinity, a & 0x7fff)                                            \
	HALF_SIGN(neg, suffix, count, infinity, a ^ 0x8000)
HALF_SIGNS(f16, 32, 0x7c00)
HALF_SIGNS(f16x2, 64, 0x7c00)
HALF_SIGNS(bf16, 32, 0x7f80)
HALF_SIGNS(bf16x2, 64, 0x7f80)

static inline bool compare_floats(u32 how, f32 a, f32 b)
{
	bool unordered = a != a || b != b;
	switch (how) {
	case COMPARE_EQ: return a == b;
	case COMPARE_NE: return a < b || a > b;
	case COMPARE_LT: return a < b;
	case COMPARE_LE: return a <= b;
	case COMPARE_GT: return a > b;
	case COMPARE_GE: return a >= b;
	case COMPARE_EQU: return unordered || a == b;
	case COMPARE_NEU: return a != b;
	case COMPARE_LTU: return unordered || a < b;
	case COMPARE_LEU: return unordered || a <= b;
	case COMPARE_GTU: return unordered || a > b;
	case COMPARE_GEU: return unordered || a >= b;
	case COMPARE_NUM: return !unordered;
	default: return unordered;
	}
}

/* setp and set of halves. in->size: enum sub_comparison; in->sub: enum sub_combine
 * with c; pairs give two predicates (d, e) or two halves. in->imm: what set
 * writes for true. */
#define HALF_COMPARE(suffix, format, count)                                                        \
	HANDLER(setp_##suffix)                                                                         \
	{                                                                                              \
		HALF_FETCH(format, va, in->a, count)                                                       \
		HALF_FETCH(format, vb, in->b, count)                                                       \
		const int pairs = count / EXEC_LANES;                                                      \
		u32 c = in->sub != COMBINE_NONE                                                            \
					? w->predicates[in->c] ^ (in->flags & EXEC_FLAG_NEGATED_C ? EXEC_FULL : 0)     \
					: 0;                                                                           \
		for (int half = 0; half < 2; half++) {                                                     \
			int32_t d = half ? in->e : in->d;                                                      \
			if (d < 0)                                                                             \
				continue;                                                                          \
			u32 value = 0;                                                                         \
			for (int i = 0; i < EXEC_LANES; i++) {                                                 \
				int at = pairs == 2 ? 2 * i + half : i;                                            \
				value |= (u32)compare_floats(in->size, va[at], vb[at]) << i;                       \
			}                                                                                      \
			if (half && pairs == 1)                                                                \
				value = ~value;                                                                    \
			value = in->sub == COMBINE_AND   ? value & c                                           \
					: in->sub == COMBINE_OR  ? value | c                                           \
					: in->sub == COMBINE_XOR ? value ^ c                                           \
											 : value;                                              \
			w->predicates[d] = (w->predicates[d] & ~mask) | (value & mask);                        \
		}                                                                                          \
		return EXEC_NEXT;                                                                          \
	}                                                                                              \
	HANDLER(set_##suffix)                                                                          \
	{                                                                                              \
		HALF_FETCH(format, va, in->a, count)                                                       \
		HALF_FETCH(format, vb, in->b, count)                                                       \
		if (count == EXEC_LANES && in->reg_size == 4) {                                            \
			u32 wide[EXEC_LANES];                                                                  \
			for (int i = 0; i < EXEC_LANES; i++)                                                   \
				wide[i] = compare_floats(in->size, va[i], vb[i]) ? (u32)in->imm : 0;               \
			merge32(DEST(u32, in->d), wide, mask);                                                 \
			return EXEC_NEXT;                                                                      \
		}                                                                                          \
		u16 t[count];                                                                              \
		for (int i = 0; i < count; i++)                                                            \
			t[i] = compare_floats(in->size, va[i], vb[i]) ? (u16)in->imm : 0;                      \
		write_halves(w, in, t, count, mask);                                                       \
		return EXEC_NEXT;                                                                          \
	}
HALF_COMPARE(f16, f16, 32)
HALF_COMPARE(f16x2, f16, 64)
HALF_COMPARE(bf16, bf16, 32)
HALF_COMPARE(bf16x2, bf16, 64)
