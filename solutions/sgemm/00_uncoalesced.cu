/* One thread an element, in the wrong order.
 *
 * Idea: C has M*N independent dot products of length K, and each thread takes
 * one. Here neighbouring threads (threadIdx.x) lie in neighbouring *rows* of C,
 * as a loop nest copied from the CPU would have it.
 *
 * This is where the ladder starts. The 32 lanes of a warp read 32 elements of A
 * that are K floats apart and write 32 elements of C that are N floats apart:
 * a load fetches 32 sectors of 32 bytes and uses 4 bytes of each. 01_naive
 * exchanges the two indices, and nothing else.
 *
 * Arithmetic intensity: 2 FLOP for 2 floats, 0.25 FLOP per byte requested from the
 * caches; in sectors moved, 2 FLOP for about 33 bytes.
 *
 * Bound by L1, says `explain` (H200, 4096^3): the lanes of a load touch 17 lines of 128
 * bytes, 32 for A and one for B on the average, and L1 looks up one a clock: 272 ms, 274.6
 * measured. The source's 1.3% of cuBLAS is the same limit against a cuBLAS that
 * uses less of its GPU.
 *
 * reached: 0.5 TFLOP/s, 1% of cuBLAS (NVIDIA H100 80GB HBM3, 4096^3) */
#include "epilogue.cuh"

constexpr int BLOCK_M = 32; // a warp's width: its lanes share a column of C
constexpr int BLOCK_N = 8;

static __global__ void gemm_uncoalesced(const float *A, const float *B, int M, int N, int K,
										epilogue<float> out)
{
	int row = blockIdx.x * BLOCK_M + threadIdx.x;
	int column = blockIdx.y * BLOCK_N + threadIdx.y;
	if (row >= M || column >= N)
		return;

	const float *a = A + (size_t)row * K;
	const float *b = B + column;
	float sum = 0.0f;
	for (int k = 0; k < K; k++)
		sum += a[k] * b[(size_t)k * N];
	out.store(row, column, sum);
}

extern "C" void solve(const float *A, const float *B, float *C, int M, int N, int K, float alpha,
					  float beta)
{
	dim3 block(BLOCK_M, BLOCK_N);
	dim3 grid((M + BLOCK_M - 1) / BLOCK_M, (N + BLOCK_N - 1) / BLOCK_N);
	gemm_uncoalesced<<<grid, block>>>(A, B, M, N, K, epilogue_make(C, M, N, alpha, beta));
}
