/* What the kernels of ffma.cuh, ffma_tma.cuh and tensor.cuh are given, and where their sums go. */
#ifndef GEMMJUDGE_SGEMM_FFMA_PRODUCT_CUH
#define GEMMJUDGE_SGEMM_FFMA_PRODUCT_CUH

#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>

#include "epilogue.cuh"

/* C (rows of batches follow each other) = A * B for `batch` products. Where `only_if` is not NULL,
 * nothing is done unless *only_if is set when the kernel runs. */
struct ffma_product {
	const float *A, *B;
	int batch, M, N, K;
	const unsigned *only_if;
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

/* A run of V sums to its place in C; rows beyond the product belong to the next one of the batch.
 */
template <int V>
static __device__ __forceinline__ void ffma_store(const epilogue<float> &out, const ffma_product &p,
												  int batch, int row, int column,
												  const float (&x)[V])
{
	if (row < p.M)
		out.store(batch * p.M + row, column, x);
}

static inline void ffma_check(cudaError_t status, const char *what)
{
	if (status != cudaSuccess) {
		fprintf(stderr, "ffma: %s: %s\n", what, cudaGetErrorString(status));
		abort();
	}
}

/* A tensor map of f32 or of bf16 in three dimensions, the contiguous one first: `pitches` are the
 * bytes from row to row and from plane to plane. What a box has outside of `sizes` is zeros. */
static inline CUtensorMap ffma_tensor_map(CUtensorMapDataType type, const void *data,
										  const cuuint64_t (&sizes)[3],
										  const cuuint64_t (&pitches)[2],
										  const cuuint32_t (&box)[3], CUtensorMapSwizzle swizzle)
{
	static decltype(&cuTensorMapEncodeTiled) encode = [] {
		void *found = NULL;
		cudaDriverEntryPointQueryResult result;
		ffma_check(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000,
													cudaEnableDefault, &result),
				   "cuTensorMapEncodeTiled");
		return (decltype(&cuTensorMapEncodeTiled))found;
	}();
	CUtensorMap map;
	const cuuint32_t steps[3] = {1, 1, 1};
	CUresult made = encode(&map, type, 3, (void *)data, sizes, pitches, box, steps,
						   CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
						   CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
	ffma_check(made == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue, "tensor map");
	return map;
}

#endif
