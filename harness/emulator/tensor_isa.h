/* The arithmetic behind tensor.h, compiled once for each x86-64 level
 * (tensor_isa.c) and chosen when it is first used (tensor.c). */
#ifndef EMULATOR_TENSOR_ISA_H
#define EMULATOR_TENSOR_ISA_H

#include "emulator/tensor.h"

#define TENSOR_K_MAX 32u

/* Elements of a 16-byte chunk, as floats or integers. */
struct tensor_kernels {
	void (*to_floats)(enum tensor_type type, const uint8_t chunk[TENSOR_CHUNK], float *out);
	/* acc[(cb * row_blocks + rb) * 2 + j][lane] += sum over k of
	 * a[8 rb + lane / 4][k] * b[8 cb + 2 (lane % 4) + j][k];
	 * a and b are row-major with TENSOR_K_MAX floats a row. */
	void (*multiply)(float *const acc[], const float *a, const float *b, unsigned row_blocks,
					 unsigned column_blocks, unsigned k);
	void (*multiply_integers)(int32_t *const acc[], const int32_t *a, const int32_t *b,
							  unsigned row_blocks, unsigned column_blocks, unsigned k);
	void (*halves_to_floats)(const uint32_t reg[TENSOR_LANES], float low[TENSOR_LANES],
							 float high[TENSOR_LANES]);
	void (*floats_to_halves)(const float low[TENSOR_LANES], const float high[TENSOR_LANES],
							 uint32_t reg[TENSOR_LANES]);
};

extern const struct tensor_kernels tensor_kernels_v2, tensor_kernels_v3, tensor_kernels_v4;

#endif
