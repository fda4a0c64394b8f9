/* What the kernels of ffma.cuh and tensor.cuh are given, how they start, and where their sums go.
 */
#ifndef GEMMJUDGE_SGEMM_FFMA_PRODUCT_CUH
#define GEMMJUDGE_SGEMM_FFMA_PRODUCT_CUH

#include <cuda_runtime.h>

#include "epilogue.cuh"

/* `batch` products A * B of M x K by K x N, dense and row-major, in device memory; products of a
 * batch follow each other. A and B are only read. */
struct ffma_product {
	const float *A, *B;
	int batch, M, N, K;
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

/* A warp's sums from shared memory into C: ROWS rows of COLUMNS, LD apart there and STEP rows apart
 * in C, WIDTH values at a time (4 where rows of C are aligned to 16 bytes, else 1). Each access of
 * the warp is a run of C; straight from the lanes it would be a few values of many rows. `row`,
 * `column`: of the first in C. */
template <int ROWS, int STEP, int COLUMNS, int LD, int WIDTH>
static __device__ __forceinline__ void
ffma_store_shared(const float *from, const epilogue<float> &out, const ffma_product &p, int batch,
				  int row, int column)
{
	constexpr int CHUNKS = COLUMNS / WIDTH, ALL = ROWS * CHUNKS / 32;
	constexpr int MANY = ALL < 16 / WIDTH ? ALL : 16 / WIDTH; // 16 values are in flight
	static_assert(ROWS * CHUNKS % 32 == 0 && ALL % MANY == 0, "a warp has something to do");
#pragma unroll 1
	for (int first = 0; first < ALL; first += MANY) {
		auto at = [&](int i) { return (int)threadIdx.x % 32 + 32 * (first + i); };
		float x[MANY][WIDTH];
#pragma unroll
		for (int i = 0; i < MANY; i++) {
			typedef epilogue_vector<float, WIDTH> vector;
			vector held = *(const vector *)&from[at(i) / CHUNKS * LD + at(i) % CHUNKS * WIDTH];
#pragma unroll
			for (int j = 0; j < WIDTH; j++)
				x[i][j] = held.at[j];
		}
		out.by_lanes().store_all((batch + 1) * p.M, x, [&](int i, int &r, int &c) {
			r = batch * p.M + row + at(i) / CHUNKS * STEP;
			c = column + at(i) % CHUNKS * WIDTH;
		});
	}
}

/* Of a kernel that follows another one of the same call and may start before its end (programmatic
 * dependent launch): waits for that end. */
static __device__ __forceinline__ void ffma_wait_for_kernel_before(void)
{
#if __CUDA_ARCH__ >= 900
	cudaGridDependencySynchronize();
#endif
}
/* Lets the kernel that follows start as soon as all blocks of this one are at work. */
static __device__ __forceinline__ void ffma_let_next_kernel_start(void)
{
#if __CUDA_ARCH__ >= 900
	cudaTriggerProgrammaticLaunchCompletion();
#endif
}

/* A launch that does not wait for the end of the kernel before it; ffma_wait_for_kernel_before()
 * does. */
static inline cudaLaunchAttribute ffma_follows(void)
{
	cudaLaunchAttribute attribute;
	attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
	attribute.val.programmaticStreamSerializationAllowed = 1;
	return attribute;
}

#endif
