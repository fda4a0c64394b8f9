/* The value of every element of an operand, as a function of nothing but the case:
 * its distribution, its seed, which operand, which index. Compiles as C17 and as
 * CUDA C++, and gives the same bits in both: random words come from Philox
 * (Random123), arithmetic is integer or a single correctly rounded IEEE
 * operation, and narrowing is done by integer code here. So nothing needs to be
 * copied: the device, the host and a spot check draw the same values apart. */
#ifndef GEMMJUDGE_TESTCASES_VALUES_H
#define GEMMJUDGE_TESTCASES_VALUES_H

#include <Random123/philox.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "testcases/case.h"
#include "testcases/problem.h"
#include "testcases/sparse.h"

/* Which stream of random words; the numbers are part of what a seed means. */
enum values_stream {
	VALUES_STREAM_CASE = 3,           /* the generator's own choices */
	VALUES_STREAM_SPOT = 4,           /* which elements the referee spot-checks */
	VALUES_STREAM_EXTRA = 16,         /* and on: what an epilogue reads */
	VALUES_STREAM_POTENTIALS = 0x100, /* added to an operand's: of the nodes of a graph */
	VALUES_STREAM_EXTREMES = 0x200,   /* the same: of squares of extreme codes */
	VALUES_STREAM_PLACES = 0x300,     /* the same: of rows and squares that differ from the rest */
};

/* The values of one buffer. Plain numbers: kernels have it too. */
struct values {
	struct number_format format;
	struct value_spec spec;
	uint64_t seed;
	uint32_t stream;
	uint64_t columns; /* of a row */
	uint64_t elements;
	uint32_t flip; /* bits that are exchanged in every element: other values from the same draw */
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

/* Element `index` of a buffer, as bits; formats narrower than a byte are packed, the first
 * element in the high half. */
VALUES_FUNCTION uint32_t values_load(const struct number_format *format, const void *from,
									 uint64_t index)
{
	const uint8_t *bytes = (const uint8_t *)from;
	if (format->bits == 16) {
		uint16_t half;
		memcpy(&half, bytes + 2 * index, sizeof half);
		return half;
	}
	if (format->bits == 32) {
		uint32_t word;
		memcpy(&word, bytes + 4 * index, sizeof word);
		return word;
	}
	if (format->bits == 8)
		return bytes[index];
	return index % 2 == 0 ? bytes[index / 2] >> 4 : bytes[index / 2] & 0xFu;
}

VALUES_FUNCTION void values_store(const struct number_format *format, void *to, uint64_t index,
								  uint32_t bits)
{
	uint8_t *bytes = (uint8_t *)to;
	if (format->bits == 16) {
		uint16_t half = (uint16_t)bits;
		memcpy(bytes + 2 * index, &half, sizeof half);
	} else if (format->bits == 32) {
		memcpy(bytes + 4 * index, &bits, sizeof bits);
	} else if (format->bits == 8) {
		bytes[index] = (uint8_t)bits;
	} else {
		uint8_t *pair = &bytes[index / 2];
		*pair = (uint8_t)(index % 2 == 0 ? (*pair & 0x0Fu) | bits << 4 : (*pair & 0xF0u) | bits);
	}
}

/* An integer's code, to nearest even, clamped to the range. */
VALUES_FUNCTION uint32_t values_code(const struct number_format *format, double x)
{
	double rounded = rint(x);
	if (!(rounded > format->lowest)) /* NaN too */
		rounded = format->lowest;
	if (rounded > format->highest)
		rounded = format->highest;
	return (uint32_t)((int32_t)rounded + format->zero) & ((1u << format->bits) - 1);
}

/* The number that a rounded significand and its exponent are. */
VALUES_FUNCTION uint32_t values_compose(const struct number_format *format, uint32_t sign,
										int exponent, uint32_t significand)
{
	/* its leading bit counts as one exponent step */
	int steps = exponent > format->smallest_exponent ? exponent - format->smallest_exponent : 0;
	uint32_t magnitude = significand + ((uint32_t)steps << (format->precision - 1));
	return sign | (magnitude > format->overflow ? format->overflow : magnitude);
}

/* x rounded to the format, to nearest even, as bits. Overflow gives infinity (the largest number
 * where there is none), every NaN the same quiet one. */
VALUES_FUNCTION uint32_t values_from_double(const struct number_format *format, double x)
{
	uint64_t bits, significand, quotient, rest, half;
	uint32_t sign;
	int exponent, shift, p = format->precision, smallest = format->smallest_exponent;

	if (format->is_integer)
		return values_code(format, x);
	memcpy(&bits, &x, sizeof bits);
	sign = (bits >> 63) != 0 ? format->sign : 0;
	exponent = (int)((bits >> 52) & 0x7FF) - 1023;
	significand = bits & 0xFFFFFFFFFFFFFull;
	if (exponent == 1024)
		return significand != 0 ? format->nan : sign | format->overflow;
	if (exponent == -1023) /* zero, or far below the smallest subnormal of any type */
		return sign;
	if (exponent > 127)
		return sign | format->overflow;

	significand |= 1ull << 52;
	shift = 53 - p + (exponent < smallest ? smallest - exponent : 0);
	if (shift > 54)
		return sign;
	quotient = significand >> shift;
	rest = significand & ((1ull << shift) - 1);
	half = 1ull << (shift - 1);
	if (rest > half || (rest == half && (quotient & 1) != 0))
		quotient++;
	return values_compose(format, sign, exponent, (uint32_t)quotient);
}

/* values_from_float() for floating point of less than 32 bits. No branches, so that a loop over
 * floats becomes one over vectors. */
VALUES_FUNCTION uint32_t values_narrow(const struct number_format *format, float x)
{
	int p = format->precision, smallest = format->smallest_exponent;
	uint32_t bits;
	memcpy(&bits, &x, sizeof bits);
	uint32_t sign = bits >> 31 != 0 ? format->sign : 0;
	uint32_t field = bits >> 23 & 0xFF, rest = bits & 0x7FFFFF;
	/* zero and subnormal: no leading bit, which counts as an exponent step */
	int exponent = (int)field + (field == 0) - 127;
	uint32_t significand = rest | (uint32_t)(field != 0) << 23;

	int shift = 24 - p + (exponent < smallest ? smallest - exponent : 0);
	shift = shift < 25 ? shift : 25; /* 1 at least */
	/* half less one, and one more for an odd quotient: to nearest even */
	uint32_t odd = significand >> shift & 1;
	uint32_t quotient = (significand + (1u << (shift - 1)) - 1 + odd) >> shift;
	uint32_t finite = values_compose(format, sign, exponent, quotient);
	uint32_t special = rest != 0 ? format->nan : sign | format->overflow;
	return field == 0xFF ? special : finite;
}

/* values_from_double() of a float, with nothing but 32-bit integers: most values are drawn as
 * floats, and gigabytes of them for each pass of timed calls. */
VALUES_FUNCTION uint32_t values_from_float(const struct number_format *format, float x)
{
	uint32_t bits;
	if (format->is_integer)
		return values_code(format, x);
	if (format->bits < 32)
		return values_narrow(format, x);
	memcpy(&bits, &x, sizeof bits); /* a float's own */
	return x != x ? format->nan : bits;
}

VALUES_FUNCTION double values_to_double(const struct number_format *format, uint32_t bits)
{
	int p = format->precision, smallest = format->smallest_exponent;
	uint32_t magnitude, field;
	uint64_t significand, out;
	double x;

	if (format->is_integer) /* two's complement where there is a sign */
		return (double)((int32_t)((bits & (format->sign - 1)) - (bits & format->sign)) -
						format->zero);
	magnitude = bits & (format->sign - 1);
	field = magnitude >> (p - 1);
	significand = magnitude & ((1u << (p - 1)) - 1);
	if (magnitude >= format->nan_first || (magnitude != 0 && magnitude == format->infinity)) {
		out = 0x7FFull << 52;
		if (magnitude >= format->nan_first)
			out |= 1ull << 51;
	} else if (field == 0) { /* zero or subnormal: an integer times a power of two, exact */
		uint64_t power = (uint64_t)(smallest - (p - 1) + 1023) << 52;
		memcpy(&x, &power, sizeof x);
		x *= (double)significand;
		memcpy(&out, &x, sizeof out);
	} else {
		out = (uint64_t)((int)field - 1 + smallest + 1023) << 52 | significand << (53 - p);
	}
	if ((bits & format->sign) != 0)
		out |= 1ull << 63;
	memcpy(&x, &out, sizeof x);
	return x;
}

/* ---- drawing ----------------------------------------------------------- */

VALUES_FUNCTION float values_float_bits(uint32_t bits)
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
		double one = (word & 1) != 0 ? -1 : 1;
		return (word >> 1) < share ? one : 0;
	}
	int32_t limit = (int32_t)scale;
	return (double)(int32_t)(((uint64_t)word * (uint32_t)(2 * limit + 1)) >> 32) - limit;
}

/* low + scale * fraction: the product of two floats is exact in f64, so that a contracted
 * multiply and add gives the same. */
VALUES_FUNCTION double values_above(const struct value_spec *spec, float fraction)
{
	return (double)spec->low + (double)spec->scale * (double)fraction;
}

/* A number among all codes: of integers any, of others any finite one. */
VALUES_FUNCTION uint32_t values_any_code(const struct number_format *format, uint32_t word)
{
	if (format->is_integer)
		return word >> (32 - format->bits);
	uint32_t end = format->infinity != 0 ? format->infinity : format->nan_first;
	return ((word & 1) != 0 ? format->sign : 0) | (uint32_t)((uint64_t)(word >> 1) * end >> 31);
}

/* In the binade below the largest, where no result of a generated case comes. */
VALUES_FUNCTION uint32_t values_marker(const struct number_format *format, uint32_t word)
{
	if (format->is_integer)
		return values_any_code(format, word);
	uint32_t top = format->overflow >> (format->precision - 1); /* exponent field */
	uint32_t significand = word >> (33 - format->precision);
	return ((word & 1) != 0 ? format->sign : 0) | (top - 2) << (format->precision - 1) |
		   significand;
}

/* What three distributions draw of a word, before it is narrowed. */
VALUES_FUNCTION float values_uniform(const struct value_spec *spec, uint32_t word)
{
	return (float)((int32_t)(word >> 8) - (1 << 23)) * (spec->scale * 0x1p-23f);
}

VALUES_FUNCTION float values_wide(const struct value_spec *spec, uint32_t word)
{
	uint32_t exponent = ((word >> 24) * (uint32_t)spec->scale) >> 8;
	exponent = exponent + 127 - (uint32_t)spec->scale / 2;
	return values_float_bits((word & 0x800000) << 8 | exponent << 23 | (word & 0x7FFFFF));
}

VALUES_FUNCTION float values_positive(const struct value_spec *spec, uint32_t word)
{
	return (float)(word >> 8) * (spec->scale * 0x1p-24f);
}

/* Every distribution but the normal one and graphs takes one word. Each is one float
 * product at most, so that no compiler can contract or reorder anything. */
VALUES_FUNCTION uint32_t values_of_word(const struct values *values, uint32_t word)
{
	const struct number_format *format = &values->format;
	const struct value_spec *spec = &values->spec;

	switch (spec->distribution) {
	case VALUES_SPECIAL:
		if ((word & 0xFFF) == 0) {
			uint32_t kind = (word >> 12) % 3;
			if (kind == 0)
				return format->nan;
			return format->infinity | (kind == 1 ? 0 : format->sign);
		}
		return values_from_float(format, values_uniform(spec, word));
	case VALUES_UNIFORM: return values_from_float(format, values_uniform(spec, word));
	case VALUES_INTEGER: return values_from_double(format, values_integer(word, spec->scale));
	case VALUES_WIDE: return values_from_float(format, values_wide(spec, word));
	case VALUES_POSITIVE:
		if (spec->low != 0)
			return values_from_double(format, values_above(spec, (float)(word >> 8) * 0x1p-24f));
		return values_from_float(format, values_positive(spec, word));
	case VALUES_LARGE: {
		float magnitude = (float)((word >> 9) + (1u << 23)) * (spec->scale * 0x1p-24f);
		return values_from_float(format, (word & 1) != 0 ? -magnitude : magnitude);
	}
	case VALUES_NAN:
		return format->nan_first; /* signalling: nothing that is computed has its bits */
	case VALUES_CODES: return values_any_code(format, word);
	case VALUES_MARKER: return values_marker(format, word);
	case VALUES_UNWRITTEN:
		return format->is_integer ? values_any_code(format, word)
								  : format->sign | (format->sign - 1);
	case VALUES_SIGNED: {
		double magnitude =
			(word & 0x1F) == 0 ? 0 : values_above(spec, (float)(word >> 8) * 0x1p-24f);
		return values_from_double(format, (word & 0x80) != 0 ? -magnitude : magnitude);
	}
	case VALUES_NORMAL:
	case VALUES_GRAPH:
	case VALUES_GRAPH_SIGNED:
	case VALUES_GRAPH_INTEGER:
	case VALUES_GRAPH_CHAIN:
	case VALUES_WIDE_LATE:
	case VALUES_WIDE_ROWS:
	case VALUES_BLOCKS:
	case VALUES_SPARSE:
	case VALUES_ZERO: break;
	}
	return values_from_double(format, 0);
}

VALUES_FUNCTION uint32_t values_place(const struct values *values, uint64_t place)
{
	return values_random(values->seed, values->stream + VALUES_STREAM_PLACES, place).word[0];
}

/* An element of an operand whose parts are drawn apart. */
VALUES_FUNCTION uint32_t values_of_part(const struct values *values, uint64_t index, uint32_t word)
{
	struct values drawn = *values;
	uint64_t row = index / values->columns, column = index % values->columns;
	drawn.spec.distribution = VALUES_UNIFORM;
	if (values->spec.distribution == VALUES_SPARSE) {
		if (values_is_hole(values->spec.share, values->stream, index))
			drawn.spec.distribution = VALUES_ZERO;
	} else if (values->spec.distribution == VALUES_BLOCKS) {
		uint64_t square = row / 16 * ((values->columns + 15) / 16) + column / 16;
		if ((values_place(values, square) & 1) != 0)
			drawn.spec.distribution = VALUES_ZERO;
	} else if (values->spec.distribution == VALUES_WIDE_LATE
				   ? index >= values->elements - values->elements / 4
				   : (values_place(values, row) & 0xF) == 0) {
		drawn.spec.distribution = VALUES_WIDE;
	} else {
		drawn.spec.scale = 1;
	}
	return values_of_word(&drawn, word);
}

/* 0 to 15 for each node. */
VALUES_FUNCTION double values_potential(const struct values *values, uint64_t node)
{
	struct values_words words =
		values_random(values->seed, values->stream + VALUES_STREAM_POTENTIALS, node);
	return (double)(words.word[0] >> 28);
}

/* The length of the edge at this place. Potentials keep lengths around a cycle what they were:
 * at least `low` an edge, far above what rounding a sum of the two takes away. */
VALUES_FUNCTION uint32_t values_edge(const struct values *values, uint64_t index, uint32_t word)
{
	const struct value_spec *spec = &values->spec;
	uint64_t from = index / values->columns, to = index % values->columns;
	if (from == to)
		return values_from_double(&values->format, 0);
	bool next = spec->distribution == VALUES_GRAPH_CHAIN && to == from + 1;
	if (!next && (word & 0xFFF) >= (uint32_t)(spec->share * 4096.0f))
		return values->format.infinity;
	double length = spec->distribution == VALUES_GRAPH_INTEGER
						? (double)(1 + ((uint64_t)(word >> 12) * (uint32_t)spec->scale >> 20))
						: values_above(spec, (float)(word >> 12) * 0x1p-20f);
	if (spec->distribution != VALUES_GRAPH)
		length += values_potential(values, from) - values_potential(values, to);
	return values_from_double(&values->format, length);
}

/* The code of the element's square, where that holds extreme ones; else `code`. */
VALUES_FUNCTION uint32_t values_extreme(const struct values *values, uint64_t index, uint32_t code)
{
	uint64_t row = index / values->columns / 2, column = index % values->columns / 2;
	uint64_t squares = (values->columns + 1) / 2;
	uint32_t word =
		values_random(values->seed, values->stream + VALUES_STREAM_EXTREMES, row * squares + column)
			.word[0];
	if ((word & 0xFFF) >= (uint32_t)(values->spec.share * 4096.0f))
		return code;
	const struct number_format *format = &values->format;
	return values_from_double(format, (word >> 31) != 0 ? format->highest : format->lowest);
}

/* Takes a whole block of words an element. */
VALUES_FUNCTION uint32_t values_of_normal(const struct values *values, uint64_t index)
{
	float unit = values_normal_unit(values_random(values->seed, values->stream, index));
	return values->flip ^
		   values_from_float(&values->format, unit * (values->spec.scale * VALUES_NORMAL_STEP));
}

/* Of any other distribution, from its word. */
VALUES_FUNCTION uint32_t values_drawn(const struct values *values, uint64_t index, uint32_t word)
{
	enum distribution distribution = values->spec.distribution;
	bool edges = distribution == VALUES_GRAPH || distribution == VALUES_GRAPH_SIGNED ||
				 distribution == VALUES_GRAPH_INTEGER || distribution == VALUES_GRAPH_CHAIN;
	bool extremes = values->format.is_integer && values->spec.share > 0;
	bool parts = distribution == VALUES_WIDE_LATE || distribution == VALUES_WIDE_ROWS ||
				 distribution == VALUES_BLOCKS || distribution == VALUES_SPARSE;
	uint32_t bits = edges   ? values_edge(values, index, word)
					: parts ? values_of_part(values, index, word)
							: values_of_word(values, word);
	return values->flip ^ (extremes ? values_extreme(values, index, bits) : bits);
}

/* Elements 4*block .. 4*block+3, as bits. */
VALUES_FUNCTION void values_block(const struct values *values, uint64_t block,
								  uint32_t out[VALUES_BLOCK])
{
	if (values->spec.distribution == VALUES_NORMAL) {
		for (int i = 0; i < VALUES_BLOCK; i++)
			out[i] = values_of_normal(values, block * VALUES_BLOCK + i);
		return;
	}
	struct values_words words = values_random(values->seed, values->stream, block);
	for (int i = 0; i < VALUES_BLOCK; i++)
		out[i] = values_drawn(values, block * VALUES_BLOCK + i, words.word[i]);
}

/* One element, as bits, and as a number. */
VALUES_FUNCTION uint32_t values_at(const struct values *values, uint64_t index)
{
	if (values->spec.distribution == VALUES_NORMAL)
		return values_of_normal(values, index);
	struct values_words words = values_random(values->seed, values->stream, index / VALUES_BLOCK);
	return values_drawn(values, index, words.word[index % VALUES_BLOCK]);
}

VALUES_FUNCTION double values_number_at(const struct values *values, uint64_t index)
{
	return values_to_double(&values->format, values_at(values, index));
}

/* What an operand holds before a call. */
static inline struct values values_of_operand(const struct problem *problem,
											  const struct test_case *test, uint64_t seed,
											  size_t operand)
{
	const struct operand *row = &problem->operands[operand];
	struct values values = {type_of(row->type)->format,
							test->values[operand],
							seed,
							values_stream((uint32_t)operand),
							operand_columns(row, &test->shape),
							operand_elements(row, &test->shape),
							0};
	return values;
}

#endif
