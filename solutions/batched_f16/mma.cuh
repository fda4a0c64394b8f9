/* The tile kernel of 02_mma, which 03_wgmma also takes for matrices that TMA cannot
 * address: copies as wide as each operand allows, swizzled stages of shared memory,
 * ldmatrix and mma.sync. */
#ifndef GEMMJUDGE_BATCHED_F16_MMA_CUH
#define GEMMJUDGE_BATCHED_F16_MMA_CUH

#include <stdio.h>
#include <stdlib.h>

#include "../batched_f32/limits.h"
#include "../gemm_f16/hopper/ptx.cuh"
#include "../gemm_f16/hopper/wgmma.cuh"
#include "../gemm_f16/tile.cuh"
#include "epilogue.cuh"

using namespace hopper;

constexpr int MMA_M = 16, MMA_N = 8, MMA_K = 16; // of one instruction

/* Rows of COLUMNS halves; chunk c (16 bytes) of row r lies at place c XOR r % 8, so that
 * eight rows of a column of chunks, which ldmatrix reads at once, are in all banks. */
template <int COLUMNS> struct swizzled_rows {
	static_assert(COLUMNS % 64 == 0, "rows of whole 128-byte lines");
	static __device__ __forceinline__ int at(int row, int column)
	{
		return row * COLUMNS + (column / 8 ^ row % 8) * 8 + column % 8;
	}
};

/* A block computes BLOCK_M x BLOCK_N outputs, a warp of it WARP_M x WARP_N. */
template <int BLOCK_M_, int BLOCK_N_, int WARP_M_, int WARP_N_> struct mma_tile {
	static constexpr int BLOCK_M = BLOCK_M_, BLOCK_N = BLOCK_N_, BLOCK_K = 64;
	static constexpr int WARP_M = WARP_M_, WARP_N = WARP_N_;
	static constexpr int STAGES = 4;
	static constexpr int WARPS_N = BLOCK_N / WARP_N;
	static constexpr int WARPS = BLOCK_M / WARP_M * WARPS_N;
	static constexpr int THREADS = WARPS * 32;
	static constexpr int COUNT_M = WARP_M / MMA_M, COUNT_N = WARP_N / MMA_N;
	static_assert(COUNT_N % 2 == 0, "ldmatrix.x4 loads B for two products");

	typedef swizzled_rows<BLOCK_K> layout_a;
	typedef swizzled_rows<BLOCK_N> layout_b;
	struct stage {
		half a[BLOCK_M * BLOCK_K];
		half b[BLOCK_K * BLOCK_N];
	};
	static constexpr int SHARED = STAGES * sizeof(stage);

	/* While it stores, a warp holds 16 rows of its sums in shared memory. */
	static constexpr int RESULT_STRIDE = WARP_N + 8;
	static constexpr int RESULT_FLOATS = MMA_M * RESULT_STRIDE;
	static_assert(WARPS * RESULT_FLOATS * sizeof(float) <= SHARED,
				  "stages that are done with take the results");
};
typedef mma_tile<128, 128, 64, 32> mma_tile_large;
typedef mma_tile<64, 64, 32, 32> mma_tile_small;

/* Adds a stage's products to a warp's sums. A lane names one row of 16 bytes of each four
 * 8x8 matrices that it loads: down the left half of a 16x16 tile, then down the right. */
template <class Tile>
static __device__ __forceinline__ void mma_stage(const typename Tile::stage &tiles, int warp_m,
												 int warp_n,
												 float (&sum)[Tile::COUNT_M][Tile::COUNT_N][4])
{
	int row = threadIdx.x % 16, column = threadIdx.x % 32 / 16 * 8;
#pragma unroll
	for (int k = 0; k < Tile::BLOCK_K; k += MMA_K) {
		uint32_t a[Tile::COUNT_M][4], b[Tile::COUNT_N / 2][4];
#pragma unroll
		for (int i = 0; i < Tile::COUNT_M; i++)
			load_matrices(
				a[i],
				shared_address(&tiles.a[Tile::layout_a::at(warp_m + i * MMA_M + row, k + column)]));
#pragma unroll
		for (int j = 0; j < Tile::COUNT_N / 2; j++)
			load_matrices_transposed<4>(
				b[j], shared_address(
						  &tiles.b[Tile::layout_b::at(k + row, warp_n + j * 2 * MMA_N + column)]));
#pragma unroll
		for (int i = 0; i < Tile::COUNT_M; i++)
#pragma unroll
			for (int j = 0; j < Tile::COUNT_N; j++)
				mma_sync<half>(sum[i][j], a[i][0], a[i][1], a[i][2], a[i][3], b[j / 2][j % 2 * 2],
							   b[j / 2][j % 2 * 2 + 1]);
	}
}

/* Stores a warp's sums, 16 rows at a time, by 8 neighbours a lane. `row` is of the batch
 * whose first row in C is batch_row; what lies beyond its M rows is another one's. */
template <class Tile>
static __device__ __forceinline__ void
mma_store(const epilogue<half> &out, float *slot, int M, int batch_row, int row, int column,
		  const float (&sum)[Tile::COUNT_M][Tile::COUNT_N][4])
{
	int lane = threadIdx.x % 32;
	float *mine = slot + lane / 4 * Tile::RESULT_STRIDE + lane % 4 * 2;
#pragma unroll
	for (int i = 0; i < Tile::COUNT_M; i++) {
#pragma unroll
		for (int j = 0; j < Tile::COUNT_N; j++) {
			const float *s = sum[i][j];
			*(float2 *)(mine + j * MMA_N) = make_float2(s[0], s[1]);
			*(float2 *)(mine + 8 * Tile::RESULT_STRIDE + j * MMA_N) = make_float2(s[2], s[3]);
		}
		__syncwarp();
#pragma unroll
		for (int n = 0; n < MMA_M * Tile::WARP_N / 8 / 32; n++) {
			int r = (n * 32 + lane) / (Tile::WARP_N / 8);
			int c = (n * 32 + lane) % (Tile::WARP_N / 8) * 8;
			const float4 *from = (const float4 *)(slot + r * Tile::RESULT_STRIDE + c);
			float4 x = from[0], y = from[1];
			float values[8] = {x.x, x.y, x.z, x.w, y.x, y.y, y.z, y.w};
			if (row + i * MMA_M + r < M)
				out.store(batch_row + row + i * MMA_M + r, column + c, values);
		}
		__syncwarp();
	}
}

/* bytes_a, bytes_b: how much can be copied at once from A and from B; ALIGNED says that
 * both are 16. */
template <class Tile, bool ALIGNED>
static __global__ void __launch_bounds__(Tile::THREADS)
	batched_mma(const half *A, const half *B, int first, int M, int N, int K, int bytes_a,
				int bytes_b, epilogue<half> out)
{
	extern __shared__ __align__(128) unsigned char mma_memory[];
	typename Tile::stage *stages = (typename Tile::stage *)mma_memory;
	constexpr int STAGES = Tile::STAGES, BLOCK_K = Tile::BLOCK_K;

	int batch = first + blockIdx.z;
	int row0 = blockIdx.y * Tile::BLOCK_M;
	int column0 = blockIdx.x * Tile::BLOCK_N;
	int warp = threadIdx.x / 32;
	int warp_m = warp / Tile::WARPS_N * Tile::WARP_M;
	int warp_n = warp % Tile::WARPS_N * Tile::WARP_N;
	A += (size_t)batch * M * K;
	B += (size_t)batch * K * N;

	/* Past the end of K there is nothing to fetch, but the group must exist: waiting
	 * counts groups. */
	auto fetch = [&](int t) {
		typename Tile::stage &to = stages[t % STAGES];
		if (t * BLOCK_K < K) {
			tile_copy_any<Tile::BLOCK_M, BLOCK_K, Tile::THREADS, typename Tile::layout_a>(
				ALIGNED ? 16 : bytes_a, to.a, A, M, K, row0, t * BLOCK_K);
			tile_copy_any<BLOCK_K, Tile::BLOCK_N, Tile::THREADS, typename Tile::layout_b>(
				ALIGNED ? 16 : bytes_b, to.b, B, K, N, t * BLOCK_K, column0);
		}
		tile_copy_commit();
	};

	for (int t = 0; t < STAGES - 1; t++)
		fetch(t);
	float sum[Tile::COUNT_M][Tile::COUNT_N][4] = {};
	int tiles = (K + BLOCK_K - 1) / BLOCK_K;
	for (int t = 0; t < tiles; t++) {
		/* Tile t has landed for everybody, and everybody has left tile t - 1, whose
		 * stage the next fetch may therefore fill. */
		tile_copy_wait<STAGES - 2>();
		__syncthreads();
		fetch(t + STAGES - 1);
		mma_stage<Tile>(stages[t % STAGES], warp_m, warp_n, sum);
	}

	__syncthreads();
	mma_store<Tile>(out, (float *)mma_memory + warp * Tile::RESULT_FLOATS, M, batch * M,
					row0 + warp_m, column0 + warp_n, sum);
}

static inline int tiles_along(int size, int tile)
{
	return (size + tile - 1) / tile;
}

template <class Tile>
static void mma_launch(const half *A, const half *B, int batch, int M, int N, int K,
					   epilogue<half> out)
{
	batched_check(batched_too_large(batch, M, N, K, Tile::BLOCK_M));
	int bytes_a = tile_copy_bytes(A, K), bytes_b = tile_copy_bytes(B, N);
	auto kernel =
		bytes_a == 16 && bytes_b == 16 ? batched_mma<Tile, true> : batched_mma<Tile, false>;
	if (cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, Tile::SHARED) !=
		cudaSuccess) {
		fprintf(stderr, "batched_mma: a block cannot have %d bytes of shared memory\n",
				Tile::SHARED);
		abort();
	}
	for (int first = 0; first < batch; first += 65535) { // the most along a grid's z
		dim3 grid(tiles_along(N, Tile::BLOCK_N), tiles_along(M, Tile::BLOCK_M),
				  min(batch - first, 65535));
		kernel<<<grid, Tile::THREADS, Tile::SHARED>>>(A, B, first, M, N, K, bytes_a, bytes_b, out);
	}
}

/* Large tiles reread the operands less often; small ones give more SMs something to do. */
static void mma_multiply(const half *A, const half *B, int batch, int M, int N, int K,
						 epilogue<half> out)
{
	constexpr int ENOUGH = 100; // large tiles, for the 132 SMs of an H200
	long large = (long)batch * tiles_along(M, mma_tile_large::BLOCK_M) *
				 tiles_along(N, mma_tile_large::BLOCK_N);
	if (large >= ENOUGH && M > mma_tile_small::BLOCK_M && N > mma_tile_small::BLOCK_N)
		mma_launch<mma_tile_large>(A, B, batch, M, N, K, out);
	else
		mma_launch<mma_tile_small>(A, B, batch, M, N, K, out);
}

#endif
