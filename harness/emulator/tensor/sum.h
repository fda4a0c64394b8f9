/* One sum of products as a tensor core makes it, whatever its terms are: DESIGN.md, "Tensor
 * cores". The inner loops (tensor/exact.h) have a quicker way for most. */
#ifndef EMULATOR_TENSOR_SUM_H
#define EMULATOR_TENSOR_SUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How an instruction adds. */
struct tensor_rule {
	/* exponents of the smallest normal numbers of A and B, as f32 stores them */
	uint8_t least_a, least_b;
	bool bytes; /* wgmma of 8-bit floats: 13 bits below the largest exponent, and 14 of the sum */
	/* The sum is for f16, to which it will be rounded once: 24 bits of it, the last of which is 1
	 * where others were cut. */
	bool half;
};

#define TENSOR_KEPT 25 /* bits below the largest exponent */
#define TENSOR_KEPT_BYTES 13
#define TENSOR_SUM_BITS_BYTES 14

/* Factors of the products lie `a_stride` and `b_stride` apart. */
struct tensor_terms {
	const float *a, *b;
	size_t a_stride, b_stride;
	unsigned count;
	float c;
};
float tensor_sum(const struct tensor_rule *rule, const struct tensor_terms *terms);

#endif
