/* solve() of a LeetGPU-like judge over ffma(): in the default stream, and an error ends the
 * process.
 */
#ifndef GEMMJUDGE_SGEMM_FFMA_SOLVE_CUH
#define GEMMJUDGE_SGEMM_FFMA_SOLVE_CUH

#include <stdio.h>
#include <stdlib.h>

#include "ffma.cuh"

static inline void ffma_solve_check(cudaError_t status)
{
	if (status != cudaSuccess) {
		fprintf(stderr, "f32 product: %s\n", cudaGetErrorString(status));
		abort();
	}
}

static inline void ffma_solve(const ffma_product &p, const epilogue<float> &out)
{
	ffma_solve_check(ffma(p, out, 0));
}

#endif
