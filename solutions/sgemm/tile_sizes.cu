/* One kernel for every shape of tiles: all sizes are compile-time constants.
 *
 * Idea: which tiles are best depends on the product's shape, so the kernel is
 * written once for any tile of a block, a warp and a thread, any depth LOAD_K,
 * any split of K over blocks and any order of blocks; solve() picks an instance
 * by M, N and K. This is the design of cuCOSMA, whose schedules are generated;
 * here there are four.
 *
 * It stands beside the ladder, as cosma.cu does: read it after 11b_lane_map.
 *
 * Changes from 11b_lane_map: every size is a template argument. Where C is small
 * and K long, SPLIT_K blocks share a tile of C; they add up with atomics, or with
 * a second kernel. Where C cannot be written as float4, the lanes exchange their
 * results through shared memory first, so that stores are runs of whole rows.
 *
 * Arithmetic intensity: BLOCK_M * BLOCK_N / (2 * (BLOCK_M + BLOCK_N)) FLOP per
 * byte of global memory, 32 for 128x128 and 16 for 64x64.
 *
 * On an H200, 90% of cuBLAS at 4096^3; the source's 98% is a mean over many
 * shapes on a V100, among them small ones, where cuBLAS is easier to match. Its
 * 8x8 thread tiles leave 85% of the issue slots to FMAs; 12 takes more.
 *
 * reached: 46.2 TFLOP/s, 88% of cuBLAS (NVIDIA H100 80GB HBM3, 4096^3) */

// One constant: which of the four, or by M, N and K (0).
// tune TILES = 0 : 0..4
// tune let FEW = ceil_div(M, 64) * ceil_div(N, 64)
// tune let SPLIT = FEW < 132 && K >= 512 ? (FEW * 4 < 132 ? 4 : 3) : 2
// tune let OWN = ceil_div(M, 128) * ceil_div(N, 128) >= 264 ? 1 : SPLIT
// tune let CHOSEN = TILES > 0 ? TILES : OWN
// tune let SIDE = CHOSEN == 1 ? 128 : 64
// tune role block_m = SIDE
// tune role block_n = SIDE
// tune role block_k = 8
// tune role warp_m = 32
// tune role warp_n = CHOSEN == 1 ? 64 : 32
// tune role thread_m = 8
// tune role thread_n = CHOSEN == 1 ? 8 : 4
// tune role split_k = CHOSEN == 3 ? 4 : CHOSEN == 4 ? 16 : 1
// tune role split_atomic = CHOSEN == 4
// tune role swizzle = CHOSEN <= 2 ? 4 : 1
// tune role stages = 2
// tune role threads = CHOSEN == 1 ? 256 : 128
// tune role registers = CHOSEN == 1 ? 128 : 96
// tune role blocks_per_multiprocessor = 2
// tune role unit = 0

#include "async.cuh"
#include "epilogue.cuh"
#include "lanes.cuh"
#include "load.cuh"
#include "split.cuh"
#include "workspace.cuh"

enum reduction { REDUCE_ATOMICS, REDUCE_KERNEL };

template <int BLOCK_M_, int BLOCK_N_, int LOAD_K_, int WARP_M_, int WARP_N_, int THREAD_M,
		  int THREAD_N, int SPLIT_K_, reduction REDUCTION_, int SWIZZLE_>
struct tile_sizes {
	static constexpr int BLOCK_M = BLOCK_M_, BLOCK_N = BLOCK_N_, LOAD_K = LOAD_K_;
	static constexpr int WARP_M = WARP_M_, WARP_N = WARP_N_;
	static constexpr int SPLIT_K = SPLIT_K_; // blocks that share a tile of C
	static constexpr reduction REDUCTION = REDUCTION_;
	static constexpr int SWIZZLE = SWIZZLE_; // rows of tiles that are worked on at once

	static constexpr int LANES_M = WARP_M / THREAD_M, LANES_N = WARP_N / THREAD_N;
	static constexpr int SUB_M = LANES_M * 4, SUB_N = LANES_N * 4; // lanes hold 4x4 of each
	static constexpr int COUNT_M = THREAD_M / 4, COUNT_N = THREAD_N / 4;
	static constexpr int WARPS_N = BLOCK_N / WARP_N, WARPS = BLOCK_M / WARP_M * WARPS_N;
	static constexpr int THREADS = WARPS * 32;
	static constexpr int LD_A = BLOCK_M + 4; // the transposed tile; 4 against bank conflicts

	static_assert(LANES_M * LANES_N == 32, "thread tiles tile the warp's tile");
	static_assert(THREAD_M % 4 == 0 && THREAD_N % 4 == 0, "operands are read as float4");
	static_assert(BLOCK_M % WARP_M == 0 && BLOCK_N % WARP_N == 0, "warps tile the block");
	static_assert(LOAD_K % 2 == 0, "fragments change places an even number of times");
};
typedef tile_sizes<128, 128, 8, 32, 64, 8, 8, 1, REDUCE_ATOMICS, 4> tiles_large;
typedef tile_sizes<64, 64, 8, 32, 32, 8, 4, 1, REDUCE_ATOMICS, 4> tiles_small;
typedef tile_sizes<64, 64, 8, 32, 32, 8, 4, 4, REDUCE_KERNEL, 1> tiles_split;
typedef tile_sizes<64, 64, 8, 32, 32, 8, 4, 16, REDUCE_ATOMICS, 1> tiles_split_far;

/* VECTOR: floats of B that one copy moves and of C that one store writes, 4 or 1. */
template <class T, int VECTOR>
static __global__ void __launch_bounds__(T::THREADS, 2)
	gemm_tile_sizes(const float *A, const float *B, int M, int N, int K, epilogue<float> out,
					split_sums split)
{
	typedef epilogue_vector<float, 4> vector;
	__shared__ alignas(16) float tile_a[2][T::LOAD_K * T::LD_A];
	__shared__ alignas(16) float tile_b[2][T::LOAD_K * T::BLOCK_N];
	__shared__ alignas(16) float exchange[T::WARPS][T::LANES_M * T::WARP_N];

	int block_row = blockIdx.y * T::SWIZZLE + blockIdx.x % T::SWIZZLE;
	int row0 = block_row * T::BLOCK_M;
	int column0 = blockIdx.x / T::SWIZZLE * T::BLOCK_N;
	if (row0 >= M) // the last rows of tiles may be fewer than SWIZZLE
		return;
	int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
	int warp_row = warp / T::WARPS_N * T::WARP_M, warp_column = warp % T::WARPS_N * T::WARP_N;
	int row = warp_row + lane_row<T>(lane) * 4;
	int column = warp_column + lane_column<T>(lane) * 4;

	/* This block's part of K. With a short K the last parts may be empty. */
	int part = (K + T::SPLIT_K * T::LOAD_K - 1) / (T::SPLIT_K * T::LOAD_K) * T::LOAD_K;
	int begin = min((int)blockIdx.z * part, K), end = min(begin + part, K);
	int tiles = (end - begin + T::LOAD_K - 1) / T::LOAD_K;
	int depth = tiles > 0 ? end - begin - (tiles - 1) * T::LOAD_K : 0; // of the first tile

	async_tile_a<T::BLOCK_M, T::LOAD_K, T::LD_A, T::THREADS> copies_a(M - row0, K);
	async_tile_b<T::LOAD_K, T::BLOCK_N, T::THREADS, VECTOR> copies_b(column0, N, N);
	const float *a_from = A + (size_t)row0 * K + begin; // where the next tiles are (async.cuh)
	const float *b_from = B + (size_t)begin * N;
	vector a[2][T::COUNT_M], b[2][T::COUNT_N];
	alignas(16) float sum[T::COUNT_M][4][T::COUNT_N][4] = {};
	auto read = [&](int to, int buffer, int k) {
#pragma unroll
		for (int m = 0; m < T::COUNT_M; m++)
			a[to][m] = *(const vector *)&tile_a[buffer][k * T::LD_A + row + m * T::SUB_M];
#pragma unroll
		for (int n = 0; n < T::COUNT_N; n++)
			b[to][n] = *(const vector *)&tile_b[buffer][k * T::BLOCK_N + column + n * T::SUB_N];
	};

	copies_a.copy_first(tile_a[0], a_from, depth);
	copies_b.copy_first(tile_b[0], b_from, depth);
	__pipeline_commit();
	a_from += depth;
	b_from += (size_t)depth * N;
	__pipeline_wait_prior(0);
	__syncthreads();
	read(0, 0, 0);
	for (int tile = 0; tile < tiles; tile++) {
		int current = tile % 2;
		if (tile + 1 < tiles) {
			copies_a.copy(tile_a[current ^ 1], a_from);
			copies_b.copy(tile_b[current ^ 1], b_from);
			__pipeline_commit();
			a_from += T::LOAD_K;
			b_from += (size_t)T::LOAD_K * N;
		}
#pragma unroll
		for (int k = 0; k < T::LOAD_K; k++) {
			if (k == T::LOAD_K - 1) { // the next tiles are there, the present ones all read
				__pipeline_wait_prior(0);
				__syncthreads();
				current ^= 1;
			}
			if (k < T::LOAD_K - 1 || tile + 1 < tiles)
				read((k + 1) % 2, current, (k + 1) % T::LOAD_K);
#pragma unroll
			for (int m = 0; m < T::COUNT_M; m++)
#pragma unroll
				for (int n = 0; n < T::COUNT_N; n++)
#pragma unroll
					for (int i = 0; i < 4; i++)
#pragma unroll
						for (int j = 0; j < 4; j++)
							sum[m][i][n][j] += a[k % 2][m].at[i] * b[k % 2][n].at[j];
		}
	}

	/* The epilogue. One row of every piece at a time goes through shared memory
	 * where it cannot leave as float4, and comes back a run of columns a warp. */
#pragma unroll
	for (int m = 0; m < T::COUNT_M; m++)
#pragma unroll
		for (int i = 0; i < 4; i++) {
#pragma unroll
			for (int n = 0; n < T::COUNT_N; n++) {
				if (VECTOR == 4 && T::SPLIT_K == 1)
					out.store(row0 + row + m * T::SUB_M + i, column0 + column + n * T::SUB_N,
							  sum[m][i][n]);
				else
					*(vector *)&exchange[warp][lane_row<T>(lane) * T::WARP_N + n * T::SUB_N +
											   lane_column<T>(lane) * 4] =
						*(const vector *)sum[m][i][n];
			}
			if (VECTOR == 4 && T::SPLIT_K == 1)
				continue;
			__syncwarp();
#pragma unroll
			for (int e = lane; e < T::LANES_M * T::WARP_N; e += 32) {
				int r = row0 + warp_row + m * T::SUB_M + e / T::WARP_N * 4 + i;
				int c = column0 + warp_column + e % T::WARP_N;
				if (r >= M || c >= N)
					continue;
				if (T::SPLIT_K == 1)
					out.by_lanes().store(r, c, exchange[warp][e]);
				else if (T::REDUCTION == REDUCE_ATOMICS)
					add_to_memory(&split.sums[(size_t)r * N + c], exchange[warp][e]);
				else
					split.sums[((size_t)blockIdx.z * M + r) * N + c] = exchange[warp][e];
			}
			__syncwarp();
		}
	if (T::SPLIT_K == 1 || T::REDUCTION == REDUCE_KERNEL)
		return;

	if (is_last(&split.done[block_row * gridDim.x + blockIdx.x], T::SPLIT_K))
		hand_over_sums<T::BLOCK_M, T::BLOCK_N, T::THREADS, false>(split.sums, row0, column0, out);
}

template <class T>
static void launch(const float *A, const float *B, int M, int N, int K, epilogue<float> out,
				   split_sums split)
{
	int tiles_m = (M + T::BLOCK_M - 1) / T::BLOCK_M, tiles_n = (N + T::BLOCK_N - 1) / T::BLOCK_N;
	dim3 grid(tiles_n * T::SWIZZLE, (tiles_m + T::SWIZZLE - 1) / T::SWIZZLE, T::SPLIT_K);
	if (load_vector(B, N))
		gemm_tile_sizes<T, 4><<<grid, T::THREADS>>>(A, B, M, N, K, out, split);
	else
		gemm_tile_sizes<T, 1><<<grid, T::THREADS>>>(A, B, M, N, K, out, split);
}

constexpr int SMS = 132;             // of an H200; elsewhere only the choice of tiles suffers
constexpr int WORTH_SPLITTING = 512; // K from which on a split pays for its reduction

#ifndef TILES // by shape, or always these
#define TILES 0
#endif
enum tiles { BY_SHAPE, LARGE, SMALL, SPLIT, SPLIT_FAR };

static size_t tiles_of(int side, int M, int N)
{
	return (size_t)((M + side - 1) / side) * ((N + side - 1) / side);
}

static int choose(int M, int N, int K)
{
	size_t small = tiles_of(64, M, N);
	if (TILES != BY_SHAPE)
		return TILES;
	if (tiles_of(128, M, N) >= 2 * SMS)
		return LARGE;
	if (small >= SMS || K < WORTH_SPLITTING)
		return SMALL;
	return small * tiles_split::SPLIT_K < SMS ? SPLIT_FAR : SPLIT;
}

extern "C" void solve(const float *A, const float *B, float *C, int M, int N, int K, float alpha,
					  float beta)
{
	epilogue<float> out = epilogue_make(C, M, N, alpha, beta);
	size_t size = (size_t)M * N, counts = tiles_of(64, M, N);
	int chosen = choose(M, N, K);
	split_sums split = {};
	if (chosen == SPLIT)
		split.sums = (float *)workspace_get(tiles_split::SPLIT_K * size * sizeof(float));
	if (chosen == SPLIT_FAR)
		split.sums = (float *)workspace_get((size + counts) * sizeof(float));

	if (chosen == LARGE) {
		launch<tiles_large>(A, B, M, N, K, out, split);
	} else if (!split.sums) { // not split, or there is no memory for it
		launch<tiles_small>(A, B, M, N, K, out, split);
	} else if (chosen == SPLIT_FAR) {
		split.done = (int *)(split.sums + size);
		cudaMemsetAsync(split.sums, 0, (size + counts) * sizeof(float));
		launch<tiles_split_far>(A, B, M, N, K, out, split);
	} else {
		launch<tiles_split>(A, B, M, N, K, out, split);
		reduce<<<dim3(M, (N + 255) / 256), 256>>>(split.sums, tiles_split::SPLIT_K, out);
	}
}
