/* One thread computes one element of y.
 *
 * Idea: y = x W^T has M*N independent dot products of length K, and each thread takes one: it
 * walks a row of x and a row of W, whose weights it makes as it goes. A byte of w_q has two
 * of them, the first in its high nibble; both belong to the same group, as groups are even.
 * (nibble - 8) * scale has at most 15 bits and is exact in f32.
 *
 * Changes from the step before: the first step. threadIdx.x runs along the columns of y, so
 * that the 32 lanes of a warp read the same elements of x (a broadcast). Each has a row of W of
 * its own, whose bytes its L1 cache keeps until their 32-byte sector is used up.
 *
 * Arithmetic intensity: 4 FLOP for the 5 bytes that each step of the loop loads besides the
 * scale, 0.8 FLOP per byte requested from the caches.
 *
 * Bound by L1, says `explain` (H200, 4096x4096x4096x128): the lanes of a load
 * touch 11 lines on the average, 32 for W, and L1 looks up one a clock: 141 ms of
 * 142.
 *
 * reached: 0.947 TFLOP/s, 0% of cuBLAS (NVIDIA H200, 4096x4096x4096x128) */
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

#include "epilogue.cuh"

constexpr int BLOCK_ROWS = 8;
constexpr int BLOCK_COLUMNS = 32; // a warp's width: its lanes share a row of y

static __global__ void gemm_naive(const half *x, const uint8_t *w_q, const half *scales, int M,
								  int N, int K, int group_size, epilogue<half> out)
{
	int row = blockIdx.y * BLOCK_ROWS + threadIdx.y;
	int column = blockIdx.x * BLOCK_COLUMNS + threadIdx.x;
	if (row >= M || column >= N)
		return;

	const half *a = x + (size_t)row * K;
	const uint8_t *w = w_q + (size_t)column * (K / 2);
	const half *scale = scales + (size_t)column * (K / group_size);
	float sum = 0.0f;
	for (int k0 = 0; k0 < K; k0 += group_size) {
		float s = __half2float(*scale++);
		for (int k = k0; k < k0 + group_size; k += 2) {
			int pair = w[k / 2];
			sum += __half2float(a[k]) * ((float)((pair >> 4) - 8) * s);
			sum += __half2float(a[k + 1]) * ((float)((pair & 15) - 8) * s);
		}
	}
	out.by_lanes().store(row, column, sum);
}

extern "C" void solve(const half *x, const uint8_t *w_q, const half *scales, half *y, int M, int N,
					  int K, int group_size)
{
	dim3 block(BLOCK_COLUMNS, BLOCK_ROWS);
	dim3 grid((N + BLOCK_COLUMNS - 1) / BLOCK_COLUMNS, (M + BLOCK_ROWS - 1) / BLOCK_ROWS);
	gemm_naive<<<grid, block>>>(x, w_q, scales, M, N, K, group_size, epilogue_make(y, M, N));
}
