/* One tile configuration of solutions/gemm_f16/hopper as an object of its own,
 * tools/cost_model_part.cu compiled with its number, which tools/cost_model_measure.cu calls: both
 * are linked together. */
#ifndef COST_MODEL_PART_CUH
#define COST_MODEL_PART_CUH

#include "hopper/gemm.cuh"

typedef hopper_status part_call(const hopper_gemm &product, void *workspace, size_t bytes,
								cudaStream_t stream);

/* Makes configuration `number` known, once for each layout of B, when the program starts. */
struct part {
	part(int number, part_call *n_major, part_call *k_major);
};

#endif
