/* Any size and any group: squares of x and W in shared memory as floats, W with its scale on it
 * (15 bits, exact), and a 4x4 tile of y in the registers of each thread. For what the tensor
 * cores' kernel does not take; correct, not fast. */
#ifndef GEMMJUDGE_W4_TILED_CUH
#define GEMMJUDGE_W4_TILED_CUH

#include <cuda_fp16.h>
#include <stdint.h>

#include "epilogue.cuh"

constexpr int TILED_SIDE = 64;              // rows and columns of y that a block computes
constexpr int TILED_DEPTH = 32;             // along K
constexpr int TILED_THREADS = 256;          // 16 x 16
constexpr int TILED_PITCH = TILED_SIDE + 1; // spreads a row of x or W over the banks

/* Rows row0 and on of x, transposed; zeros outside. */
static __device__ __forceinline__ void tiled_load_x(float (&tile)[TILED_DEPTH][TILED_PITCH],
													const half *x, int row0, int k0, int M, int K)
{
	for (int i = threadIdx.x; i < TILED_SIDE * TILED_DEPTH; i += TILED_THREADS) {
		int row = row0 + i / TILED_DEPTH, k = k0 + i % TILED_DEPTH;
		bool exists = row < M && k < K;
		tile[i % TILED_DEPTH][i / TILED_DEPTH] =
			exists ? __half2float(x[(size_t)row * K + k]) : 0.0f;
	}
}

/* Loads a tile of W, a byte at a time: K is even. */
static __device__ __forceinline__ void tiled_load_w(float (&tile)[TILED_DEPTH][TILED_PITCH],
													const uint8_t *w_q, const half *scales,
													int row0, int k0, int N, int K, int group_size)
{
	constexpr int BYTES = TILED_DEPTH / 2; // of a row
	for (int i = threadIdx.x; i < TILED_SIDE * BYTES; i += TILED_THREADS) {
		int row = row0 + i / BYTES, k = k0 + i % BYTES * 2;
		float high = 0.0f, low = 0.0f;
		if (row < N && k < K) {
			int pair = w_q[(size_t)row * (K / 2) + k / 2];
			float scale = __half2float(scales[(size_t)row * (K / group_size) + k / group_size]);
			high = (float)((pair >> 4) - 8) * scale;
			low = (float)((pair & 15) - 8) * scale;
		}
		tile[i % BYTES * 2][i / BYTES] = high;
		tile[i % BYTES * 2 + 1][i / BYTES] = low;
	}
}

static __global__ void __launch_bounds__(TILED_THREADS)
	gemm_tiled(const half *x, const uint8_t *w_q, const half *scales, int M, int N, int K,
			   int group_size, epilogue<half> out)
{
	__shared__ float tile_x[TILED_DEPTH][TILED_PITCH], tile_w[TILED_DEPTH][TILED_PITCH];

	int row0 = blockIdx.y * TILED_SIDE, column0 = blockIdx.x * TILED_SIDE;
	int right = threadIdx.x % 16, down = threadIdx.x / 16;
	float sum[4][4] = {};
	for (int k0 = 0; k0 < K; k0 += TILED_DEPTH) {
		tiled_load_x(tile_x, x, row0, k0, M, K);
		tiled_load_w(tile_w, w_q, scales, column0, k0, N, K, group_size);
		__syncthreads();
#pragma unroll 8
		for (int k = 0; k < TILED_DEPTH; k++) {
			float a[4], b[4];
#pragma unroll
			for (int i = 0; i < 4; i++) {
				a[i] = tile_x[k][down + 16 * i];
				b[i] = tile_w[k][right + 16 * i];
			}
#pragma unroll
			for (int i = 0; i < 4; i++)
#pragma unroll
				for (int j = 0; j < 4; j++)
					sum[i][j] += a[i] * b[j];
		}
		__syncthreads();
	}
#pragma unroll
	for (int i = 0; i < 4; i++)
#pragma unroll
		for (int j = 0; j < 4; j++)
			out.by_lanes().store(row0 + down + 16 * i, column0 + right + 16 * j, sum[i][j]);
}

static void tiled_launch(const half *x, const uint8_t *w_q, const half *scales, int M, int N, int K,
						 int group_size, const epilogue<half> &out)
{
	dim3 grid((N + TILED_SIDE - 1) / TILED_SIDE, (M + TILED_SIDE - 1) / TILED_SIDE);
	gemm_tiled<<<grid, TILED_THREADS>>>(x, w_q, scales, M, N, K, group_size, out);
}

#endif
