/* C[i][j] = min over k of A[i][k] + B[k][j], one thread an element.
 *
 * Idea: the product of matrices over another pair of operations: + takes the
 * place of *, and min that of +. If A and B hold the lengths of edges (infinity
 * where there is none), C holds the lengths of the shortest paths of two edges.
 *
 * This is where the ladder starts: a thread computes one element, with
 * threadIdx.x along the columns, so that a warp reads neighbouring words of B.
 * fminf takes the other operand where one is NaN; so NaN never wins.
 *
 * Arithmetic intensity: 2 operations for 2 floats, 0.25 per byte requested from the
 * caches. The units for min work at half the rate of those for additions (64
 * a cycle and SM), so an H200 at 1980 MHz gives at most 33 T operations a second.
 *
 * Bound by load instructions, says `explain` (H200, 4096^3): 16.5 ms of 23.9, and
 * latency as long beside them; minima, at half the rate of FMAs, and addresses
 * take 12.4.
 *
 * reached: 6.19 TFLOP/s, 37% of plain (NVIDIA H200, 4096^3) */
#include "epilogue.cuh"

constexpr int BLOCK_M = 8;
constexpr int BLOCK_N = 32; // a warp's width

static __global__ void minplus_naive(const float *A, const float *B, int M, int N, int K,
									 epilogue<float> out)
{
	int row = blockIdx.y * BLOCK_M + threadIdx.y;
	int column = blockIdx.x * BLOCK_N + threadIdx.x;
	if (row >= M || column >= N)
		return;
	const float *a = A + (size_t)row * K;
	const float *b = B + column;
	float best = INFINITY;
	for (int k = 0; k < K; k++)
		best = fminf(best, a[k] + b[(size_t)k * N]);
	out.store(row, column, best);
}

extern "C" void solve(const float *A, const float *B, float *C, int M, int N, int K)
{
	dim3 block(BLOCK_N, BLOCK_M);
	dim3 grid((N + BLOCK_N - 1) / BLOCK_N, (M + BLOCK_M - 1) / BLOCK_M);
	minplus_naive<<<grid, block>>>(A, B, M, N, K, epilogue_make(C, M, N));
}
