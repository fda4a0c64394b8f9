/* One thread computes one element of C.
 *
 * Idea: C[i][j] is the dot product of row i of A and row j of B, both of length K and
 * contiguous. Each thread takes one element, walks along both rows, turns e4m3 values into f32
 * and keeps the sum in an f32 register. The scales of both tensors are multiplied in at the end.
 *
 * Changes from the step before: the first step. A product of two e4m3 values has 8 bits at most,
 * so that it is exact in f32; only the additions round.
 *
 * Arithmetic intensity: 2 FLOP for the 2 bytes that each step of the K loop loads, 1 FLOP per
 * byte requested from the caches.
 *
 * Bound by L1, says `explain` (H200, 4096^3): the lanes of a load of B touch 32
 * lines, and L1 looks up one a clock: 271 ms of 272.
 *
 * reached: 0.497 TFLOP/s, 0% of cuBLASLt (NVIDIA H200, 4096^3) */
#include <cuda_fp8.h>
#include <cuda_runtime.h>

#include "epilogue.cuh"

constexpr int BLOCK_ROWS = 8;
constexpr int BLOCK_COLUMNS = 32; // a warp's width: its lanes share a row of A

static __global__ void gemm_naive(const __nv_fp8_e4m3 *A, const __nv_fp8_e4m3 *B, int M, int N,
								  int K, float scale_A, float scale_B, epilogue<__nv_bfloat16> out)
{
	int row = blockIdx.y * BLOCK_ROWS + threadIdx.y;
	int column = blockIdx.x * BLOCK_COLUMNS + threadIdx.x;
	if (row >= M || column >= N)
		return;

	const __nv_fp8_e4m3 *a = A + (size_t)row * K;
	const __nv_fp8_e4m3 *b = B + (size_t)column * K;
	float sum = 0.0f;
	for (int k = 0; k < K; k++)
		sum += (float)a[k] * (float)b[k];

	out.by_lanes().store(row, column, sum * scale_A * scale_B);
}

extern "C" void solve(const __nv_fp8_e4m3 *A, const __nv_fp8_e4m3 *B, __nv_bfloat16 *C, int M,
					  int N, int K, float scale_A, float scale_B)
{
	dim3 block(BLOCK_COLUMNS, BLOCK_ROWS);
	dim3 grid((N + BLOCK_COLUMNS - 1) / BLOCK_COLUMNS, (M + BLOCK_ROWS - 1) / BLOCK_ROWS);
	gemm_naive<<<grid, block>>>(A, B, M, N, K, scale_A, scale_B, epilogue_make(C, M, N));
}
