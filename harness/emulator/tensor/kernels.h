/* The arithmetic behind tensor.h, compiled once for each x86-64 level
 * (kernels.c) and chosen when it is first used (tensor/blocks.c). */
#ifndef EMULATOR_TENSOR_KERNELS_H
#define EMULATOR_TENSOR_KERNELS_H

#include "emulator/tensor/layout.h"

#define TENSOR_BLOCK 128u /* bytes: 8 rows of TENSOR_CHUNK */

union tensor_element {
	float number;
	int32_t integer;
	uint32_t bits;
};

/* The NaN of f32 sums, whatever makes it: an H200's of infinity times 0. */
#define TENSOR_NAN 0x7fffffff

#define TENSOR_BLOCK_ELEMENTS 256u /* of 4 bits: the most */

/* One side of a product. `elements` and `exponents` are the caller's room, as many of both, and
 * `least` is that of tensor_rule; integers have elements alone. Exponents are those that numbers
 * are stored with in their own format: of B in the order of the elements; of A by blocks of `width`
 * along k, and in these by k and row. */
struct tensor_factor {
	union tensor_element *elements;
	int8_t *exponents; /* less `base`; -128 of 0 */
	uint8_t least;
	unsigned width;
	int base, most;       /* the smallest one, and the largest of all */
	bool finite, clamped; /* clamped: some are lower than `base`, and stand as it */
	int lowest;           /* all are multiples of 2^lowest; INT32_MIN: nobody looked */
};

/* d[(cb * row_blocks + rb) * 2 + j][lane] = the sum of that of c and the products along k of what
 * `rows` and `columns` give for its row and column. d may be c. */
struct tensor_product {
	float *const *d;
	const float *const *c;
	const struct tensor_factor *a, *b;
	unsigned row_blocks, column_blocks, k;
	struct tensor_rule rule;
};

/* Products of rows that have values at some places of k only. */
struct tensor_chosen {
	unsigned rows, columns, kept;  /* columns: 8, or a multiple */
	const union tensor_element *a; /* rows x kept */
	const uint8_t *places;         /* along k, of each of these */
	const union tensor_element *b; /* k x columns */
	unsigned k;
	union tensor_element *sums; /* rows x columns; the products are added, in the order of a */
	bool integers;
	struct tensor_rule rule; /* of floats */
};

/* Operands are lists of blocks: the registers of a fragment, or what was gathered
 * from shared memory in that form. */
struct tensor_kernels {
	/* out[(k * row_blocks + rb) * 32 + lane]: element k of row 8 rb + lane / 4.
	 * Blocks: those that lie below each other first. */
	void (*rows)(enum tensor_type type, const uint32_t *const blocks[], unsigned row_blocks,
				 unsigned k_blocks, struct tensor_factor *out);
	/* out[((cb * depth + k) * 2 + j) * 4 + t]: element k of column 8 cb + 2 t + j.
	 * Blocks: those of the same columns first. */
	void (*columns)(enum tensor_type type, const uint32_t *const blocks[], unsigned column_blocks,
					unsigned k_blocks, struct tensor_factor *out);
	void (*multiply)(const struct tensor_product *op);
	/* All of a warp's mma of 16-bit elements at once, where this level has a way for the shape and
	 * the sums are exact in f32; false, with nothing done, where not. c may be d. */
	bool (*multiply_halves)(const struct tensor_shape *shape, float *const d[],
							const uint32_t *const a[], const uint32_t *const b[],
							const float *const c[]);
	void (*multiply_integers)(int32_t *const d[], const int32_t *const c[], const int32_t *a,
							  const int32_t *b, unsigned row_blocks, unsigned column_blocks,
							  unsigned k);
	/* A block's elements, row by row: 1024 bits of them. */
	void (*elements)(enum tensor_type type, const void *block, union tensor_element *out);
	void (*multiply_chosen)(const struct tensor_chosen *op);
	void (*transpose_b16)(uint32_t reg[TENSOR_LANES]); /* 8x8 */
	void (*halves_to_floats)(const uint32_t reg[TENSOR_LANES], float low[TENSOR_LANES],
							 float high[TENSOR_LANES]);
	void (*floats_to_halves)(const float low[TENSOR_LANES], const float high[TENSOR_LANES],
							 uint32_t reg[TENSOR_LANES]);
	float (*half_to_float)(uint16_t bits);
	uint16_t (*float_to_half)(float value);
};

extern const struct tensor_kernels tensor_kernels_v2, tensor_kernels_v3, tensor_kernels_v4;

#endif
