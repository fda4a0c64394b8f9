/* The value of every element of A, B and C, as a function of the case alone:
 * its distribution, its seed, which operand, which index. Compiles as C17 and as
 * CUDA C++, and gives the same bits in both: random words come from Philox
 * (Random123), arithmetic is integer or a single correctly rounded IEEE
 * operation, and narrowing is done by integer code here. So nothing needs to be
 * copied: the device, the host and a spot check draw the same values apart. */
#ifndef GEMMJUDGE_TESTCASES_VALUES_H
#define GEMMJUDGE_TESTCASES_VALUES_H

#include <Random123/philox.h>
#include <stdint.h>
#include <string.h>

#include "testcases/case.h"
#include "testcases/problem.h"

#ifdef __CUDACC__
#define VALUES_FUNCTION static __host__ __device__ __forceinline__
#else
#define VALUES_FUNCTION static inline
#endif

/* Which stream of random words; the numbers are part of what a seed means. */
enum values_stream {
	VALUES_STREAM_A = 0,
	VALUES_STREAM_B = 1,
	VALUES_STREAM_C = 2,
	VALUES_STREAM_CASE = 3, /* the generator's own choices */
	VALUES_STREAM_SPOT = 4, /* which elements the referee spot-checks */
};

/* Elements per block of values_block(). */
#define VALUES_BLOCK 4

struct values_words {
	uint32_t word[4];
};

VALUES_FUNCTION struct values_words values_random(uint64_t seed, uint32_t stream, uint64_t counter)
{
	philox4x32_ctr_t c;
	philox4x32_key_t k;
	struct values_words out;
	c.v[0] = (uint32_t)counter;
	c.v[1] = (uint32_t)(counter >> 32);
	c.v[2] = stream;
	c.v[3] = 0;
	k.v[0] = (uint32_t)seed;
	k.v[1] = (uint32_t)(seed >> 32);
	c = philox4x32_R(10, c, k);
	out.word[0] = c.v[0];
	out.word[1] = c.v[1];
	out.word[2] = c.v[2];
	out.word[3] = c.v[3];
	return out;
}

/* ---- bits and numbers -------------------------------------------------- */

/* Significand bits p and smallest normal exponent of a type; its exponent field
 * is as wide as its bits allow. */
VALUES_FUNCTION int values_precision(enum dtype type)
{
	return type == DTYPE_F16 ? 11 : type == DTYPE_BF16 ? 8 : 24;
}

VALUES_FUNCTION int values_smallest_exponent(enum dtype type)
{
	return type == DTYPE_F16 ? -14 : -126;
}

VALUES_FUNCTION uint32_t values_infinity(enum dtype type)
{
	return type == DTYPE_F16 ? 0x7C00u : type == DTYPE_BF16 ? 0x7F80u : 0x7F800000u;
}

VALUES_FUNCTION uint32_t values_nan(enum dtype type)
{
	return type == DTYPE_F16 ? 0x7E00u : type == DTYPE_BF16 ? 0x7FC0u : 0x7FC00000u;
}

VALUES_FUNCTION uint32_t values_sign(enum dtype type)
{
	return type == DTYPE_F32 ? 0x80000000u : 0x8000u;
}

/* x rounded to the type, to nearest even, as bits. Overflow gives infinity,
 * every NaN the same quiet one. */
VALUES_FUNCTION uint32_t values_from_double(enum dtype type, double x)
{
	uint64_t bits, significand, quotient, rest, half;
	uint32_t sign, magnitude;
	int exponent, shift, p = values_precision(type), smallest = values_smallest_exponent(type);

	memcpy(&bits, &x, sizeof bits);
	sign = (bits >> 63) != 0 ? values_sign(type) : 0;
	exponent = (int)((bits >> 52) & 0x7FF) - 1023;
	significand = bits & 0xFFFFFFFFFFFFFull;
	if (exponent == 1024)
		return significand != 0 ? values_nan(type) : sign | values_infinity(type);
	if (exponent == -1023) /* zero, or far below the smallest subnormal of any type */
		return sign;
	if (exponent > 127)
		return sign | values_infinity(type);

	significand |= 1ull << 52;
	shift = 53 - p + (exponent < smallest ? smallest - exponent : 0);
	if (shift > 54)
		return sign;
	quotient = significand >> shift;
	rest = significand & ((1ull << shift) - 1);
	half = 1ull << (shift - 1);
	if (rest > half || (rest == half && (quotient & 1) != 0))
		quotient++;
	magnitude = (uint32_t)quotient;
	if (exponent >= smallest) /* the leading bit of the quotient counts as one exponent step */
		magnitude += (uint32_t)(exponent - smallest) << (p - 1);
	if (magnitude > values_infinity(type))
		magnitude = values_infinity(type);
	return sign | magnitude;
}

VALUES_FUNCTION double values_to_double(enum dtype type, uint32_t bits)
{
	int p = values_precision(type), smallest = values_smallest_exponent(type);
	uint32_t magnitude = bits & (values_sign(type) - 1);
	uint32_t field = magnitude >> (p - 1);
	uint64_t significand = magnitude & ((1u << (p - 1)) - 1), out;
	double x;

	if (magnitude >= values_infinity(type)) {
		out = 0x7FFull << 52;
		if (magnitude > values_infinity(type))
			out |= 1ull << 51;
	} else if (field == 0) { /* zero or subnormal: an integer times a power of two, exact */
		uint64_t power = (uint64_t)(smallest - (p - 1) + 1023) << 52;
		memcpy(&x, &power, sizeof x);
		x *= (double)significand;
		memcpy(&out, &x, sizeof out);
	} else {
		out = (uint64_t)((int)field - 1 + smallest + 1023) << 52 | significand << (53 - p);
	}
	if ((bits & values_sign(type)) != 0)
		out |= 1ull << 63;
	memcpy(&x, &out, sizeof x);
	return x;
}

/* ---- drawing ----------------------------------------------------------- */

VALUES_FUNCTION double values_float_bits(uint32_t bits)
{
	float x;
	memcpy(&x, &bits, sizeof x);
	return x;
}

/* About normal with standard deviation 1: the sum of eight 16-bit uniforms, as
 * an odd integer below 2^20 times a constant. */
VALUES_FUNCTION float values_normal_unit(struct values_words words)
{
	int32_t sum = 0;
	for (int i = 0; i < 4; i++)
		sum += (int32_t)(words.word[i] >> 16) + (int32_t)(words.word[i] & 0xFFFF);
	return (float)(2 * sum - 8 * 65535);
}
/* 1 / (2 * sqrt(8 * (2^32 - 1) / 12)) */
#define VALUES_NORMAL_STEP 9.344062e-06f

VALUES_FUNCTION double values_integer(uint32_t word, float scale)
{
	if (scale < 1.0f) { /* -1 or 1 with probability `scale`, else 0 */
		uint32_t share = (uint32_t)(scale * 2147483648.0f); /* the product is exact */
		if ((word >> 1) >= share)
			return 0;
		return (word & 1) != 0 ? -1 : 1;
	}
	int32_t limit = (int32_t)scale;
	return (double)(int32_t)(((uint64_t)word * (uint32_t)(2 * limit + 1)) >> 32) - limit;
}

/* Every distribution but the normal one takes one word. Each is one float
 * product at most, so that no compiler can contract or reorder anything. */
VALUES_FUNCTION uint32_t values_of_word(enum dtype type, struct value_spec spec, uint32_t word)
{
	int32_t uniform = (int32_t)(word >> 8) - (1 << 23);
	uint32_t exponent;

	switch (spec.distribution) {
	case VALUES_SPECIAL:
		if ((word & 0xFFF) == 0) {
			uint32_t kind = (word >> 12) % 3;
			if (kind == 0)
				return values_nan(type);
			return values_infinity(type) | (kind == 1 ? 0 : values_sign(type));
		}
		return values_from_double(type, (float)uniform * (spec.scale * 0x1p-23f));
	case VALUES_UNIFORM: return values_from_double(type, (float)uniform * (spec.scale * 0x1p-23f));
	case VALUES_INTEGER: return values_from_double(type, values_integer(word, spec.scale));
	case VALUES_WIDE:
		exponent = ((word >> 24) * (uint32_t)spec.scale) >> 8;
		exponent = exponent + 127 - (uint32_t)spec.scale / 2;
		return values_from_double(
			type, values_float_bits((word & 0x800000) << 8 | exponent << 23 | (word & 0x7FFFFF)));
	case VALUES_POSITIVE:
		return values_from_double(type, (float)(word >> 8) * (spec.scale * 0x1p-24f));
	case VALUES_LARGE: {
		float magnitude = (float)((word >> 9) + (1u << 23)) * (spec.scale * 0x1p-24f);
		return values_from_double(type, (word & 1) != 0 ? -magnitude : magnitude);
	}
	case VALUES_NAN: return values_nan(type);
	case VALUES_NORMAL:
	case VALUES_ZERO: break;
	}
	return 0;
}

/* Elements 4*block .. 4*block+3 of an operand, as bits. */
VALUES_FUNCTION void values_block(enum dtype type, struct value_spec spec, uint64_t seed,
								  uint32_t operand, uint64_t block, uint32_t out[VALUES_BLOCK])
{
	if (spec.distribution == VALUES_NORMAL) { /* takes a whole block of words an element */
		for (int i = 0; i < VALUES_BLOCK; i++) {
			float unit = values_normal_unit(values_random(seed, operand, block * VALUES_BLOCK + i));
			out[i] = values_from_double(type, unit * (spec.scale * VALUES_NORMAL_STEP));
		}
		return;
	}
	struct values_words words = values_random(seed, operand, block);
	for (int i = 0; i < VALUES_BLOCK; i++)
		out[i] = values_of_word(type, spec, words.word[i]);
}

/* One element, as bits. */
VALUES_FUNCTION uint32_t values_at(enum dtype type, struct value_spec spec, uint64_t seed,
								   uint32_t operand, uint64_t index)
{
	uint32_t block[VALUES_BLOCK];
	values_block(type, spec, seed, operand, index / VALUES_BLOCK, block);
	return block[index % VALUES_BLOCK];
}

#endif
