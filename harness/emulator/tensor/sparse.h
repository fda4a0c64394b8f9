/* The rarer products: a sparse A, operands of 4 bits and of one, and m8n8k4 of f16. */
#ifndef EMULATOR_TENSOR_SPARSE_H
#define EMULATOR_TENSOR_SPARSE_H

#include "emulator/tensor/layout.h"

/* Of a shape that tensor_shape_is_rare(). */
void tensor_mma_rare(const struct tensor_shape *shape, uint32_t *const d[],
					 const uint32_t *const a[], const uint32_t *const b[],
					 const uint32_t *const c[]);
void tensor_wgmma_sparse(const struct tensor_wgmma *op);

/* With a sparse A. Lanes that the selector does not choose may hold anything as metadata. */
void tensor_mma_sparse(const struct tensor_shape *shape, uint32_t *const d[],
					   const uint32_t *const a[], const uint32_t *const b[],
					   const uint32_t *const c[], const uint32_t metadata[TENSOR_LANES]);
/* Whether the lane's metadata is looked at. Of a product whose A is `bits` wide and 16 rows high.
 */
bool tensor_metadata_of(unsigned bits, unsigned k, unsigned selector, unsigned lane);

#endif
