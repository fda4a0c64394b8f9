/* Tiles of A and B in shared memory, two outputs per thread.
 *
 * Idea: the threads of a block need the same rows of A and columns of B. The
 * block loads a 16x16 tile of each into shared memory once, every thread reads
 * it from there 16 times, and then the block moves on along K. Each thread
 * computes two elements of C, 16 columns apart (thread coarsening 2), so that
 * a value of A read from shared memory feeds two multiplications.
 *
 * Changes from 01_naive: traffic to global memory falls by the tile's size;
 * the block meets twice per tile, once before it is read and once before it is
 * overwritten. Threads outside of C still help to load, and what lies outside
 * of A or B is loaded as 0, which adds nothing to a sum. (Infinities and NaN
 * stay where they belong: such a 0 only ever meets another 0 along K, or ends
 * in an output that is not stored.)
 *
 * Arithmetic intensity: a block of 16x32 outputs loads 16 + 32 halves for each
 * step along K and does 2*16*32 = 1024 FLOP with them: 1024 / 96 = 10.7 FLOP
 * per byte of global memory (0.5 before). From shared memory it is 2*2 FLOP
 * for 3 halves, 0.67 FLOP per byte, which is what bounds it now.
 *
 * reached: 10.8 TFLOP/s, 1% of cuBLAS (NVIDIA H200, 4096^3) */
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "epilogue.cuh"

constexpr int TILE = 16;
constexpr int COARSENING = 2;
constexpr int BLOCK_COLUMNS = TILE * COARSENING; // columns of C that a block computes

static __global__ void gemm_tiled(const half *A, const half *B, int M, int N, int K,
								  epilogue<half> out)
{
	__shared__ half tile_a[TILE][TILE];
	__shared__ half tile_b[TILE][BLOCK_COLUMNS];

	int tx = threadIdx.x;
	int ty = threadIdx.y;
	int row = blockIdx.y * TILE + ty;
	int column = blockIdx.x * BLOCK_COLUMNS + tx;
	const half zero = __float2half(0.0f);

	float sum[COARSENING] = {};
	for (int k0 = 0; k0 < K; k0 += TILE) {
		tile_a[ty][tx] = row < M && k0 + tx < K ? A[(size_t)row * K + k0 + tx] : zero;
#pragma unroll
		for (int i = 0; i < COARSENING; i++) {
			int c = column + i * TILE;
			bool inside = k0 + ty < K && c < N;
			tile_b[ty][tx + i * TILE] = inside ? B[(size_t)(k0 + ty) * N + c] : zero;
		}
		__syncthreads();

#pragma unroll
		for (int k = 0; k < TILE; k++) {
			float a = __half2float(tile_a[ty][k]);
#pragma unroll
			for (int i = 0; i < COARSENING; i++)
				sum[i] += a * __half2float(tile_b[k][tx + i * TILE]);
		}
		__syncthreads();
	}

#pragma unroll
	for (int i = 0; i < COARSENING; i++)
		out.by_lanes().store(row, column + i * TILE, sum[i]); // drops what lies outside of C
}

extern "C" void solve(const half *A, const half *B, half *C, int M, int N, int K, float alpha,
					  float beta)
{
	dim3 block(TILE, TILE);
	dim3 grid((N + BLOCK_COLUMNS - 1) / BLOCK_COLUMNS, (M + TILE - 1) / TILE);
	gemm_tiled<<<grid, block>>>(A, B, M, N, K, epilogue_make(C, M, N, alpha, beta));
}
