/* Blocks of operands for the inner loops (kernels.h), of which these are the machine's, and single
 * values. */
#ifndef EMULATOR_TENSOR_BLOCKS_H
#define EMULATOR_TENSOR_BLOCKS_H

#include "emulator/tensor/kernels.h"

/* Those of this machine. */
const struct tensor_kernels *tensor_kernels(void);
/* Gathered chunks as blocks, `k_blocks` of them along k. A: the blocks of 16 rows together, as a
 * warp's registers would have them; B: those of the same columns. */
void tensor_blocks(const uint8_t *bytes, unsigned rows, unsigned k_blocks, bool mn_major,
				   uint32_t blocks[][TENSOR_LANES], unsigned together);

/* ldmatrix and stmatrix of .b16: lane 8i + r (i < 4) gives the address of row r
 * of matrix i, 16 bytes; register i is those rows in order, or, with .trans,
 * the transposed 8x8 matrix of 16-bit elements. Works in place. */
void tensor_transpose_b16(uint32_t reg[TENSOR_LANES]);

/* --- single values --- */
float tensor_f16_to_float(uint16_t bits);
uint16_t tensor_float_to_f16(float value);                        /* round to nearest even */
uint16_t tensor_byte_to_f16(enum tensor_type type, uint8_t bits); /* of e4m3 or e5m2 */

/* d = a + b to nearest, of f32 or of pairs of f16. d may be one of the others. */
void tensor_add(bool halves, const uint32_t a[TENSOR_LANES], const uint32_t b[TENSOR_LANES],
				uint32_t d[TENSOR_LANES]);

#endif
