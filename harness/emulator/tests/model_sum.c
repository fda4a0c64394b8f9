/* Sums of products as tensor cores make them: model_sum.h. */
#include "model_sum.h"

#include <math.h>
#include <string.h>

/* Bits kept below the exponent of the largest term, and of an f32 sum. */
#define KEPT 25
#define SUM_BITS 24
#define KEPT_8 13 /* wgmma of 8-bit floats */
#define SUM_BITS_8 14

#define NO_EXPONENT (-100000)

/* (-1)^negative * significand * 2^lowest. `exponent` is that of the format's leading bit, also
 * where that bit is 0; of a product it is the sum of its factors'. */
struct term {
	bool negative, infinite, nan;
	int64_t significand;
	int lowest, exponent;
};

static struct term unpack(enum model_type type, uint64_t bits)
{
	static const struct {
		int exponent, fraction, unused;
	} formats[MODEL_TYPES] = {
		[MODEL_F16] = {5, 10, 0}, [MODEL_BF16] = {8, 7, 0}, [MODEL_TF32] = {8, 10, 13},
		[MODEL_F32] = {8, 23, 0}, [MODEL_E4M3] = {4, 3, 0}, [MODEL_E5M2] = {5, 2, 0},
	};
	const int e = formats[type].exponent, f = formats[type].fraction;
	bits >>= formats[type].unused;
	const int64_t fraction = (int64_t)(bits & ((UINT64_C(1) << f) - 1));
	const int stored = (int)(bits >> f) & ((1 << e) - 1);
	struct term term = {.negative = bits >> (e + f) & 1, .nan = model_is_nan(type, bits)};
	if (type == MODEL_TF32)
		term.nan = stored == 255 && fraction;
	term.infinite = stored == (1 << e) - 1 && type != MODEL_E4M3 && !term.nan;
	term.significand = fraction | (int64_t)(stored != 0) << f;
	term.exponent = (stored ? stored : 1) - (1 << e) / 2 + 1;
	term.lowest = term.exponent - f;
	return term;
}

static struct term multiply(struct term a, struct term b)
{
	struct term product = {
		.negative = a.negative != b.negative,
		.nan = a.nan || b.nan || (a.infinite && !b.significand) || (b.infinite && !a.significand),
		.significand = a.significand * b.significand,
		.lowest = a.lowest + b.lowest,
		.exponent = a.exponent + b.exponent,
	};
	product.infinite = !product.nan && (a.infinite || b.infinite);
	return product;
}

/* In units of 2^unit, cut towards 0. */
static int64_t cut(const struct term *term, int unit)
{
	const int shift = unit - term->lowest;
	int64_t units = shift <= 0   ? term->significand << -shift
					: shift < 63 ? term->significand >> shift
								 : 0;
	return term->negative ? -units : units;
}

static float float_of(uint64_t bits)
{
	const uint32_t word = (uint32_t)bits;
	float value;
	memcpy(&value, &word, sizeof value);
	return value;
}

/* value, as f16 to nearest; as f32 its first `bits` bits. */
static uint64_t round_sum(enum model_type type, long double value, int bits)
{
	int exponent;
	if (type == MODEL_F16) { /* 0 has no sign */
		const uint64_t bits = model_encode(MODEL_F16, value, MODEL_RN, false);
		return bits & 0x7fff ? bits : 0;
	}
	frexpl(value, &exponent);
	const long double cut = ldexpl(truncl(ldexpl(value, bits - exponent)), exponent - bits);
	if (fabsl(cut) >= 0x1p128L)
		return model_encode(MODEL_F32, copysignl(INFINITY, cut), MODEL_RZ, false);
	return fabsl(cut) < 0x1p-149L ? 0 : model_encode(MODEL_F32, cut, MODEL_RZ, false);
}

/* All terms at once: cut to `kept` bits below the largest exponent of those that are not 0, and
 * added. */
static uint64_t sum_terms(enum model_type type, const struct term *terms, unsigned count, int kept,
						  int bits)
{
	int most = NO_EXPONENT;
	int64_t sum = 0;
	bool nan = false, infinite[2] = {false, false};
	for (unsigned i = 0; i < count; i++) {
		nan = nan || terms[i].nan;
		infinite[terms[i].negative] = infinite[terms[i].negative] || terms[i].infinite;
		if (terms[i].significand && terms[i].exponent > most)
			most = terms[i].exponent;
	}
	if (nan || (infinite[0] && infinite[1]))
		return model_encode(type, (long double)NAN, MODEL_RN, false);
	if (infinite[0] || infinite[1])
		return model_encode(type, infinite[1] ? -(long double)INFINITY : (long double)INFINITY,
							MODEL_RN, false);
	for (unsigned i = 0; i < count && most != NO_EXPONENT; i++)
		sum += cut(&terms[i], most - kept);
	return sum ? round_sum(type, ldexpl((long double)sum, most - kept), bits) : 0;
}

/* c and the products whose place is of this half, or all. */
struct part {
	unsigned of, half; /* place / of % 2 == half; of 0: all */
	enum model_type c_type;
	uint64_t c;
	int kept, bits;
};

static uint64_t sum_part(const struct model_dot *dot, const struct part *part)
{
	struct term terms[MODEL_K_MAX + 1];
	unsigned count = 0;
	for (unsigned i = 0; i < dot->count; i++) {
		if (part->of && dot->place[i] / part->of % 2 != part->half)
			continue;
		terms[count] = multiply(unpack(dot->a_type, dot->a[i]), unpack(dot->b_type, dot->b[i]));
		terms[count++].negative ^= dot->negate;
	}
	terms[count++] = unpack(part->c_type, part->c);
	return sum_terms(dot->d_type, terms, count, part->kept, part->bits);
}

/* ------------------------------------------------------------------------ */

static uint64_t sum_integers(const struct model_dot *dot)
{
	int64_t sum = (int32_t)dot->c;
	for (unsigned i = 0; i < dot->count; i++) {
		int64_t a = (int64_t)model_decode(dot->a_type, dot->a[i]);
		int64_t b = (int64_t)model_decode(dot->b_type, dot->b[i]);
		sum += dot->a_type != MODEL_B1 ? a * b : dot->bits_and ? a & b : a ^ b;
	}
	if (dot->saturate)
		sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
	return (uint32_t)sum;
}

/* DMMA: fused, in the order of k from c on. Of NaN among its operands b is the one that stays, then
 * the sum, then a; one that none of them gave has its sign set. */
static uint64_t sum_doubles(const struct model_dot *dot)
{
	double sum, a, b;
	uint64_t bits;
	memcpy(&sum, &dot->c, sizeof sum);
	for (unsigned i = 0; i < dot->count; i++) {
		memcpy(&a, &dot->a[i], sizeof a);
		memcpy(&b, &dot->b[i], sizeof b);
		const double next = fma(a, b, sum), made = a != a ? a + a : -(double)NAN;
		sum = b != b ? b + b : sum != sum ? sum + sum : next != next ? made : next;
	}
	memcpy(&bits, &sum, sizeof bits);
	return bits;
}

/* m8n8k4 of f16, which ptxas makes of f32 instructions: c comes last; of f16 results it is between
 * two pairs. */
static uint64_t sum_quad(const struct model_dot *dot)
{
	float p[4], c = (float)model_decode(dot->c_type, dot->c), sum = 0;
	for (unsigned i = 0; i < 4; i++)
		p[i] = (float)(model_decode(MODEL_F16, dot->a[i]) * model_decode(MODEL_F16, dot->b[i]));
	if (dot->d_type == MODEL_F16) {
		const float first = p[0] + p[1], second = p[2] + p[3];
		sum = c + first;
		return model_encode(MODEL_F16, (long double)(sum + second), MODEL_RN, false);
	}
	for (unsigned i = 0; i < 4; i++)
		sum += p[i];
	return model_encode(MODEL_F32, (long double)(sum + c), MODEL_RN, false);
}

/* mma.sync of 8-bit floats, which ptxas makes two HMMA of: the low halves of registers of A and B
 * as f16, then the high ones, and adds c after that. Of a sparse A a register has two chunks of 4
 * along k. */
static uint64_t sum_bytes(const struct model_dot *dot)
{
	struct model_dot halves = *dot;
	struct part part = {
		.of = dot->count < dot->k ? 4 : 2, .c_type = dot->d_type, .kept = KEPT, .bits = SUM_BITS};
	halves.a_type = halves.b_type = MODEL_F16;
	for (unsigned i = 0; i < dot->count; i++) {
		halves.a[i] =
			model_encode(MODEL_F16, model_decode(dot->a_type, dot->a[i]), MODEL_RN, false);
		halves.b[i] =
			model_encode(MODEL_F16, model_decode(dot->b_type, dot->b[i]), MODEL_RN, false);
	}
	for (part.half = 0; part.half < 2; part.half++)
		part.c = sum_part(&halves, &part);
	if (dot->d_type == MODEL_F16)
		return model_encode(MODEL_F16,
							model_decode(MODEL_F16, part.c) + model_decode(MODEL_F16, dot->c),
							MODEL_RN, false);
	return model_encode(MODEL_F32, (long double)(float_of(part.c) + float_of(dot->c)), MODEL_RN,
						false);
}

uint64_t model_mma_sum(const struct model_dot *dot)
{
	const struct part all = {.c_type = dot->c_type, .c = dot->c, .kept = KEPT, .bits = SUM_BITS};
	if (dot->d_type == MODEL_S32)
		return sum_integers(dot);
	if (dot->d_type == MODEL_F64)
		return sum_doubles(dot);
	if (dot->a_type == MODEL_F16 && dot->k == 4)
		return sum_quad(dot);
	return model_bits(dot->a_type) == 8 ? sum_bytes(dot) : sum_part(dot, &all);
}

uint64_t model_wgmma_sum(const struct model_dot *dot)
{
	const bool bytes = model_bits(dot->a_type) == 8;
	const struct part all = {.c_type = dot->c_type,
							 .c = dot->c,
							 .kept = bytes ? KEPT_8 : KEPT,
							 .bits = bytes ? SUM_BITS_8 : SUM_BITS};
	return dot->d_type == MODEL_S32 ? sum_integers(dot) : sum_part(dot, &all);
}
