/* Integer, logic, selection and data movement: one handler a form. */
#include "emulator/simd/lanes.h"

#define BINARY(name, D, A, B, expression) BINARY_FIRST((void)0, name, D, A, B, expression)

/* `first` is done before any result is written. */
#define BINARY_FIRST(first, name, D, A, B, expression)                                             \
	HANDLER(name)                                                                                  \
	{                                                                                              \
		const A *pa = SOURCE(A, in->a);                                                            \
		const B *pb = SOURCE(B, in->b);                                                            \
		first;                                                                                     \
		D *pd = DEST(D, in->d), t[EXEC_LANES], *o = mask == EXEC_FULL ? pd : t;                    \
		FOR_LANES                                                                                  \
		{                                                                                          \
			A a = pa[i];                                                                           \
			B b = pb[i];                                                                           \
			o[i] = (D)(expression);                                                                \
		}                                                                                          \
		if (mask != EXEC_FULL)                                                                     \
			merge(pd, t, sizeof(D), mask);                                                         \
		return EXEC_NEXT;                                                                          \
	}

#define TERNARY(name, D, A, B, C, expression)                                                      \
	HANDLER(name)                                                                                  \
	{                                                                                              \
		const A *pa = SOURCE(A, in->a);                                                            \
		const B *pb = SOURCE(B, in->b);                                                            \
		const C *pc = SOURCE(C, in->c);                                                            \
		D *pd = DEST(D, in->d), t[EXEC_LANES], *o = mask == EXEC_FULL ? pd : t;                    \
		FOR_LANES                                                                                  \
		{                                                                                          \
			A a = pa[i];                                                                           \
			B b = pb[i];                                                                           \
			C c = pc[i];                                                                           \
			o[i] = (D)(expression);                                                                \
		}                                                                                          \
		if (mask != EXEC_FULL)                                                                     \
			merge(pd, t, sizeof(D), mask);                                                         \
		return EXEC_NEXT;                                                                          \
	}

/* ------------------------------------------------------------------------
 * Arithmetic. Wrapping is done in unsigned types. */

static inline void note_divisors(struct warp *w, const struct exec_instruction *in, u32 mask,
								 const void *divisors, size_t size)
{
	static const u64 zero = 0;
	for (u32 left = mask; left; left &= left - 1)
		if (memcmp((const u8 *)divisors + (size_t)first_lane(left) * size, &zero, size) == 0)
			w->divided = exec_pc(w, in) + 1;
}

#define WRAPPING(bits)                                                                             \
	UNARY(mov_b##bits, u##bits, u##bits, a)                                                        \
	UNARY(not_b##bits, u##bits, u##bits, ~a)                                                       \
	UNARY(cnot_b##bits, u##bits, u##bits, a == 0)                                                  \
	UNARY(neg_s##bits, u##bits, u##bits, 0 - a)                                                    \
	UNARY(abs_s##bits, u##bits, s##bits, a < 0 ? 0 - (u##bits)a : (u##bits)a)                      \
	BINARY(add_b##bits, u##bits, u##bits, u##bits, a + b)                                          \
	BINARY(sub_b##bits, u##bits, u##bits, u##bits, a - b)                                          \
	BINARY(and_b##bits, u##bits, u##bits, u##bits, (a & b))                                        \
	BINARY(or_b##bits, u##bits, u##bits, u##bits, a | b)                                           \
	BINARY(xor_b##bits, u##bits, u##bits, u##bits, a ^ b)                                          \
	BINARY(min_u##bits, u##bits, u##bits, u##bits, a < b ? a : b)                                  \
	BINARY(max_u##bits, u##bits, u##bits, u##bits, a > b ? a : b)                                  \
	BINARY(min_s##bits, s##bits, s##bits, s##bits, a < b ? a : b)                                  \
	BINARY(max_s##bits, s##bits, s##bits, s##bits, a > b ? a : b)                                  \
	/* shifts clamp their amount */                                                                \
	BINARY(shl_b##bits, u##bits, u##bits, u32, b < bits ? (u##bits)((u64)a << (b & 63)) : 0)       \
	BINARY(shr_u##bits, u##bits, u##bits, u32, b < bits ? a >> (b & (bits - 1)) : 0)               \
	BINARY(shr_s##bits, s##bits, s##bits, u32, a >> (b < bits ? b : bits - 1))                     \
	/* division by zero gives all ones, the remainder a: no trap */                                \
	BINARY_FIRST(note_divisors(w, in, mask, pb, sizeof *pb), div_u##bits, u##bits, u##bits,        \
				 u##bits, b ? a / b : (u##bits) - 1)                                               \
	BINARY_FIRST(note_divisors(w, in, mask, pb, sizeof *pb), rem_u##bits, u##bits, u##bits,        \
				 u##bits, b ? a % b : a)                                                           \
	BINARY_FIRST(note_divisors(w, in, mask, pb, sizeof *pb), div_s##bits, s##bits, s##bits,        \
				 s##bits,                                                                          \
				 b == 0    ? -1                                                                    \
				 : b == -1 ? (s##bits)(0 - (u##bits)a)                                             \
						   : a / b)                                                                \
	BINARY_FIRST(note_divisors(w, in, mask, pb, sizeof *pb), rem_s##bits, s##bits, s##bits,        \
				 s##bits,                                                                          \
				 b == 0    ? a                                                                     \
				 : b == -1 ? 0                                                                     \
						   : a % b)

#define MULTIPLYING(bits)                                                                          \
	BINARY(mul_lo_b##bits, u##bits, u##bits, u##bits, ((u64)a * b))                                \
	TERNARY(mad_lo_b##bits, u##bits, u##bits, u##bits, u##bits, ((u64)a * b) + c)

WRAPPING(16)
WRAPPING(32)
WRAPPING(64)
MULTIPLYING(16)
MULTIPLYING(32)
MULTIPLYING(64)

typedef unsigned __int128 u128;
typedef __int128 s128;

BINARY(mul_hi_u16, u16, u16, u16, ((u32)a * b) >> 16)
BINARY(mul_hi_s16, s16, s16, s16, ((s32)a * b) >> 16)
BINARY(mul_hi_u32, u32, u32, u32, ((u64)a * b) >> 32)
BINARY(mul_hi_s32, s32, s32, s32, ((s64)a * b) >> 32)
BINARY(mul_hi_u64, u64, u64, u64, ((u128)a * b) >> 64)
BINARY(mul_hi_s64, s64, s64, s64, ((s128)a * b) >> 64)
TERNARY(mad_hi_u32, u32, u32, u32, u32, (((u64)a * b) >> 32) + c)
TERNARY(mad_hi_s32, s32, s32, s32, u32, (u32)(((s64)a * b) >> 32) + c)
TERNARY(mad_hi_u64, u64, u64, u64, u64, (u64)(((u128)a * b) >> 64) + c)
TERNARY(mad_hi_s64, u64, s64, s64, u64, (u64)(((s128)a * b) >> 64) + c)
BINARY(mul_wide_u16, u32, u16, u16, ((u32)a * b))
BINARY(mul_wide_s16, s32, s16, s16, ((s32)a * b))
BINARY(mul_wide_u32, u64, u32, u32, ((u64)a * b))
BINARY(mul_wide_s32, s64, s32, s32, ((s64)a * b))
TERNARY(mad_wide_u16, u32, u16, u16, u32, ((u32)a * b) + c)
TERNARY(mad_wide_s16, u32, s16, s16, u32, (u32)((s32)a *(s32)b) + c)
TERNARY(mad_wide_u32, u64, u32, u32, u64, ((u64)a * b) + c)
TERNARY(mad_wide_s32, u64, s32, s32, u64, (u64)((s64)a *(s64)b) + c)
/* Products of polynomials over GF(2): sums are without carry. */
static inline u64 carryless_low(u64 a, u64 b)
{
	u64 low = 0;
	for (int k = 0; k < 64; k++)
		low ^= a << k & (0 - (b >> k & 1));
	return low;
}

static inline u64 carryless_high(u64 a, u64 b)
{
	u64 high = 0;
	for (int k = 1; k < 64; k++)
		high ^= a >> (64 - k) & (0 - (b >> k & 1));
	return high;
}

TERNARY(clmad_lo_u64, u64, u64, u64, u64, carryless_low(a, b) ^ c)
TERNARY(clmad_hi_u64, u64, u64, u64, u64, carryless_high(a, b) ^ c)

BINARY(mul24_lo_u32, u32, u32, u32, (u64)(a & 0xffffff) * (b & 0xffffff))
BINARY(mul24_lo_s32, u32, s32, s32, ((s64)((s32)((u32)a << 8) >> 8)) * ((s32)((u32)b << 8) >> 8))
BINARY(add_sat_s32, s32, s32, s32,
	   (s64)a + b > INT32_MAX   ? INT32_MAX
	   : (s64)a + b < INT32_MIN ? INT32_MIN
								: (s64)a + b)
BINARY(sub_sat_s32, s32, s32, s32,
	   (s64)a - b > INT32_MAX   ? INT32_MAX
	   : (s64)a - b < INT32_MIN ? INT32_MIN
								: (s64)a - b)
TERNARY(sad_u32, u32, u32, u32, u32, c + (a < b ? b - a : a - b))
TERNARY(sad_s32, u32, s32, s32, u32, c + (a < b ? (u32)b - (u32)a : (u32)a - (u32)b))
BINARY(min_relu_s32, s32, s32, s32, (a < b ? a : b) > 0 ? (a < b ? a : b) : 0)
BINARY(max_relu_s32, s32, s32, s32, (a > b ? a : b) > 0 ? (a > b ? a : b) : 0)

static inline u32 halves(s32 low, s32 high)
{
	return ((u32)low & 0xffff) | (u32)high << 16;
}
#define LOW_S(x) ((s32)(s16)(x))
#define HIGH_S(x) ((s32)(s16)((x) >> 16))
#define LOW_U(x) ((s32)((x)&0xffff))
#define HIGH_U(x) ((s32)((x) >> 16))
#define LESS(x, y) ((x) < (y) ? (x) : (y))
#define MORE(x, y) ((x) > (y) ? (x) : (y))
BINARY(add_b16x2, u32, u32, u32, halves(LOW_U(a) + LOW_U(b), HIGH_U(a) + HIGH_U(b)))
BINARY(min_s16x2, u32, u32, u32, halves(LESS(LOW_S(a), LOW_S(b)), LESS(HIGH_S(a), HIGH_S(b))))
BINARY(max_s16x2, u32, u32, u32, halves(MORE(LOW_S(a), LOW_S(b)), MORE(HIGH_S(a), HIGH_S(b))))
BINARY(min_relu_s16x2, u32, u32, u32,
	   halves(MORE(LESS(LOW_S(a), LOW_S(b)), 0), MORE(LESS(HIGH_S(a), HIGH_S(b)), 0)))
BINARY(max_relu_s16x2, u32, u32, u32,
	   halves(MORE(MORE(LOW_S(a), LOW_S(b)), 0), MORE(MORE(HIGH_S(a), HIGH_S(b)), 0)))
BINARY(min_u16x2, u32, u32, u32, halves(LESS(LOW_U(a), LOW_U(b)), LESS(HIGH_U(a), HIGH_U(b))))
BINARY(max_u16x2, u32, u32, u32, halves(MORE(LOW_U(a), LOW_U(b)), MORE(HIGH_U(a), HIGH_U(b))))

/* add.cc and friends: the carry of each lane is a bit of w->carry. in->sub: enum
 * sub_carry. */
#define CARRYING(bits, wide)                                                                       \
	HANDLER(carry_b##bits)                                                                         \
	{                                                                                              \
		const u##bits *pa = SOURCE(u##bits, in->a), *pb = SOURCE(u##bits, in->b);                  \
		u##bits *pd = DEST(u##bits, in->d);                                                        \
		for (int i = 0; i < EXEC_LANES; i++) {                                                     \
			if (!IN_MASK(i))                                                                       \
				continue;                                                                          \
			wide carry = in->sub & CARRY_IN ? w->carry >> i & 1 : 0;                               \
			wide sum = in->sub & CARRY_SUBTRACT ? (wide)pa[i] - pb[i] - carry                      \
												: (wide)pa[i] + pb[i] + carry;                     \
			pd[i] = (u##bits)sum;                                                                  \
			if (in->sub & CARRY_OUT)                                                               \
				w->carry = (w->carry & ~(1u << i)) | (u32)(sum >> bits & 1) << i;                  \
		}                                                                                          \
		return EXEC_NEXT;                                                                          \
	}
CARRYING(32, u64)
CARRYING(64, u128)

/* mad.lo.cc, mad.hi.cc, madc: in->sub: enum sub_carry */
#define CARRYING_MAD(bits, wide, swide)                                                            \
	HANDLER(carry_mad_b##bits)                                                                     \
	{                                                                                              \
		const u##bits *pa = SOURCE(u##bits, in->a), *pb = SOURCE(u##bits, in->b);                  \
		const u##bits *pc = SOURCE(u##bits, in->c);                                                \
		u##bits *pd = DEST(u##bits, in->d);                                                        \
		for (int i = 0; i < EXEC_LANES; i++) {                                                     \
			if (!IN_MASK(i))                                                                       \
				continue;                                                                          \
			wide product = in->flags & EXEC_FLAG_SIGNED                                            \
							   ? (wide)((swide)(s##bits)pa[i] * (s##bits)pb[i])                    \
							   : (wide)pa[i] * pb[i];                                              \
			u##bits part = (u##bits)(in->sub & CARRY_HIGH ? product >> bits : product);            \
			wide sum = (wide)part + pc[i] + (in->sub & CARRY_IN ? w->carry >> i & 1 : 0);          \
			pd[i] = (u##bits)sum;                                                                  \
			if (in->sub & CARRY_OUT)                                                               \
				w->carry = (w->carry & ~(1u << i)) | (u32)(sum >> bits & 1) << i;                  \
		}                                                                                          \
		return EXEC_NEXT;                                                                          \
	}
CARRYING_MAD(32, u64, s64)
CARRYING_MAD(64, u128, s128)

/* ------------------------------------------------------------------------
 * Bits */

static inline u32 reverse32(u32 x)
{
	x = (x & 0x55555555) << 1 | (x >> 1 & 0x55555555);
	x = (x & 0x33333333) << 2 | (x >> 2 & 0x33333333);
	x = (x & 0x0f0f0f0f) << 4 | (x >> 4 & 0x0f0f0f0f);
	return __builtin_bswap32(x);
}

static inline u64 reverse64(u64 x)
{
	return (u64)reverse32((u32)x) << 32 | reverse32((u32)(x >> 32));
}

static inline u32 highest_u64(u64 x)
{
	return x ? 63 - (u32)__builtin_clzll(x) : 0xffffffff;
}

static inline u32 bits_of(u32 length)
{
	return length >= 32 ? 0xffffffff : (1u << length) - 1;
}

static inline u64 bits_of_u64(u32 length)
{
	return length >= 64 ? ~(u64)0 : ((u64)1 << length) - 1;
}

static inline u64 extract(u64 a, u32 at, u32 length, u32 width, bool is_signed)
{
	at &= 0xff;
	length &= 0xff;
	u64 field = at < width ? (a & bits_of_u64(width)) >> at : 0;
	field &= bits_of_u64(length);
	if (!is_signed || length == 0)
		return field;
	u32 top = at + length - 1 < width - 1 ? at + length - 1 : width - 1;
	if (!(a >> top & 1))
		return field;
	/* the sign fills from the top of what was there */
	u32 kept = top >= at ? top - at + 1 : 0;
	return field | ~bits_of_u64(kept);
}

static inline u32 insert32(u32 a, u32 b, u32 at, u32 length)
{
	at &= 0xff;
	length &= 0xff;
	if (at >= 32)
		return b;
	u32 field = bits_of(length) << at;
	return (b & ~field) | (a << at & field);
}

static inline u64 insert64(u64 a, u64 b, u32 at, u32 length)
{
	at &= 0xff;
	length &= 0xff;
	if (at >= 64)
		return b;
	u64 field = bits_of_u64(length) << at;
	return (b & ~field) | (a << at & field);
}

UNARY(popc_b32, u32, u32, __builtin_popcount(a))
UNARY(popc_b64, u32, u64, __builtin_popcountll(a))
UNARY(clz_b32, u32, u32, a ? (u32)__builtin_clz(a) : 32)
UNARY(clz_b64, u32, u64, a ? (u32)__builtin_clzll(a) : 64)
UNARY(brev_b32, u32, u32, reverse32(a))
UNARY(brev_b64, u64, u64, reverse64(a))
UNARY(bfind_u32, u32, u32, highest_u64(a))
UNARY(bfind_s32, u32, s32, highest_u64((u32)(a < 0 ? ~a : a)))
UNARY(bfind_u64, u32, u64, highest_u64(a))
UNARY(bfind_s64, u32, s64, highest_u64((u64)(a < 0 ? ~a : a)))
UNARY(bfind_shiftamt_u32, u32, u32, a ? 31 - highest_u64(a) : 0xffffffff)
UNARY(bfind_shiftamt_s32, u32, s32,
	  (a < 0 ? ~a : a) ? 31 - highest_u64((u32)(a < 0 ? ~a : a)) : ~0u)
UNARY(bfind_shiftamt_u64, u32, u64, a ? 63 - highest_u64(a) : 0xffffffff)
TERNARY(bfe_u32, u32, u32, u32, u32, extract(a, b, c, 32, false))
TERNARY(bfe_s32, u32, u32, u32, u32, extract(a, b, c, 32, true))
TERNARY(bfe_u64, u64, u64, u32, u32, extract(a, b, c, 64, false))
TERNARY(bfe_s64, u64, u64, u32, u32, extract(a, b, c, 64, true))
BINARY(bmsk_clamp_b32, u32, u32, u32, a >= 32 ? 0 : bits_of(b) << a)
BINARY(bmsk_wrap_b32, u32, u32, u32, bits_of(b & 31) << (a & 31))
BINARY(szext_clamp_u32, u32, u32, u32, b >= 32 ? a : a & bits_of(b))
BINARY(szext_wrap_u32, u32, u32, u32, (a & bits_of(b & 31)))
BINARY(szext_clamp_s32, u32, u32, u32,
	   b >= 32  ? a
	   : b == 0 ? 0
				: (u32)((s32)(a << (32 - b)) >> (32 - b)))
BINARY(szext_wrap_s32, u32, u32, u32,
	   (b & 31) == 0 ? 0 : (u32)((s32)(a << (32 - (b & 31))) >> (32 - (b & 31))))
TERNARY(shf_l_wrap_b32, u32, u32, u32, u32, ((u64)b << 32 | a) << (c & 31) >> 32)
TERNARY(shf_r_wrap_b32, u32, u32, u32, u32, ((u64)b << 32 | a) >> (c & 31))
TERNARY(shf_l_clamp_b32, u32, u32, u32, u32, ((u64)b << 32 | a) << (c < 32 ? c : 32) >> 32)
TERNARY(shf_r_clamp_b32, u32, u32, u32, u32, ((u64)b << 32 | a) >> (c < 32 ? c : 32))

HANDLER(bfi_b32)
{
	const u32 *pa = SOURCE(u32, in->a), *pb = SOURCE(u32, in->b);
	const u32 *at = SOURCE(u32, in->c), *length = SOURCE(u32, in->e);
	u32 t[EXEC_LANES];
	FOR_LANES t[i] = insert32(pa[i], pb[i], at[i], length[i]);
	merge32(DEST(u32, in->d), t, mask);
	return EXEC_NEXT;
}

HANDLER(bfi_b64)
{
	const u64 *pa = SOURCE(u64, in->a), *pb = SOURCE(u64, in->b);
	const u32 *at = SOURCE(u32, in->c), *length = SOURCE(u32, in->e);
	u64 t[EXEC_LANES];
	FOR_LANES t[i] = insert64(pa[i], pb[i], at[i], length[i]);
	merge64(DEST(u64, in->d), t, mask);
	return EXEC_NEXT;
}

/* in->sub is the truth table */
HANDLER(lop3_b32)
{
	const u32 *pa = SOURCE(u32, in->a), *pb = SOURCE(u32, in->b), *pc = SOURCE(u32, in->c);
	u32 t[EXEC_LANES], terms[8];
	for (int i = 0; i < 8; i++)
		terms[i] = in->sub >> i & 1 ? EXEC_FULL : 0;
	FOR_LANES
	{
		u32 a = pa[i], b = pb[i], c = pc[i];
		u32 low =
			(~b & ((~c & terms[0]) | (c & terms[1]))) | (b & ((~c & terms[2]) | (c & terms[3])));
		u32 high =
			(~b & ((~c & terms[4]) | (c & terms[5]))) | (b & ((~c & terms[6]) | (c & terms[7])));
		t[i] = (~a & low) | (a & high);
	}
	merge32(DEST(u32, in->d), t, mask);
	return EXEC_NEXT;
}

static inline u32 permute(u32 a, u32 b, u32 selectors)
{
	u64 bytes = (u64)b << 32 | a;
	u32 result = 0;
	for (int i = 0; i < 4; i++) {
		u32 selector = selectors >> (4 * i);
		u32 byte = (u32)(bytes >> (8 * (selector & 7))) & 0xff;
		if (selector & 8)
			byte = byte & 0x80 ? 0xff : 0;
		result |= byte << (8 * i);
	}
	return result;
}

/* The modes of prmt pick their bytes by the low two bits of c. */
static u32 permute_mode(u32 a, u32 b, u32 c, int mode)
{
	static const u16 selectors[][4] = {
		[PERMUTE_F4E] = {0x3210, 0x4321, 0x5432, 0x6543},
		[PERMUTE_B4E] = {0x5670, 0x6701, 0x7012, 0x0123},
		[PERMUTE_RC8] = {0x0000, 0x1111, 0x2222, 0x3333},
		[PERMUTE_ECL] = {0x3210, 0x3211, 0x3222, 0x3333},
		[PERMUTE_ECR] = {0x0000, 0x1110, 0x2210, 0x3210},
		[PERMUTE_RC16] = {0x1010, 0x3232, 0x1010, 0x3232},
	};
	return permute(a, b, selectors[mode][c & 3]);
}

TERNARY(prmt_b32, u32, u32, u32, u32, permute(a, b, c))
TERNARY(prmt_mode_b32, u32, u32, u32, u32, permute_mode(a, b, c, in->sub))

/* in->sub: enum sub_dot */
static inline u32 dot4(u32 a, u32 b, u32 c, u32 sub)
{
	for (int i = 0; i < 4; i++) {
		u32 x = a >> (8 * i) & 0xff, y = b >> (8 * i) & 0xff;
		x = sub & DOT_SIGNED_A ? (u32)(s32)(s8)x : x;
		y = sub & DOT_SIGNED_B ? (u32)(s32)(s8)y : y;
		c += x * y;
	}
	return c;
}

/* DOT_HIGH: the high half of b */
static inline u32 dot2(u32 a, u32 b, u32 c, u32 sub)
{
	for (int i = 0; i < 2; i++) {
		u32 x = a >> (16 * i) & 0xffff, y = b >> (8 * i + (sub & DOT_HIGH ? 16 : 0)) & 0xff;
		x = sub & DOT_SIGNED_A ? (u32)(s32)(s16)x : x;
		y = sub & DOT_SIGNED_B ? (u32)(s32)(s8)y : y;
		c += x * y;
	}
	return c;
}

TERNARY(dp4a, u32, u32, u32, u32, dot4(a, b, c, in->sub))
TERNARY(dp2a, u32, u32, u32, u32, dot2(a, b, c, in->sub))

/* The in->imm-th set bit from bit b, counted by c (fns.b32). */
static u32 find_set(u32 bits, u32 base, s32 offset)
{
	u32 start = base & 31;
	if (offset == 0)
		return bits >> start & 1 ? start : 0xffffffff;
	s32 left = offset < 0 ? -offset : offset;
	for (s32 at = (s32)start; at >= 0 && at<32; at += offset> 0 ? 1 : -1)
		if ((bits >> at & 1) && --left == 0)
			return (u32)at;
	return 0xffffffff;
}
TERNARY(fns_b32, u32, u32, u32, s32, find_set(a, b, c))

/* ------------------------------------------------------------------------
 * Selection */

#define SELECTING(bits)                                                                            \
	HANDLER(selp_b##bits)                                                                          \
	{                                                                                              \
		const u##bits *pa = SOURCE(u##bits, in->a), *pb = SOURCE(u##bits, in->b);                  \
		u32 choose = w->predicates[in->c] ^ (u32)in->imm;                                          \
		u##bits t[EXEC_LANES];                                                                     \
		memcpy(t, pb, sizeof t);                                                                   \
		merge(t, pa, sizeof t[0], choose);                                                         \
		if (mask == EXEC_FULL)                                                                     \
			memcpy(DEST(u##bits, in->d), t, sizeof t);                                             \
		else                                                                                       \
			merge(DEST(u##bits, in->d), t, sizeof t[0], mask);                                     \
		return EXEC_NEXT;                                                                          \
	}                                                                                              \
	TERNARY(slct_b##bits##_s32, u##bits, u##bits, u##bits, s32, c >= 0 ? a : b)                    \
	TERNARY(slct_b##bits##_f32, u##bits, u##bits, u##bits, f32, c >= 0 ? a : b)
SELECTING(16)
SELECTING(32)
SELECTING(64)

/* ------------------------------------------------------------------------
 * Moves between sizes: mov.b32 {a, b}, c and back. in->list: the elements;
 * in->size: bytes of one element; in->e < 0 in the list: not wanted. */

HANDLER(pack)
{
	u8 t[EXEC_LANES * 16];
	int whole = in->reg_size, part = in->size;
	for (int e = 0; e < in->count; e++) {
		const u8 *p = SOURCE(u8, in->list[e]);
		for (int i = 0; i < EXEC_LANES; i++)
			memcpy(t + i * whole + e * part, p + i * part, (size_t)part);
	}
	u8 *d = DEST(u8, in->d);
	for (int i = 0; i < EXEC_LANES; i++)
		if (IN_MASK(i))
			memcpy(d + i * whole, t + i * whole, (size_t)whole);
	return EXEC_NEXT;
}

HANDLER(unpack)
{
	int whole = in->reg_size, part = in->size;
	u8 t[EXEC_LANES * 16];
	memcpy(t, SOURCE(u8, in->a), (size_t)(EXEC_LANES * whole));
	for (int e = 0; e < in->count; e++) {
		if (in->list[e] < 0)
			continue;
		u8 *d = DEST(u8, in->list[e]);
		for (int i = 0; i < EXEC_LANES; i++)
			if (IN_MASK(i))
				memcpy(d + i * part, t + i * whole + e * part, (size_t)part);
	}
	return EXEC_NEXT;
}

HANDLER(pack_b32_b16)
{
	const u16 *low = SOURCE(u16, in->list[0]), *high = SOURCE(u16, in->list[1]);
	u32 t[EXEC_LANES];
	FOR_LANES t[i] = (u32)high[i] << 16 | low[i];
	merge32(DEST(u32, in->d), t, mask);
	return EXEC_NEXT;
}

HANDLER(unpack_b32_b16)
{
	const u32 *a = SOURCE(u32, in->a);
	u16 low[EXEC_LANES], high[EXEC_LANES];
	FOR_LANES
	{
		low[i] = (u16)a[i];
		high[i] = (u16)(a[i] >> 16);
	}
	if (in->list[0] >= 0)
		merge16(DEST(u16, in->list[0]), low, mask);
	if (in->list[1] >= 0)
		merge16(DEST(u16, in->list[1]), high, mask);
	return EXEC_NEXT;
}

HANDLER(mov_b128)
{
	const u64 *a = SOURCE(u64, in->a);
	u64 *d = DEST(u64, in->d);
	for (int i = 0; i < 2 * EXEC_LANES; i++)
		if (IN_MASK(i / 2))
			d[i] = a[i];
	return EXEC_NEXT;
}
