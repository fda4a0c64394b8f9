/* One thread computes one element of one C.
 *
 * Idea: the BATCH products have nothing in common but their sizes, so the batch
 * is one more dimension of the grid: blockIdx.z chooses the matrices, and the
 * rest is a plain product. Each thread walks a row of A and a column of B and
 * keeps the sum in an f32 register.
 *
 * Changes from the step before: the first step. threadIdx.x runs along the
 * columns of C, so that the 32 lanes of a warp read 32 neighbouring elements
 * of B (one 64-byte run) and the same element of A (a broadcast).
 *
 * Arithmetic intensity: 2 FLOP for the 2 halves that each step of the K loop
 * loads, 2 / 4 = 0.5 FLOP per byte requested from the caches.
 *
 * Bound by load instructions, says `explain` (H200, 32x256x256x256): 131 us, and
 * latency as long beside them: 201 predicted, 303 measured.
 *
 * reached: 3.55 TFLOP/s, 2% of cuBLASLt (NVIDIA H100 80GB HBM3, 32x256x256x256) */
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "../batched_f32/limits.h"
#include "epilogue.cuh"

constexpr int BLOCK_ROWS = 8;
constexpr int BLOCK_COLUMNS = 32; // a warp's width: its lanes share a row of C

/* The epilogue sees all of C as one matrix of BATCH * M rows. */
static __global__ void batched_naive(const half *A, const half *B, int first, int M, int N, int K,
									 epilogue<half> out)
{
	int batch = first + blockIdx.z;
	int row = blockIdx.y * BLOCK_ROWS + threadIdx.y;
	int column = blockIdx.x * BLOCK_COLUMNS + threadIdx.x;
	if (row >= M || column >= N)
		return;

	const half *a = A + ((size_t)batch * M + row) * K;
	const half *b = B + (size_t)batch * K * N + column;
	float sum = 0.0f;
	for (int k = 0; k < K; k++)
		sum += __half2float(a[k]) * __half2float(b[(size_t)k * N]);

	out.by_lanes().store(batch * M + row, column, sum);
}

extern "C" void solve(const half *A, const half *B, half *C, int BATCH, int M, int N, int K)
{
	batched_check(batched_too_large(BATCH, M, N, K, BLOCK_ROWS));
	dim3 block(BLOCK_COLUMNS, BLOCK_ROWS);
	int columns = (N + BLOCK_COLUMNS - 1) / BLOCK_COLUMNS, rows = (M + BLOCK_ROWS - 1) / BLOCK_ROWS;
	for (int first = 0; first < BATCH; first += 65535) { // the most along a grid's z
		dim3 grid(columns, rows, min(BATCH - first, 65535));
		batched_naive<<<grid, block>>>(A, B, first, M, N, K, epilogue_make(C, BATCH * M, N));
	}
}
