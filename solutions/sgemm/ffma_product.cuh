/* What the kernels of ffma.cuh and tensor.cuh are given, and where their sums go. */
#ifndef GEMMJUDGE_SGEMM_FFMA_PRODUCT_CUH
#define GEMMJUDGE_SGEMM_FFMA_PRODUCT_CUH

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#include "epilogue.cuh"

/* C (rows of batches follow each other) = A * B for `batch` products. Where `only_if` is not NULL,
 * nothing is done unless *only_if is `call` when the kernel runs. */
struct ffma_product {
	const float *A, *B;
	int batch, M, N, K;
	const unsigned *only_if;
	unsigned call;
};

/* The tile's number in the grid, walked down GROUP rows of tiles before going right, so that blocks
 * at work share operands in the L2 cache. */
struct ffma_grid {
	int tiles_m, tiles_n;
	static constexpr int GROUP = 8;

	__device__ __forceinline__ void find(int index, int &m, int &n) const
	{
		int group = index / (GROUP * tiles_n), within = index - group * GROUP * tiles_n;
		int height = min(GROUP, tiles_m - group * GROUP);
		n = within / height;
		m = group * GROUP + within - n * height;
	}
};

/* Runs of sums of a row to their places in C (epilogue.cuh, store_runs()); rows beyond the product
 * belong to the next one of the batch. */
template <int STEP, int RUNS, int V>
static __device__ __forceinline__ void ffma_store(const epilogue<float> &out, const ffma_product &p,
												  int batch, int row, int column,
												  const float (&x)[RUNS][V])
{
	if (row < p.M)
		out.template store_runs<STEP>(batch * p.M + row, column, x);
}

static inline void ffma_check(cudaError_t status, const char *what)
{
	if (status != cudaSuccess) {
		fprintf(stderr, "ffma: %s: %s\n", what, cudaGetErrorString(status));
		abort();
	}
}

#endif
