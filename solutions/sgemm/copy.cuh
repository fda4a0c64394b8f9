/* Asynchronous copies of a tile, in the place of load.cuh's loads. Steps 07 to 09 share them. */
#ifndef GEMMJUDGE_SGEMM_COPY_CUH
#define GEMMJUDGE_SGEMM_COPY_CUH

#include <cuda_pipeline.h>
#include <cuda_runtime.h>

/* load_tile() by asynchronous copies, which need no register on their way: they have landed after
 * __pipeline_wait_prior(). What lies outside of the matrix is written as 0 by copying nothing. */
template <int ROWS, int COLUMNS, int LD, int THREADS, bool VECTOR>
static __device__ __forceinline__ void copy_tile(float *tile, const float *matrix, int rows,
												 int columns, int row0, int column0)
{
	constexpr int V = VECTOR ? 4 : 1;
	static_assert(COLUMNS % 4 == 0 && LD % 4 == 0, "rows of the tile keep float4 aligned");
	static_assert(ROWS * COLUMNS % (THREADS * V) == 0, "copying loop without a remainder");

#pragma unroll
	for (int i = 0; i < ROWS * COLUMNS / V / THREADS; i++) {
		int e = (i * THREADS + (int)threadIdx.x) * V;
		int r = e / COLUMNS, c = e % COLUMNS;
		bool inside = row0 + r < rows && column0 + c < columns;
		const float *from = matrix + (size_t)(row0 + r) * columns + column0 + c;
		__pipeline_memcpy_async(&tile[r * LD + c], inside ? from : matrix, 4 * V,
								inside ? 0 : 4 * V);
	}
}

#endif
