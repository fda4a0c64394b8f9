/* Numbers of every format, random operands, and the text of kernels. */
#include "model.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const model_names[MODEL_TYPES] = {
	"u8",   "s8",   "u16", "s16", "u32",  "s32",  "u64", "s64", "f16",
	"bf16", "tf32", "f32", "f64", "e4m3", "e5m2", "s4",  "u4",  "b1",
};

/* PTX ISA 5.2.1 and 5.2.3: fundamental types and alternate floating-point formats */
static const struct {
	unsigned bits, exponent, fraction; /* tf32: 13 more bits below the fraction, which are 0 */
	bool is_signed;
} formats[MODEL_TYPES] = {
	[MODEL_U8] = {8, 0, 0, false},    [MODEL_S8] = {8, 0, 0, true},
	[MODEL_U16] = {16, 0, 0, false},  [MODEL_S16] = {16, 0, 0, true},
	[MODEL_U32] = {32, 0, 0, false},  [MODEL_S32] = {32, 0, 0, true},
	[MODEL_U64] = {64, 0, 0, false},  [MODEL_S64] = {64, 0, 0, true},
	[MODEL_F16] = {16, 5, 10, true},  [MODEL_BF16] = {16, 8, 7, true},
	[MODEL_TF32] = {32, 8, 10, true}, [MODEL_F32] = {32, 8, 23, true},
	[MODEL_F64] = {64, 11, 52, true}, [MODEL_E4M3] = {8, 4, 3, true},
	[MODEL_E5M2] = {8, 5, 2, true},   [MODEL_S4] = {4, 0, 0, true},
	[MODEL_U4] = {4, 0, 0, false},    [MODEL_B1] = {1, 0, 0, false},
};

unsigned model_bits(enum model_type type)
{
	return formats[type].bits;
}

bool model_is_float(enum model_type type)
{
	return formats[type].exponent != 0;
}

bool model_is_signed(enum model_type type)
{
	return formats[type].is_signed;
}

static uint64_t ones(unsigned count)
{
	return count >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << count) - 1;
}

static int bias(enum model_type type)
{
	return (1 << formats[type].exponent) / 2 - 1;
}

/* Sign, exponent and fraction, without the bits that a tf32 does not look at. */
static uint64_t packed(enum model_type type, uint64_t bits)
{
	bits &= ones(formats[type].bits);
	return type == MODEL_TF32 ? bits >> 13 : bits;
}

bool model_is_nan(enum model_type type, uint64_t bits)
{
	unsigned e = formats[type].exponent, f = formats[type].fraction;
	uint64_t magnitude = packed(type, bits) & ones(e + f);
	if (!model_is_float(type))
		return false;
	return type == MODEL_E4M3 ? magnitude == ones(e + f) : magnitude > ones(e) << f;
}

long double model_decode(enum model_type type, uint64_t bits)
{
	unsigned e = formats[type].exponent, f = formats[type].fraction, width = formats[type].bits;
	if (!model_is_float(type)) {
		bits &= ones(width);
		bool negative = formats[type].is_signed && bits >> (width - 1);
		return negative ? -(long double)((~bits & ones(width)) + (long double)1)
						: (long double)bits;
	}
	bits = packed(type, bits);
	uint64_t exponent = bits >> f & ones(e), fraction = bits & ones(f);
	long double sign = bits >> (e + f) & 1 ? -1 : 1;
	if (model_is_nan(type, type == MODEL_TF32 ? bits << 13 : bits))
		return (long double)NAN;
	if (exponent == ones(e) && type != MODEL_E4M3)
		return sign * (long double)INFINITY;
	if (exponent == 0)
		return sign * ldexpl((long double)fraction, 1 - bias(type) - (int)f);
	return sign *
		   ldexpl((long double)(fraction | (uint64_t)1 << f), (int)exponent - bias(type) - (int)f);
}

long double model_integral(long double value, enum model_rounding rounding)
{
	if (isnan(value) || isinf(value))
		return value;
	long double below = floorl(value), rest = value - below, half = 0.5L;
	bool odd = fmodl(below, 2) != 0, up = false;
	switch (rounding) {
	case MODEL_RN: up = rest > half || (rest == half && odd); break;
	case MODEL_RNA: up = rest > half || (rest == half && value > 0); break;
	case MODEL_RZ: up = rest > 0 && value < 0; break;
	case MODEL_RP: up = rest > 0; break;
	default: break;
	}
	return copysignl(up ? below + 1 : below, value);
}

static long double largest(enum model_type type)
{
	unsigned e = formats[type].exponent, f = formats[type].fraction;
	if (type == MODEL_E4M3)
		return 448;
	return ldexpl((long double)ones(f + 1), (int)ones(e) - 1 - bias(type) - (int)f);
}

static uint64_t canonical(enum model_type type)
{
	return type == MODEL_F64 ? ones(63) : ones(formats[type].bits - 1);
}

uint64_t model_encode(enum model_type type, long double value, enum model_rounding rounding,
					  bool finite)
{
	unsigned e = formats[type].exponent, f = formats[type].fraction;
	int exponent;
	uint64_t sign = signbit(value) ? (uint64_t)1 << (e + f) : 0, bits;
	long double most = largest(type);
	if (isnan(value))
		return canonical(type);
	if (value == 0)
		return type == MODEL_TF32 ? sign << 13 : sign;
	if (!isinf(value)) {
		frexpl(value, &exponent); /* value = 0.1xx * 2^exponent */
		int lowest =
			exponent - 1 < 1 - bias(type) ? 1 - bias(type) - (int)f : exponent - 1 - (int)f;
		value = ldexpl(model_integral(ldexpl(value, -lowest), rounding), lowest);
		if (fabsl(value) > most) {
			bool stays = rounding == MODEL_RZ || (rounding == MODEL_RM && !sign) ||
						 (rounding == MODEL_RP && sign);
			value = stays ? most : (long double)INFINITY;
		}
	}
	value = fabsl(value);
	if (isinf(value) && finite)
		value = most;
	if (isinf(value))
		bits = type == MODEL_E4M3 ? ones(e + f) : ones(e) << f;
	else if (value < ldexpl(1, 1 - bias(type)))
		bits = (uint64_t)ldexpl(value, bias(type) - 1 + (int)f);
	else {
		frexpl(value, &exponent);
		bits = (uint64_t)(exponent - 1 + bias(type)) << f;
		bits += (uint64_t)ldexpl(value, (int)f - exponent + 1) & ones(f);
	}
	bits |= sign;
	return type == MODEL_TF32 ? bits << 13 : bits;
}

bool model_same(enum model_type type, uint64_t a, uint64_t b)
{
	uint64_t mask = ones(formats[type].bits);
	return (a & mask) == (b & mask) || (model_is_nan(type, a) && model_is_nan(type, b));
}

/* ------------------------------------------------------------------------ */

uint64_t model_random(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	uint64_t x = *state ^ *state >> 29;
	return x * 0x9e3779b97f4a7c15u ^ x >> 32;
}

/* Infinities, NaN, the largest and smallest of each format, limits of integers */
static const uint64_t edges16[] = {0,      0x8000, 0x3c00, 0xbc00, 1,      0x03ff, 0x0400, 0x7bff,
								   0x7c00, 0xfc00, 0x7e00, 0x7fff, 0x7f80, 0xff80, 0x7f7f, 0x0080,
								   0x3f80, 0x7fc1, 0x5b78, 0x7e7e, 0xffff, 0x7f7e, 0x7c7b, 0xfb01};
static const uint64_t edges32[] = {
	0,          0x80000000, 1,          0x007fffff, 0x00800000, 0x3f800000, 0xbf800000, 0x7f7fffff,
	0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0x4f000000, 0xcf000000, 0x4f800000, 0x477fe000,
	0x477fefff, 0x477ff000, 0x33000000, 0x33000001, 0x38800000, 0x387fffff, 0x7f7f8000, 0x7f7f7fff,
	0x43e00000, 0x43e80000, 0x43e80001, 0x47600000, 0x47700000, 0x3a800000, 0x37000000, 0x7fffffff,
	0xffffffff, 0x0000ffff, 0x00007fff, 0xffff8000, 0x000000ff, 0x0000007f, 0xffffff80, 0x5f000000,
	0xdf000000, 0x5f800000, 0x3f000000, 0x3fc00000, 0x40200000, 0x80000001, 0x47ffefff, 0x7f7ff000};
static const uint64_t edges64[] = {0,
								   0x8000000000000000,
								   1,
								   0x000fffffffffffff,
								   0x3ff0000000000000,
								   0x7fefffffffffffff,
								   0x7ff0000000000000,
								   0xfff0000000000000,
								   0x7ff8000000000000,
								   0x7ff0000000000001,
								   0x47efffffe0000000,
								   0x47effffff0000000,
								   0x3690000000000000,
								   0x380fffffe0000000,
								   0x41e0000000000000,
								   0xc1e0000000000000,
								   0x43e0000000000000,
								   0x43f0000000000000,
								   0x40effc0000000000,
								   0x40effe0000000000,
								   0x7fffffffffffffff,
								   0xffffffffffffffff,
								   0x3fe0000000000000,
								   0x3ff8000000000000};

/* f32 numbers at, or next to, the middle between two of a narrower format */
static uint64_t tie32(uint64_t random)
{
	static const unsigned dropped[] = {13, 16, 20, 21, 0, 12};
	unsigned drop = dropped[random % 6];
	uint64_t middle = drop ? (uint64_t)1 << (drop - 1) : 0, near = random >> 8 & 3;
	uint64_t exponent = 127 - 24 + (random >> 16) % 48;
	uint64_t upper = (random >> 32 & ones(23)) >> drop << drop;
	return ((random >> 10 & 1) << 31 | exponent << 23 | upper) + middle + near - 1;
}

/* f64 numbers at the middle between two of f32, f16 or bf16, and numbers with a fraction */
static uint64_t tie64(uint64_t random, uint64_t other)
{
	static const unsigned dropped[] = {29, 42, 45, 50, 32, 0};
	unsigned drop = dropped[random % 6];
	uint64_t middle = drop ? (uint64_t)1 << (drop - 1) : 0, near = random >> 8 & 3;
	uint64_t exponent =
		1023 - (random >> 20 & 1 ? 24 : 150) + (random >> 24) % (random >> 20 & 1 ? 90 : 300);
	return ((random >> 10 & 1) << 63 | exponent << 52 | (other & ones(52)) >> drop << drop) +
		   middle + near - 1;
}

uint64_t model_operand(uint64_t *state, unsigned bits)
{
	uint64_t choice = model_random(state), word = model_random(state);
	unsigned kind = choice % 8;
	choice /= 8;
	if (bits == 16)
		return kind < 2 ? edges16[choice % (sizeof edges16 / sizeof *edges16)] : word & 0xffff;
	if (kind == 7)
		return (uint64_t)(int64_t)(choice % 512) - 256;
	if (bits == 32)
		return (kind < 2   ? edges32[choice % (sizeof edges32 / sizeof *edges32)]
				: kind < 5 ? tie32(word)
						   : word) &
			   0xffffffff;
	return kind < 2   ? edges64[choice % (sizeof edges64 / sizeof *edges64)]
		   : kind < 5 ? tie64(word, choice)
					  : word;
}

/* ------------------------------------------------------------------------ */

void model_say(struct model_text *text, const char *format, ...)
{
	va_list arguments;
	if (text->size - text->used < 4096) {
		text->size = text->size * 2 + 65536;
		text->text = realloc(text->text, text->size);
		if (!text->text)
			abort();
	}
	va_start(arguments, format);
	int length = vsnprintf(text->text + text->used, text->size - text->used, format, arguments);
	va_end(arguments);
	if (length < 0 || (size_t)length >= text->size - text->used)
		abort();
	text->used += (size_t)length;
}

void model_begin(struct model_text *text)
{
	model_say(text,
			  ".version 9.0\n.target sm_90a\n.address_size 64\n"
			  ".visible .entry k(.param .u64 p_in, .param .u64 p_out)\n{\n"
			  ".reg .pred %%p<16>; .reg .b16 %%h<64>; .reg .b32 %%r<128>; .reg .b64 %%d<64>;\n"
			  ".reg .b64 %%in, %%out; .reg .b32 %%t, %%tid32;\n"
			  "ld.param.u64 %%in, [p_in]; ld.param.u64 %%out, [p_out];\n"
			  "cvta.to.global.u64 %%in, %%in; cvta.to.global.u64 %%out, %%out;\n"
			  "mov.u32 %%tid32, %%tid.x; mov.u32 %%t, %%ctaid.x; mov.u32 %%r63, %%ntid.x;\n"
			  "mad.lo.u32 %%t, %%t, %%r63, %%tid32;\n");
}

void model_end(struct model_text *text)
{
	model_say(text, "ret;\n}\n");
}

void model_compare(struct model_differences *all, bool same, const char *format, ...)
{
	va_list arguments;
	all->compared++;
	if (same)
		return;
	if (all->differ++ == 0) {
		va_start(arguments, format);
		vsnprintf(all->said, all->size, format, arguments);
		va_end(arguments);
	}
}
