/* One thread computes one element of Y.
 *
 * Idea: Y[i][j] is the dot product of row i of X and row j of W, both of length K and
 * contiguous. There are M*N of them, independent of each other, and each thread takes one: it
 * walks along both rows and keeps the sum in an f32 register.
 *
 * Changes from the step before: the first step. threadIdx.x runs along the columns of Y, so that
 * the 32 lanes of a warp share a row of X (a broadcast). Each lane has its own row of W, so that
 * a load of the warp touches 32 lines; the L1 cache keeps them for the next values of k.
 *
 * Arithmetic intensity: 2 FLOP for the 2 halves that each step of the K loop loads, 2 / 4 =
 * 0.5 FLOP per byte requested from the caches.
 *
 * Bound by L1, says `explain` (H200, 4096^3): the lanes of a load of W touch 32
 * lines, and L1 looks up one a clock: 271 ms of 272.
 *
 * reached: 0.501 TFLOP/s, 0% of cuBLASLt (NVIDIA H100 80GB HBM3, 4096^3) */
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "epilogue.cuh"

constexpr int BLOCK_ROWS = 8;
constexpr int BLOCK_COLUMNS = 32; // a warp's width: its lanes share a row of X

static __global__ void linear_naive(const half *X, const half *W, int M, int N, int K,
									epilogue<half> out)
{
	int row = blockIdx.y * BLOCK_ROWS + threadIdx.y;
	int column = blockIdx.x * BLOCK_COLUMNS + threadIdx.x;
	if (row >= M || column >= N)
		return;

	const half *x = X + (size_t)row * K;
	const half *w = W + (size_t)column * K;
	float sum = 0.0f;
	for (int k = 0; k < K; k++)
		sum += __half2float(x[k]) * __half2float(w[k]);

	out.by_lanes().store(row, column, sum);
}

extern "C" void solve(const half *X, const half *W, half *Y, int M, int N, int K, float alpha,
					  float beta)
{
	dim3 block(BLOCK_COLUMNS, BLOCK_ROWS);
	dim3 grid((N + BLOCK_COLUMNS - 1) / BLOCK_COLUMNS, (M + BLOCK_ROWS - 1) / BLOCK_ROWS);
	linear_naive<<<grid, block>>>(X, W, M, N, K, epilogue_make(Y, M, N, alpha, beta));
}
