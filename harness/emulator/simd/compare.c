/* Comparison, and logic of predicates. */
#include "emulator/simd/lanes.h"

static inline void predicate_write(struct warp *w, int32_t p, u32 value, u32 mask)
{
	w->predicates[p] = (w->predicates[p] & ~mask) | (value & mask);
}

static inline u32 combined(u32 how, u32 value, u32 c)
{
	return how == COMBINE_AND ? value & c : how == COMBINE_OR ? value | c : value ^ c;
}

/* p|q = compare(a, b) combined with c. in->sub: enum sub_combine. */
static inline void predicate_combine(struct warp *w, const struct exec_instruction *in, u32 value,
									 u32 mask)
{
	u32 other = ~value;
	if (in->sub != COMBINE_NONE) {
		u32 c = w->predicates[in->c] ^ (in->flags & EXEC_FLAG_NEGATED_C ? EXEC_FULL : 0);
		value = combined(in->sub, value, c);
		other = combined(in->sub, other, c);
	}
	predicate_write(w, in->d, value, mask);
	if (in->e >= 0)
		predicate_write(w, in->e, other, mask);
}

/* set: in->e: bytes of the result (4, 2); flags FLOAT: 1.0 instead of all ones */
static inline void set_write(struct warp *w, const struct exec_instruction *in, u32 value, u32 mask)
{
	if (in->sub != COMBINE_NONE) {
		u32 c = w->predicates[in->c] ^ (in->flags & EXEC_FLAG_NEGATED_C ? EXEC_FULL : 0);
		value = combined(in->sub, value, c);
	}
	if (in->reg_size == 4) {
		u32 t[EXEC_LANES], one = (u32)in->imm;
		FOR_LANES t[i] = value >> i & 1 ? one : 0;
		merge32(DEST(u32, in->d), t, mask);
	} else {
		u16 t[EXEC_LANES], one = (u16)in->imm;
		FOR_LANES t[i] = value >> i & 1 ? one : 0;
		merge16(DEST(u16, in->d), t, mask);
	}
}

#define COMPARE_LOADED(name, A, bits, load, expression)                                            \
	static inline u32 compare_##name(struct warp *w, const struct exec_instruction *in)            \
	{                                                                                              \
		const A *pa = SOURCE(A, in->a), *pb = SOURCE(A, in->b);                                    \
		s##bits t[EXEC_LANES];                                                                     \
		FOR_LANES                                                                                  \
		{                                                                                          \
			A a = load(pa[i]), b = load(pb[i]);                                                    \
			t[i] = (expression) ? -1 : 0;                                                          \
		}                                                                                          \
		return mask_of_##bits(t);                                                                  \
	}                                                                                              \
	HANDLER(setp_##name)                                                                           \
	{                                                                                              \
		predicate_combine(w, in, compare_##name(w, in), mask);                                     \
		return EXEC_NEXT;                                                                          \
	}                                                                                              \
	HANDLER(set_##name)                                                                            \
	{                                                                                              \
		set_write(w, in, compare_##name(w, in), mask);                                             \
		return EXEC_NEXT;                                                                          \
	}

#define AS_IS(x) (x)
#define COMPARE(name, A, bits, expression) COMPARE_LOADED(name, A, bits, AS_IS, expression)
#define COMPARE_ORDER(type, A, bits)                                                               \
	COMPARE(lt_##type, A, bits, a < b)                                                             \
	COMPARE(le_##type, A, bits, a <= b)                                                            \
	COMPARE(gt_##type, A, bits, a > b)                                                             \
	COMPARE(ge_##type, A, bits, a >= b)
#define COMPARE_EQUAL(type, A, bits)                                                               \
	COMPARE(eq_##type, A, bits, a == b)                                                            \
	COMPARE(ne_##type, A, bits, a != b)
/* unordered comparisons hold when an operand is NaN; the ordered ne does not */
#define COMPARE_FLOAT(type, A, bits, load)                                                         \
	COMPARE_LOADED(eq_##type, A, bits, load, a == b)                                               \
	COMPARE_LOADED(ne_##type, A, bits, load, a<b || a> b)                                          \
	COMPARE_LOADED(lt_##type, A, bits, load, a < b)                                                \
	COMPARE_LOADED(le_##type, A, bits, load, a <= b)                                               \
	COMPARE_LOADED(gt_##type, A, bits, load, a > b)                                                \
	COMPARE_LOADED(ge_##type, A, bits, load, a >= b)                                               \
	COMPARE_LOADED(equ_##type, A, bits, load, !(a < b || a > b))                                   \
	COMPARE_LOADED(neu_##type, A, bits, load, a != b)                                              \
	COMPARE_LOADED(ltu_##type, A, bits, load, !(a >= b))                                           \
	COMPARE_LOADED(leu_##type, A, bits, load, !(a > b))                                            \
	COMPARE_LOADED(gtu_##type, A, bits, load, !(a <= b))                                           \
	COMPARE_LOADED(geu_##type, A, bits, load, !(a < b))                                            \
	COMPARE_LOADED(num_##type, A, bits, load, a == a && b == b)                                    \
	COMPARE_LOADED(nan_##type, A, bits, load, a != a || b != b)

COMPARE_EQUAL(b16, u16, 16)
COMPARE_EQUAL(b32, u32, 32)
COMPARE_EQUAL(b64, u64, 64)
COMPARE_ORDER(u16, u16, 16)
COMPARE_ORDER(s16, s16, 16)
COMPARE_ORDER(u32, u32, 32)
COMPARE_ORDER(s32, s32, 32)
COMPARE_ORDER(u64, u64, 64)
COMPARE_ORDER(s64, s64, 64)
COMPARE_FLOAT(f32, f32, 32, AS_IS)
COMPARE_FLOAT(ftz_f32, f32, 32, ftz)
COMPARE_FLOAT(f64, f64, 64, AS_IS)

#define PREDICATE_LOGIC(name, expression)                                                          \
	HANDLER(name##_pred)                                                                           \
	{                                                                                              \
		u32 a = w->predicates[in->a] ^ (in->imm & NEGATED_A ? EXEC_FULL : 0);                      \
		u32 b = w->predicates[in->b] ^ (in->imm & NEGATED_B ? EXEC_FULL : 0);                      \
		(void)b;                                                                                   \
		predicate_write(w, in->d, expression, mask);                                               \
		return EXEC_NEXT;                                                                          \
	}
PREDICATE_LOGIC(and, (a & b))
PREDICATE_LOGIC(or, a | b)
PREDICATE_LOGIC(xor, a ^ b)
PREDICATE_LOGIC(not, ~a)
PREDICATE_LOGIC(mov, a)
