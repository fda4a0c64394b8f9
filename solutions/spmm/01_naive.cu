/* One thread computes one element of C = A B. Most elements of A are 0, but they are stored all
 * the same.
 *
 * The sizes have this problem's own names: A is M x N, B is N x K and C is M x K, so that N is the
 * length of the dot products and K the width of C.
 *
 * Idea: C has M K independent dot products, each thread takes one: it walks a row of A and a
 * column of B and keeps the sum in a register.
 *
 * Changes from the step before: the first step. threadIdx.x runs along the columns of C, so that
 * the 32 lanes of a warp read 32 neighbouring elements of B and the same element of A.
 *
 * Arithmetic intensity: 2 FLOP for the 2 floats that each step of the inner loop loads, 0.25 FLOP
 * per byte requested from the caches.
 *
 * Bound by load instructions, as matmul_f32/01_naive is, which has the same loop.
 *
 * reached: 1276 us, 14% of cuBLASLt (NVIDIA H200, 2026-11-29, 4096x2048x512) */
#include <cuda_runtime.h>

constexpr int BLOCK_ROWS = 8;
constexpr int BLOCK_COLUMNS = 32; // a warp's width: its lanes share a row of C

static __global__ void spmm_naive(const float *A, const float *B, float *C, int M, int N, int K)
{
	int row = blockIdx.y * BLOCK_ROWS + threadIdx.y;
	int column = blockIdx.x * BLOCK_COLUMNS + threadIdx.x;
	if (row >= M || column >= K)
		return;

	const float *a = A + (size_t)row * N;
	const float *b = B + column;
	float sum = 0.0f;
	for (int n = 0; n < N; n++)
		sum += a[n] * b[(size_t)n * K];
	C[(size_t)row * K + column] = sum;
}

extern "C" void solve(const float *A, const float *B, float *C, int M, int N, int K, int)
{
	dim3 block(BLOCK_COLUMNS, BLOCK_ROWS);
	dim3 grid((K + BLOCK_COLUMNS - 1) / BLOCK_COLUMNS, (M + BLOCK_ROWS - 1) / BLOCK_ROWS);
	spmm_naive<<<grid, block>>>(A, B, C, M, N, K);
}
