/* cvt. The usual forms have handlers of their own; cvt_any does every form, a
 * lane at a time, through 64-bit integers and doubles, which hold every source
 * exactly. */
#include "emulator/simd/lanes.h"

/* Conversions from f64 keep a NaN's sign and the upper bits of its payload, and make it quiet. */
static inline u64 nan_of_f64(f64 value, enum ptx_type type)
{
	const int fraction = type == PTX_F16 ? 10 : type == PTX_BF16 ? 7 : type == PTX_F32 ? 23 : 52;
	const int exponent = type == PTX_F16 ? 5 : type == PTX_F64 ? 11 : 8;
	const u64 bits = bits_of_double(value), ones = ((u64)1 << (exponent + 1)) - 1;
	u64 payload = (bits & 0xfffffffffffff) >> (52 - fraction);
	return bits >> 63 << (exponent + fraction) | ones << (fraction - 1) | payload;
}

static inline f32 f32_of_f64(f64 value)
{
	f32 nan = float_of_bits((u32)nan_of_f64(value, PTX_F32));
	return value != value ? nan : (f32)value;
}

UNARY(cvt_b64_u32, u64, u32, a)
UNARY(cvt_b64_s32, s64, s32, a)
UNARY(cvt_b64_u16, u64, u16, a)
UNARY(cvt_b64_s16, s64, s16, a)
UNARY(cvt_b32_u16, u32, u16, a)
UNARY(cvt_b32_s16, s32, s16, a)
UNARY(cvt_b32_b64, u32, u64, a)
UNARY(cvt_b16_b32, u16, u32, a)
UNARY(cvt_b16_b64, u16, u64, a)
UNARY(cvt_f32_s32, f32, s32, a)
UNARY(cvt_f32_u32, f32, u32, a)
UNARY(cvt_f64_s32, f64, s32, a)
UNARY(cvt_f64_u32, f64, u32, a)
UNARY(cvt_f64_f32, f64, f32, a)
UNARY(cvt_f32_f64, f32, f64, f32_of_f64(a))
UNARY(cvt_f32_bf16, u32, u16, (u32)a << 16)
UNARY(cvt_bf16_f32, u16, f32, float_to_bf16(a))

HANDLER(cvt_f32_f16)
{
	f32 t[EXEC_LANES], *d = DEST(f32, in->d), *o = mask == EXEC_FULL ? d : t;
	f16_to_floats(o, SOURCE(u16, in->a), EXEC_LANES);
	FOR_LANES o[i] = canonical(o[i]);
	if (mask != EXEC_FULL)
		merge32((u32 *)d, (const u32 *)t, mask);
	return EXEC_NEXT;
}

HANDLER(cvt_f16_f32)
{
	u16 t[EXEC_LANES];
	floats_to_f16(t, SOURCE(f32, in->a), EXEC_LANES);
	merge16(DEST(u16, in->d), t, mask);
	return EXEC_NEXT;
}

/* d = {b, a}: a is the upper half */
#define CONVERT_PAIR(format)                                                                       \
	HANDLER(cvt_##format##x2_f32)                                                                  \
	{                                                                                              \
		f32 a[EXEC_LANES], b[EXEC_LANES];                                                          \
		memcpy(a, SOURCE(f32, in->a), sizeof a);                                                   \
		memcpy(b, SOURCE(f32, in->b), sizeof b);                                                   \
		if (in->flags & EXEC_FLAG_RELU)                                                            \
			FOR_LANES                                                                              \
			{                                                                                      \
				a[i] = a[i] <= 0.0f ? 0.0f : a[i];                                                 \
				b[i] = b[i] <= 0.0f ? 0.0f : b[i];                                                 \
			}                                                                                      \
		u16 high[EXEC_LANES], low[EXEC_LANES];                                                     \
		u32 t[EXEC_LANES];                                                                         \
		floats_to_##format(high, a, EXEC_LANES);                                                   \
		floats_to_##format(low, b, EXEC_LANES);                                                    \
		FOR_LANES t[i] = (u32)high[i] << 16 | low[i];                                              \
		merge32(DEST(u32, in->d), t, mask);                                                        \
		return EXEC_NEXT;                                                                          \
	}
CONVERT_PAIR(f16)
CONVERT_PAIR(bf16)

/* ------------------------------------------------------------------------
 * The general form. in->size and in->count: source and result types; in->width
 * and in->reg_size: bytes of their registers; in->sub: enum sub_rounding; in->e: 1 when
 * the rounding is to an integer. */

static f64 round_integral(f64 value, int mode)
{
	switch (mode) {
	case ROUND_ZERO: return trunc(value);
	case ROUND_DOWN: return floor(value);
	case ROUND_UP: return ceil(value);
	case ROUND_AWAY: return round(value);
	default: return rint(value);
	}
}

/* The nearest value with `precision` significant bits and a smallest exponent. */
static f64 quantise(f64 value, int precision, int least_exponent, int mode)
{
	if (value == 0.0 || isnan(value) || isinf(value))
		return value;
	int exponent = ilogb(value);
	if (exponent < least_exponent)
		exponent = least_exponent;
	int shift = precision - 1 - exponent;
	f64 scaled = scalbn(value, shift);
	f64 result = scalbn(round_integral(scaled, mode), -shift);
	return result == 0.0 ? copysign(0.0, value) : result;
}

struct format {
	int precision, least_exponent;
	f64 largest;
	bool has_infinity;
};

static struct format format_of(enum ptx_type type)
{
	switch (type) {
	case PTX_F16: return (struct format){11, -14, 65504.0, true};
	case PTX_BF16: return (struct format){8, -126, 0x1.fep127, true};
	case PTX_TF32: return (struct format){11, -126, 0x1.ffcp127, true};
	case PTX_F32: return (struct format){24, -126, 0x1.fffffep127, true};
	case PTX_E4M3: return (struct format){4, -6, 448.0, false};
	case PTX_E5M2: return (struct format){3, -14, 57344.0, true};
	default: return (struct format){53, -1022, 0x1.fffffffffffffp1023, true};
	}
}

static u64 encode_small(f64 value, int exponent_bits, int fraction_bits)
{
	int bias = (1 << (exponent_bits - 1)) - 1;
	f64 magnitude = fabs(value);
	u64 sign = signbit(value) ? (u64)1 << (exponent_bits + fraction_bits) : 0;
	if (magnitude < scalbn(1.0, 1 - bias))
		return sign | (u64)scalbn(magnitude, bias - 1 + fraction_bits);
	int exponent = ilogb(magnitude);
	u64 fraction =
		(u64)scalbn(magnitude, fraction_bits - exponent) & (((u64)1 << fraction_bits) - 1);
	return sign | (u64)(exponent + bias) << fraction_bits | fraction;
}

static u64 encode_float(f64 value, enum ptx_type type)
{
	u32 special = isnan(value) || isinf(value);
	u64 sign = signbit(value) ? 1 : 0;
	f32 single;
	switch (type) {
	case PTX_F16:
		return isnan(value) ? 0x7fff : special ? sign << 15 | 0x7c00 : encode_small(value, 5, 10);
	case PTX_E5M2:
		return isnan(value) ? 0x7f : special ? sign << 7 | 0x7c : encode_small(value, 5, 2);
	case PTX_E4M3: return special ? 0x7f : encode_small(value, 4, 3);
	case PTX_BF16: single = (f32)value; return isnan(value) ? 0x7fff : bits_of_float(single) >> 16;
	case PTX_TF32: single = (f32)value; return isnan(value) ? 0x7fffe000 : bits_of_float(single);
	case PTX_F32: single = (f32)value; return isnan(value) ? 0x7fffffff : bits_of_float(single);
	default: return bits_of_double(value);
	}
}

static u64 narrow_float(f64 value, enum ptx_type type, const struct exec_instruction *in)
{
	struct format format = format_of(type);
	bool finite = in->flags & EXEC_FLAG_FINITE;
	if (in->flags & EXEC_FLAG_RELU && value <= 0.0)
		value = 0.0;
	if (in->e == 1)
		value = round_integral(value, in->sub);
	if (isinf(value) && finite)
		return encode_float(copysign(format.largest, value), type);
	/* what is flushed is so when it is rounded as if exponents had no end */
	const bool flush = in->flags & EXEC_FLAG_FTZ && type == PTX_F32;
	const int least = flush ? 2 * format.least_exponent : format.least_exponent;
	f64 rounded = type == PTX_F64 ? value : quantise(value, format.precision, least, in->sub);
	if (fabs(rounded) > format.largest && !isnan(rounded) && !isinf(value)) {
		bool toward = in->sub == ROUND_ZERO || (in->sub == ROUND_DOWN && value > 0) ||
					  (in->sub == ROUND_UP && value < 0);
		rounded = copysign(finite || toward ? format.largest : (f64)INFINITY, value);
	}
	if (in->flags & EXEC_FLAG_SAT)
		rounded = rounded > 0.0 ? (rounded < 1.0 ? rounded : 1.0) : 0.0;
	if (isnan(rounded) && in->size == PTX_F64 && type != PTX_F64)
		return nan_of_f64(rounded, type);
	if (flush && fabs(rounded) < 0x1p-126)
		rounded = copysign(0.0, rounded);
	return encode_float(rounded, type);
}

/* .ftz does nothing where the result is f16. */
static f64 widen_float(u64 bits, enum ptx_type type, const struct exec_instruction *in)
{
	f64 value;
	u32 exponent, fraction;
	switch (type) {
	case PTX_F16: return f16_to_float_soft((u16)bits);
	case PTX_BF16: return bf16_to_float((u16)bits);
	case PTX_TF32:
	case PTX_F32:
		value = float_of_bits((u32)bits);
		return in->flags & EXEC_FLAG_FTZ && in->count != PTX_F16 ? canonical(ftz((f32)value))
																 : value;
	case PTX_E5M2: return f16_to_float_soft((u16)(bits << 8));
	case PTX_E4M3:
		exponent = (u32)bits >> 3 & 15;
		fraction = (u32)bits & 7;
		value = exponent ? scalbn(8.0 + fraction, (int)exponent - 10) : scalbn((f64)fraction, -9);
		value = exponent == 15 && fraction == 7 ? (f64)NAN : value;
		return bits & 0x80 ? -value : value;
	default: memcpy(&value, &bits, sizeof value); return value;
	}
}

/* NaN becomes 0, or the smallest signed number where either side has 64 bits
 * (PTX ISA, cvt, notes on NaN inputs; seen on an H200). */
static u64 float_to_integer(f64 value, enum ptx_type from, enum ptx_type type, int mode)
{
	int bits = (int)ptx_type_size(type) * 8;
	if (isnan(value))
		return from == PTX_F64 || bits == 64 ? (u64)1 << (bits - 1) : 0;
	value = round_integral(value, mode);
	if (ptx_type_is_signed(type)) {
		f64 edge = scalbn(1.0, bits - 1);
		if (value >= edge)
			return ((u64)1 << (bits - 1)) - 1;
		return value < -edge ? (u64)1 << (bits - 1) : (u64)(s64)value;
	}
	if (value <= 0.0)
		return 0;
	if (value >= scalbn(1.0, bits))
		return bits == 64 ? ~(u64)0 : ((u64)1 << bits) - 1;
	return (u64)value;
}

static u64 saturate_integer(s64 value, bool is_unsigned, enum ptx_type type)
{
	int bits = (int)ptx_type_size(type) * 8;
	if (ptx_type_is_signed(type)) {
		s64 most = (s64)(((u64)1 << (bits - 1)) - 1);
		if (is_unsigned ? (u64)value > (u64)most : value > most)
			return (u64)most;
		return (u64)(!is_unsigned && value < -most - 1 ? -most - 1 : value);
	}
	u64 most = bits == 64 ? ~(u64)0 : ((u64)1 << bits) - 1;
	if (!is_unsigned && value < 0)
		return 0;
	return (u64)value > most ? most : (u64)value;
}

/* Directed rounding of 64-bit integers, which a double cannot hold. */
static u64 integer_to_float(u64 value, bool is_signed, enum ptx_type type,
							const struct exec_instruction *in)
{
	bool negative = is_signed && (s64)value < 0;
	u64 magnitude = negative ? 0 - value : value;
	int precision = format_of(type).precision,
		width = magnitude ? 64 - __builtin_clzll(magnitude) : 0;
	int drop = width - precision;
	if (drop > 0) {
		u64 rest = magnitude & (((u64)1 << drop) - 1), half = (u64)1 << (drop - 1);
		magnitude -= rest;
		bool up = in->sub == ROUND_ZERO   ? false
				  : in->sub == ROUND_DOWN ? negative && rest
				  : in->sub == ROUND_UP   ? !negative && rest
										  : rest > half || (rest == half && magnitude >> drop & 1);
		if (up && magnitude + ((u64)1 << drop) == 0)
			return narrow_float(negative ? -0x1p64 : 0x1p64, type, in);
		magnitude += up ? (u64)1 << drop : 0;
	}
	f64 exact = (f64)magnitude;
	return narrow_float(negative ? -exact : exact, type, in);
}

/* A result narrower than its register is extended by its own sign. */
static u64 extend(u64 bits, enum ptx_type type)
{
	int drop = 64 - (int)ptx_type_size(type) * 8;
	return ptx_type_is_signed(type) ? (u64)((s64)(bits << drop) >> drop) : bits << drop >> drop;
}

/* ptxas has integer instructions for it, by which a NaN whose payload is low becomes infinity. */
static u64 round_away_to_tf32(u32 bits, bool finite)
{
	const u32 infinity = 0x7f800000, dropped = 0x1fff;
	if ((bits & 0x7fffffff) < infinity)
		bits += 0x1000;
	bits &= ~dropped;
	return finite && (bits & 0x7fffffff) >= infinity ? bits - (dropped + 1) : bits;
}

/* ptxas makes one of it, and so a NaN stays as it is. */
static bool is_move(const struct exec_instruction *in)
{
	return in->e != 1 && !(in->flags & (EXEC_FLAG_SAT | EXEC_FLAG_FTZ));
}

static u64 convert_one(u64 bits, enum ptx_type from, enum ptx_type to,
					   const struct exec_instruction *in)
{
	bool to_float = ptx_type_is_float(to);
	if (to == PTX_TF32 && in->sub == ROUND_AWAY)
		return round_away_to_tf32((u32)bits, in->flags & EXEC_FLAG_FINITE);
	if (ptx_type_is_float(from)) {
		f64 value = widen_float(bits, from, in);
		if (from == PTX_F32 && to == PTX_F32 && is_move(in))
			return bits;
		if (to_float)
			return narrow_float(value, to, in);
		return extend(float_to_integer(value, from, to, in->sub), to);
	}
	int size = (int)ptx_type_size(from) * 8;
	bool is_signed = ptx_type_is_signed(from);
	if (size < 64)
		bits = is_signed ? (u64)((s64)(bits << (64 - size)) >> (64 - size))
						 : bits & (((u64)1 << size) - 1);
	if (to_float)
		return integer_to_float(bits, is_signed, to, in);
	if (in->flags & EXEC_FLAG_SAT)
		bits = saturate_integer((s64)bits, !is_signed, to);
	return extend(bits, to);
}

HANDLER(cvt_any)
{
	const u8 *a = SOURCE(u8, in->a);
	u8 *d = DEST(u8, in->d);
	for (int i = 0; i < EXEC_LANES; i++) {
		if (!IN_MASK(i))
			continue;
		u64 bits = 0;
		memcpy(&bits, a + i * in->width, in->width);
		bits = convert_one(bits, in->size, in->count, in);
		memcpy(d + i * in->reg_size, &bits, in->reg_size);
	}
	return EXEC_NEXT;
}

/* Pairs: in->width and in->reg_size: bytes of one element of source and result.
 * With in->b >= 0 the elements come from two registers, a the upper one. */
HANDLER(cvt_pair)
{
	for (int i = 0; i < EXEC_LANES; i++) {
		if (!IN_MASK(i))
			continue;
		u64 low = 0, high = 0;
		if (in->b >= 0) {
			memcpy(&high, SOURCE(u8, in->a) + i * in->width, in->width);
			memcpy(&low, SOURCE(u8, in->b) + i * in->width, in->width);
		} else {
			memcpy(&low, SOURCE(u8, in->a) + 2 * i * in->width, in->width);
			memcpy(&high, SOURCE(u8, in->a) + (2 * i + 1) * in->width, in->width);
		}
		low = convert_one(low, in->size, in->count, in);
		high = convert_one(high, in->size, in->count, in);
		u64 both = low | high << (8 * in->reg_size);
		memcpy(DEST(u8, in->d) + 2 * i * in->reg_size, &both, 2 * in->reg_size);
	}
	return EXEC_NEXT;
}
