/* One sum of products as a tensor core makes it: tensor/sum.h. */
#include "emulator/tensor/sum.h"

#include <math.h>
#include <string.h>

#include "emulator/tensor/kernels.h"

#define FRACTION 23 /* bits of f32's */
#define NO_EXPONENT INT32_MIN

/* A number is `significand` * 2^(exponent - FRACTION); its exponent is that which it is stored
 * with. */
struct number {
	int64_t significand;
	int exponent;
};

static struct number unpack(float value, unsigned least)
{
	uint32_t bits;
	memcpy(&bits, &value, sizeof bits);
	unsigned stored = bits >> FRACTION & 255, normal = stored ? stored : 1;
	int64_t significand = (int64_t)(bits & ((1u << FRACTION) - 1)) | (int64_t)(stored != 0)
																		 << FRACTION;
	if (normal < least) { /* it is subnormal in its own format, whose fraction is shorter */
		significand = least - normal < 63 ? significand >> (least - normal) : 0;
		normal = least;
	}
	return (struct number){bits >> 31 ? -significand : significand, (int)normal - 127};
}

/* Cut towards 0. */
static int64_t shifted(int64_t value, int left)
{
	int64_t magnitude = value < 0 ? -value : value;
	magnitude = left >= 0 ? magnitude << left : left > -63 ? magnitude >> -left : 0;
	return value < 0 ? -magnitude : magnitude;
}

/* sum * 2^unit in f32, whose lowest bits are cut, or say where others were cut. */
static float packed(const struct tensor_rule *rule, int64_t sum, int unit)
{
	const int bits = rule->bytes && !rule->half ? TENSOR_SUM_BITS_BYTES : FRACTION + 1;
	uint64_t magnitude = (uint64_t)(sum < 0 ? -sum : sum);
	if (magnitude == 0)
		return 0;
	int excess = 64 - __builtin_clzll(magnitude) - bits;
	if (unit + excess < -149 && !rule->half)
		excess = -149 - unit; /* a subnormal number has fewer */
	if (excess > 0) {
		uint64_t kept = excess < 64 ? magnitude >> excess << excess : 0;
		bool inexact = kept != magnitude;
		magnitude = kept | (uint64_t)(rule->half && inexact) << excess;
	}
	float value = ldexpf((float)magnitude, unit); /* exact, or infinite */
	if (magnitude == 0)
		return 0; /* without the sum's sign */
	return sum < 0 ? -value : value;
}

/* What infinities and NaN among the terms make of the sum; 0 where there are none. */
static float special_sum(const struct tensor_terms *terms)
{
	float sum = terms->c - terms->c == 0 ? 0 : terms->c;
	for (unsigned i = 0; i < terms->count; i++) {
		float a = terms->a[i * terms->a_stride], b = terms->b[i * terms->b_stride];
		if (a - a != 0 || b - b != 0)
			sum += a * b;
	}
	return sum;
}

float tensor_sum(const struct tensor_rule *rule, const struct tensor_terms *terms)
{
	const int kept = rule->bytes ? TENSOR_KEPT_BYTES : TENSOR_KEPT;
	const struct number c = unpack(terms->c, 1);
	union tensor_element special = {.number = special_sum(terms)};
	int most = c.significand != 0 ? c.exponent : NO_EXPONENT;
	if (special.number != 0) {
		special.bits = special.number != special.number ? TENSOR_NAN : special.bits;
		return special.number;
	}
	for (unsigned i = 0; i < terms->count; i++) {
		struct number a = unpack(terms->a[i * terms->a_stride], rule->least_a);
		struct number b = unpack(terms->b[i * terms->b_stride], rule->least_b);
		if (a.significand != 0 && b.significand != 0 && a.exponent + b.exponent > most)
			most = a.exponent + b.exponent;
	}
	if (most == NO_EXPONENT)
		return 0;
	int64_t sum = shifted(c.significand, c.exponent - FRACTION - most + kept);
	for (unsigned i = 0; i < terms->count; i++) {
		struct number a = unpack(terms->a[i * terms->a_stride], rule->least_a);
		struct number b = unpack(terms->b[i * terms->b_stride], rule->least_b);
		sum += shifted(a.significand * b.significand,
					   a.exponent + b.exponent - 2 * FRACTION - most + kept);
	}
	return packed(rule, sum, most - kept);
}
