/* What is 0 in A is not multiplied.
 *
 * Idea: all lanes of a warp of 01 hold the same element of A. Where it is 0, the warp as a whole
 * goes on to the next one and loads nothing of B: no lane waits for another.
 *
 * Changes from 01_naive: that condition.
 *
 * Arithmetic intensity: as before, 0.25 FLOP per byte requested, of 35 in 100 of the elements.
 *
 * Bound by load instructions and by latency: of two loads for each element of A one is left out in
 * 65 of 100 cases, so that 68% of all loads are left (1.35 of 2). But whether B is loaded is known
 * only when A's element has come, and a branch stands between a product and the next: the compiler
 * cannot load ahead past it as it does in 01. Measured, it is 6% faster than 01.
 *
 * reached: 1198 us, 15% of cuBLASLt (NVIDIA H200, 2026-11-29, 4096x2048x512) */
#include <cuda_runtime.h>

constexpr int BLOCK_ROWS = 8;
constexpr int BLOCK_COLUMNS = 32; // a warp's width: its lanes share a row of C

static __global__ void spmm_zeros_left_out(const float *A, const float *B, float *C, int M, int N,
										   int K)
{
	int row = blockIdx.y * BLOCK_ROWS + threadIdx.y;
	int column = blockIdx.x * BLOCK_COLUMNS + threadIdx.x;
	if (row >= M || column >= K)
		return;

	const float *a = A + (size_t)row * N;
	const float *b = B + column;
	float sum = 0.0f;
	for (int n = 0; n < N; n++) {
		float factor = a[n];
		if (factor != 0.0f)
			sum += factor * b[(size_t)n * K];
	}
	C[(size_t)row * K + column] = sum;
}

extern "C" void solve(const float *A, const float *B, float *C, int M, int N, int K, int)
{
	dim3 block(BLOCK_COLUMNS, BLOCK_ROWS);
	dim3 grid((K + BLOCK_COLUMNS - 1) / BLOCK_COLUMNS, (M + BLOCK_ROWS - 1) / BLOCK_ROWS);
	spmm_zeros_left_out<<<grid, block>>>(A, B, C, M, N, K);
}
