/* What blocks need that share a tile of C along K. Steps 11 and cosma share it. */
#ifndef GEMMJUDGE_SGEMM_SPLIT_CUH
#define GEMMJUDGE_SGEMM_SPLIT_CUH

#include "epilogue.cuh"

/* Partial sums of a split product: SPLIT_K planes like C for the reduction
 * kernel; for atomics one such plane, and for each tile of C how many blocks are
 * done with it, both 0 at the start. */
struct split_sums {
	float *sums;
	int *done;
};

/* A thread an element: adds up the planes. */
static __global__ void reduce(const float *sums, int planes, epilogue<float> out)
{
	int row = blockIdx.y;
	int column = blockIdx.x * blockDim.x + threadIdx.x;
	if (column >= out.N)
		return;
	float sum = 0.0f;
	for (int i = 0; i < planes; i++)
		sum += sums[((size_t)i * out.M + row) * out.N + column];
	out.store(row, column, sum);
}

#endif
