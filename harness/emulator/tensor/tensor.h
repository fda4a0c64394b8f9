/* Products of tensor cores, as pure functions of registers and bytes: an H200's bits (DESIGN.md,
 * "Tensor cores"). */
#ifndef EMULATOR_TENSOR_TENSOR_H
#define EMULATOR_TENSOR_TENSOR_H

#include "emulator/tensor/blocks.h"
#include "emulator/tensor/sparse.h"

/* One warp's mma. Registers are pointers to 32 lanes; d and c may be the same. */
void tensor_mma(const struct tensor_shape *shape, uint32_t *const d[], const uint32_t *const a[],
				const uint32_t *const b[], const uint32_t *const c[]);
/* The f64 shapes (m8n8k4, m16n8k4/k8/k16). */
void tensor_mma_f64(const struct tensor_shape *shape, double *const d[], const double *const a[],
					const double *const b[], const double *const c[]);

void tensor_wgmma(const struct tensor_wgmma *operation);

#endif
