/* Sums of products as the tensor cores of an H200 make them, bit for bit. DESIGN.md, "Tensor
 * cores", has the experiments. */
#ifndef EMULATOR_TESTS_MODEL_SUM_H
#define EMULATOR_TESTS_MODEL_SUM_H

#include "model.h"
#include "model_tile.h"

/* One element of D. */
struct model_dot {
	enum model_type a_type, b_type, c_type, d_type;
	unsigned k, count;                          /* the instruction's; products */
	uint64_t a[MODEL_K_MAX], b[MODEL_K_MAX], c; /* bits */
	unsigned place[MODEL_K_MAX];                /* along k, of each product */
	bool negate;                                /* the products; wgmma only */
	bool saturate, bits_and;                    /* integers, .b1 */
};

/* The bits of d. */
uint64_t model_mma_sum(const struct model_dot *dot);
uint64_t model_wgmma_sum(const struct model_dot *dot);

#endif
