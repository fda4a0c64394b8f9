/* One kernel for every schedule: each constant is a macro that `gemmjudge tune` chooses.
 *
 * Idea: which tiles are best depends on the product's shape and on the GPU. cuCOSMA therefore
 * writes the kernel once, for any tile of a block, a warp and a thread, any depth of a load, any
 * split of K and any order of blocks, and lets a schedule generator choose (thesis,
 * sections 2.2, 3.1 and 3.2). The lines below that begin with `tune` are what the generator is
 * told: constants with their candidates, which of them go together, and what they mean to its
 * models.
 *
 * Changes from tile_sizes: one schedule, of macros, instead of four instances. Thread tiles of
 * any size are read in pieces of 4, 2 or 1 floats. Operands come through registers in vectors of
 * LOAD_A and LOAD_B floats, and tiles need not be as many vectors as there are threads. A tile of
 * shared memory is used a second time for the results, so that small tiles leave room for more
 * blocks. Atomics need no second launch at all: the last block of a tile leaves the sums as it
 * found them, 0.
 *
 * Sizes are known when it runs, not when it is compiled as in the thesis. Where a row length is no
 * multiple of the vectors, all loads are of single floats.
 *
 * Arithmetic intensity: BLOCK_M * BLOCK_N / (2 * (BLOCK_M + BLOCK_N)) FLOP per
 * byte of global memory, 32 for the defaults.
 *
 * reached: with its defaults 0.86 of the faster library at 4096x4096x4096; tuned, 1.3 to 1.6 times
 * its speed over the small products of the thesis' four families, and 4.1 times at 4x8x3000000
 * (H100; COSMA.md) */

// tune BLOCK_M = 128 : 4 8 16 32 64 128 256
// tune BLOCK_N = 128 : 4 8 16 32 64 128 256
// tune LOAD_K = 8 : 8 16 4 2
// tune WARP_M = 32 : 4 8 16 32 64 128
// tune WARP_N = 64 : 4 8 16 32 64 128
// tune THREAD_M = 8 : 1 2 4 8
// tune THREAD_N = 8 : 1 2 4 8
// tune SPLIT_K = 1 : 1..4096*2
// tune SPLIT_ATOMICS = 1 : 1 0
// tune SWIZZLE = 4 : 1..16*2
// tune DOUBLE_BUFFER = 1 : 1 0
// tune LOAD_A = 4 : 1 2 4
// tune LOAD_B = 4 : 1 2 4
// tune OCCUPANCY = 2 : 2 1 4
//
// Where the thesis' order does not tell two schedules apart, the first one stands: common ones come
// first. What a schedule must be: lanes tile the warp, warps the block.
// tune where BLOCK_M % WARP_M == 0 && BLOCK_N % WARP_N == 0
// tune where WARP_M % THREAD_M == 0 && WARP_N % THREAD_N == 0
// tune where WARP_M / THREAD_M * (WARP_N / THREAD_N) == 32
// tune let THREADS = BLOCK_M / WARP_M * (BLOCK_N / WARP_N) * 32
// tune where THREADS <= gpu_threads_per_block
// tune where LOAD_K % LOAD_A == 0 && BLOCK_N % LOAD_B == 0
// tune let TILES_BYTES = (1 + DOUBLE_BUFFER) * LOAD_K * (BLOCK_M + 4 + BLOCK_N) * 4
// tune let EXCHANGE_BYTES = THREADS / 32 * (WARP_M / THREAD_M) * WARP_N * 4
// tune let SHARED = max(TILES_BYTES, EXCHANGE_BYTES)
// tune where SHARED <= 49152 && SHARED * OCCUPANCY <= gpu_shared_per_multiprocessor
// tune let HELD = ceil_div(BLOCK_M * LOAD_K, THREADS) + ceil_div(BLOCK_N * LOAD_K, THREADS)
// tune let REGISTERS = THREAD_M * THREAD_N + 2 * (THREAD_M + THREAD_N) + HELD + 24
// tune where REGISTERS <= gpu_registers_per_thread
// tune where REGISTERS * THREADS * OCCUPANCY <= gpu_registers_per_multiprocessor
// tune where THREADS * OCCUPANCY <= gpu_threads_per_multiprocessor
//
// What no good one is: work that nobody asked for, constants without a meaning, narrow loads where
// wide ones are possible, thread tiles that are far from square, more blocks along K than fill the
// GPU.
// tune where BLOCK_M < 2 * max(M, 4) && BLOCK_N < 2 * max(N, 4) && LOAD_K < 2 * max(K, 2)
// tune where SPLIT_K > 1 || SPLIT_ATOMICS == 1
// tune where SWIZZLE <= ceil_div(M, BLOCK_M)
// tune let ALIGNED = K % 4 == 0 && N % 4 == 0 ? 4 : K % 2 == 0 && N % 2 == 0 ? 2 : 1
// tune where LOAD_A == min(ALIGNED, LOAD_K) && LOAD_B == ALIGNED
// tune where max(THREAD_M, THREAD_N) <= 2 * min(THREAD_M, THREAD_N)
// tune where HELD <= 64
// tune let TILES = ceil_div(M, BLOCK_M) * ceil_div(N, BLOCK_N)
// tune let FULL = max(4, 1024 / THREADS) * gpu_multiprocessors
// tune where SPLIT_K == 1 || TILES * SPLIT_K <= FULL && ceil_div(K, SPLIT_K) >= 2 * LOAD_K
//
// tune role block_m = BLOCK_M
// tune role block_n = BLOCK_N
// tune role block_k = LOAD_K
// tune role warp_m = WARP_M
// tune role warp_n = WARP_N
// tune role thread_m = THREAD_M
// tune role thread_n = THREAD_N
// tune role split_k = SPLIT_K
// tune role split_atomic = SPLIT_ATOMICS
// tune role swizzle = SWIZZLE
// tune role stages = 2
// tune role threads = THREADS
// tune role shared_bytes = SHARED
// tune role registers = REGISTERS
// tune role blocks_per_multiprocessor = OCCUPANCY
// tune role unit = 0

#include <stdio.h>
#include <stdlib.h>

#include "epilogue.cuh"
#include "lanes.cuh"
#include "split.cuh"
#include "workspace.cuh"

#ifndef BLOCK_M // rows of C a block
#define BLOCK_M 128
#endif
#ifndef BLOCK_N // columns
#define BLOCK_N 128
#endif
#ifndef LOAD_K // depth of a tile in shared memory
#define LOAD_K 8
#endif
#ifndef WARP_M
#define WARP_M 32
#endif
#ifndef WARP_N
#define WARP_N 64
#endif
#ifndef THREAD_M
#define THREAD_M 8
#endif
#ifndef THREAD_N
#define THREAD_N 8
#endif
#ifndef SPLIT_K // blocks that share a tile of C
#define SPLIT_K 1
#endif
#ifndef SPLIT_ATOMICS // their sums meet by atomics, or by a second kernel
#define SPLIT_ATOMICS 1
#endif
#ifndef SWIZZLE // rows of tiles that are worked on at once
#define SWIZZLE 4
#endif
#ifndef DOUBLE_BUFFER // the next tile has room of its own in shared memory
#define DOUBLE_BUFFER 1
#endif
#ifndef LOAD_A // floats of A that a load moves at most
#define LOAD_A 4
#endif
#ifndef LOAD_B
#define LOAD_B 4
#endif
#ifndef OCCUPANCY // blocks a multiprocessor that registers must suffice for
#define OCCUPANCY 2
#endif

constexpr int piece_of(int thread_tile)
{
	return thread_tile % 4 == 0 ? 4 : thread_tile % 2 == 0 ? 2 : 1;
}
struct schedule {
	static constexpr int LANES_M = WARP_M / THREAD_M, LANES_N = WARP_N / THREAD_N;
	/* A thread tile is pieces of so many rows or columns side by side; lanes alternate. */
	static constexpr int PIECE_M = piece_of(THREAD_M), PIECE_N = piece_of(THREAD_N);
	static constexpr int COUNT_M = THREAD_M / PIECE_M, COUNT_N = THREAD_N / PIECE_N;
	static constexpr int APART_M = LANES_M * PIECE_M, APART_N = LANES_N * PIECE_N;
	static constexpr int WARPS_N = BLOCK_N / WARP_N, WARPS = BLOCK_M / WARP_M * WARPS_N;
	static constexpr int THREADS = WARPS * 32;
	static constexpr int LD_A = BLOCK_M + 4; // of the transposed tile; 4 against bank conflicts
	static constexpr int STAGES = 1 + DOUBLE_BUFFER;
	static constexpr int TILE_A = LOAD_K * LD_A, TILE_B = LOAD_K * BLOCK_N; // floats
	static constexpr int EXCHANGE = LANES_M * WARP_N;                       // floats of a warp
	static constexpr int FLOATS_OF_TILES = STAGES * (TILE_A + TILE_B);
	static constexpr int FLOATS =
		FLOATS_OF_TILES > WARPS *EXCHANGE ? FLOATS_OF_TILES : WARPS *EXCHANGE;

	static_assert(WARP_M % THREAD_M == 0 && WARP_N % THREAD_N == 0 && LANES_M * LANES_N == 32,
				  "thread tiles tile the warp's tile");
	static_assert(BLOCK_M % WARP_M == 0 && BLOCK_N % WARP_N == 0, "warps tile the block");
	static_assert(LOAD_K % 2 == 0, "fragments change places an even number of times");
	static_assert(BLOCK_M % 4 == 0 && BLOCK_N % 4 == 0, "tiles keep vectors aligned");
};

/* A tile of ROWS x COLUMNS of a row-major matrix on its way through registers, V floats a load.
 * Along K the tile may end early (first() reads zeros there, as 0 * NaN is not 0); along the other
 * side rows or columns beyond the edge read what lies at the edge, for outputs that nobody stores.
 */
template <int ROWS, int COLUMNS, int V, bool ROWS_ARE_K> struct staged_tile {
	static constexpr int VECTORS = ROWS * COLUMNS / V, THREADS = schedule::THREADS;
	static constexpr int COUNT = (VECTORS + THREADS - 1) / THREADS;
	typedef epilogue_vector<float, V> vector;

	unsigned from[COUNT]; // relative to the tile's corner
	vector held[COUNT];

	static __device__ __forceinline__ int row(int i)
	{
		return (i * THREADS + (int)threadIdx.x) / (COLUMNS / V);
	}
	static __device__ __forceinline__ int column(int i)
	{
		return (i * THREADS + (int)threadIdx.x) % (COLUMNS / V) * V;
	}
	static __device__ __forceinline__ bool mine(int i)
	{
		return VECTORS % THREADS == 0 || i * THREADS + (int)threadIdx.x < VECTORS;
	}
	/* `left`: rows (columns) of the matrix from the tile's first on, a multiple of V if columns. */
	__device__ __forceinline__ staged_tile(int left, int ld)
	{
#pragma unroll
		for (int i = 0; i < COUNT; i++)
			from[i] = ROWS_ARE_K ? (unsigned)row(i) * ld + min(column(i), left - V)
								 : (unsigned)min(row(i), left - 1) * ld + column(i);
	}
	__device__ __forceinline__ void load(const float *corner)
	{
#pragma unroll
		for (int i = 0; i < COUNT; i++)
			if (mine(i))
				held[i] = *(const vector *)(corner + from[i]);
	}
	/* Only `depth` rows (columns) along K. */
	__device__ __forceinline__ void load_first(const float *corner, int depth)
	{
#pragma unroll
		for (int i = 0; i < COUNT; i++) {
			held[i] = {};
			if (mine(i) && (ROWS_ARE_K ? row(i) : column(i)) < depth)
				held[i] = *(const vector *)(corner + from[i]);
		}
	}
	__device__ __forceinline__ void store(float *tile) const
	{
#pragma unroll
		for (int i = 0; i < COUNT; i++)
			if (mine(i))
				*(vector *)&tile[row(i) * COLUMNS + column(i)] = held[i];
	}
	template <int LD> __device__ __forceinline__ void store_transposed(float *tile) const
	{
#pragma unroll
		for (int i = 0; i < COUNT; i++)
			if (mine(i))
#pragma unroll
				for (int j = 0; j < V; j++)
					tile[(column(i) + j) * LD + row(i)] = held[i].at[j];
	}
};

/* This warp's results leave, one row of every piece at a time: in vectors where rows of C take
 * them, else through shared memory, from where they come back a run of columns a warp. `put` is
 * called for neighbours in a row, as many as a piece has, or for one. */
template <class Put>
static __device__ __forceinline__ void store_warp(const epilogue<float> &out, float *exchange,
												  bool vectors, int row0, int column0,
												  const float (&sum)[THREAD_M][THREAD_N], Put put)
{
	using S = schedule;
	int lane = threadIdx.x % 32;
	int row = lane_row<S>(lane) * S::PIECE_M, column = lane_column<S>(lane) * S::PIECE_N;
#pragma unroll
	for (int i = 0; i < THREAD_M; i++) {
		int down = i / S::PIECE_M * S::APART_M + i % S::PIECE_M; // from the lane's first row
		float runs[S::COUNT_N][S::PIECE_N];
#pragma unroll
		for (int j = 0; j < THREAD_N; j++)
			runs[j / S::PIECE_N][j % S::PIECE_N] = sum[i][j];
		if (vectors) {
			if (SPLIT_K == 1) {
				out.store_runs<S::APART_N>(row0 + row + down, column0 + column, runs);
			} else {
#pragma unroll
				for (int n = 0; n < S::COUNT_N; n++)
					put(row0 + row + down, column0 + column + n * S::APART_N, runs[n]);
			}
			continue;
		}
#pragma unroll
		for (int n = 0; n < S::COUNT_N; n++)
			epilogue_store_whole(&exchange[lane_row<S>(lane) * WARP_N + column + n * S::APART_N],
								 runs[n]);
		__syncwarp();
#pragma unroll
		for (int e = lane; e < S::EXCHANGE; e += 32) {
			const float one[1] = {exchange[e]};
			put(row0 + e / WARP_N * S::PIECE_M + down, column0 + e % WARP_N, one);
		}
		__syncwarp();
	}
}

/* V_A, V_B: floats of A and B that one load moves. */
template <int V_A, int V_B>
static __global__ void __launch_bounds__(schedule::THREADS, OCCUPANCY)
	gemm_cosma(const float *A, const float *B, int M, int N, int K, epilogue<float> out,
			   split_sums split)
{
	using S = schedule;
	typedef epilogue_vector<float, S::PIECE_M> vector_a;
	typedef epilogue_vector<float, S::PIECE_N> vector_b;
	__shared__ alignas(16) float memory[S::FLOATS];
	float *tiles_a = memory, *tiles_b = memory + S::STAGES * S::TILE_A;

	int block_row = blockIdx.y * SWIZZLE + blockIdx.x % SWIZZLE; // thesis, section 2.2.2
	int block_column = blockIdx.x / SWIZZLE;
	int row0 = block_row * BLOCK_M, column0 = block_column * BLOCK_N;
	if (row0 >= M) // the last rows of tiles may be fewer than SWIZZLE
		return;
	int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
	int warp_row = warp / S::WARPS_N * WARP_M, warp_column = warp % S::WARPS_N * WARP_N;
	int row = warp_row + lane_row<S>(lane) * S::PIECE_M;
	int column = warp_column + lane_column<S>(lane) * S::PIECE_N;

	/* This block's part of K. With a short K the last parts may be empty. The first tile is the one
	 * that may not be full. */
	int part = (K + SPLIT_K * LOAD_K - 1) / (SPLIT_K * LOAD_K) * LOAD_K;
	int begin = min((int)blockIdx.z * part, K), end = min(begin + part, K);
	int tiles = (end - begin + LOAD_K - 1) / LOAD_K;
	int depth = tiles > 0 ? end - begin - (tiles - 1) * LOAD_K : 0;

	staged_tile<BLOCK_M, LOAD_K, V_A, false> next_a(M - row0, K);
	staged_tile<LOAD_K, BLOCK_N, V_B, true> next_b(N - column0, N);
	const float *a_from = A + (size_t)row0 * K + begin; // the corners of the next tiles
	const float *b_from = B + (size_t)begin * N + column0;
	vector_a a[2][S::COUNT_M];
	vector_b b[2][S::COUNT_N];
	float sum[THREAD_M][THREAD_N] = {};
	auto read = [&](int to, int stage, int k) {
#pragma unroll
		for (int m = 0; m < S::COUNT_M; m++)
			a[to][m] =
				*(const vector_a *)&tiles_a[stage * S::TILE_A + k * S::LD_A + row + m * S::APART_M];
#pragma unroll
		for (int n = 0; n < S::COUNT_N; n++)
			b[to][n] = *(const vector_b
							 *)&tiles_b[stage * S::TILE_B + k * BLOCK_N + column + n * S::APART_N];
	};
	auto store_next = [&](int stage) {
		next_a.template store_transposed<S::LD_A>(tiles_a + stage * S::TILE_A);
		next_b.store(tiles_b + stage * S::TILE_B);
	};

	next_a.load_first(a_from, depth);
	next_b.load_first(b_from, depth);
	store_next(0);
	a_from += depth;
	b_from += (size_t)depth * N;
	__syncthreads();
	read(0, 0, 0);
	int stage = 0;
#pragma unroll 1
	for (int tile = 0; tile < tiles; tile++) {
		bool more = tile + 1 < tiles;
		if (more) {
			next_a.load(a_from);
			next_b.load(b_from);
			a_from += LOAD_K;
			b_from += (size_t)LOAD_K * N;
		}
#pragma unroll
		for (int k = 0; k < LOAD_K; k++) {
			if (k == LOAD_K - 1 && more) { // the present tiles are all read
				if (!DOUBLE_BUFFER)
					__syncthreads();
				stage ^= DOUBLE_BUFFER;
				store_next(stage);
				__syncthreads();
			}
			if (k < LOAD_K - 1 || more)
				read((k + 1) % 2, stage, (k + 1) % LOAD_K);
#pragma unroll
			for (int column = 0; column < THREAD_N; column++)
#pragma unroll
				for (int step = 0; step < THREAD_M; step++) {
					int i = snake(column, step, THREAD_M), j = evens_first<S::PIECE_N>(column);
					sum[i][j] += a[k % 2][i / S::PIECE_M].at[i % S::PIECE_M] *
								 b[k % 2][j / S::PIECE_N].at[j % S::PIECE_N];
				}
		}
	}

	__syncthreads(); // the tiles' memory takes results
	/* GPUs before Hopper add one value at a time: of neighbours, not of every fourth column. */
	constexpr bool ATOMICS = SPLIT_K > 1 && SPLIT_ATOMICS;
	constexpr bool vectors = S::PIECE_N == 4 && V_B == 4 && (!ATOMICS || ADDS_FOUR);
	auto put = [&](int r, int c, const auto &x) {
		if (r >= M || c >= N)
			return;
		if constexpr (SPLIT_K == 1)
			out.by_lanes().store(r, c, x[0]);
		else if constexpr (ATOMICS)
			add_to_memory(&split.sums[(size_t)r * N + c], x);
		else
			epilogue_store_whole(&split.sums[((size_t)blockIdx.z * M + r) * N + c], x);
	};
	store_warp(out, memory + warp * S::EXCHANGE, vectors, row0 + warp_row, column0 + warp_column,
			   sum, put);
	if (SPLIT_K == 1 || !SPLIT_ATOMICS)
		return;

	int *done = &split.done[(size_t)block_row * (gridDim.x / SWIZZLE) + block_column];
	if (!is_last(done, SPLIT_K))
		return;
	hand_over_sums<BLOCK_M, BLOCK_N, S::THREADS, true, V_B == 4 ? 4 : 1>(split.sums, row0, column0,
																		 out);
	if (threadIdx.x == 0)
		*done = 0;
}

/* Memory of the sums; sums of atomics, and the counts behind them, are 0 before and after every
 * call. No memory: sums is NULL. */
static split_sums split_open(size_t size, size_t tiles)
{
	static void *zeros;
	static size_t bytes_of_zeros;
	size_t bytes = SPLIT_ATOMICS ? (size + tiles) * sizeof(float) : SPLIT_K * size * sizeof(float);
	void *memory = workspace_get(bytes);
	if (SPLIT_ATOMICS && memory && (memory != zeros || bytes > bytes_of_zeros)) {
		cudaMemsetAsync(memory, 0, bytes);
		zeros = memory;
		bytes_of_zeros = bytes;
	}
	return {(float *)memory, (int *)memory + size};
}

extern "C" void solve(const float *A, const float *B, float *C, int M, int N, int K, float alpha,
					  float beta)
{
	epilogue<float> out = epilogue_make(C, M, N, alpha, beta);
	int tiles_m = (M + BLOCK_M - 1) / BLOCK_M, tiles_n = (N + BLOCK_N - 1) / BLOCK_N;
	split_sums split = {};
	if (SPLIT_K > 1) {
		split = split_open((size_t)M * N, (size_t)tiles_m * tiles_n);
		if (!split.sums) { // the schedule, which says SPLIT_K, has no other kernel
			fprintf(stderr, "cosma: no memory for the sums of %d parts of K\n", SPLIT_K);
			abort();
		}
	}
	dim3 grid(tiles_n * SWIZZLE, (tiles_m + SWIZZLE - 1) / SWIZZLE, SPLIT_K);
	bool wide = (uintptr_t)C % 16 == 0 &&
				(LOAD_A == 1 || (K % LOAD_A == 0 && (uintptr_t)A % (LOAD_A * 4) == 0)) &&
				(LOAD_B == 1 || (N % LOAD_B == 0 && (uintptr_t)B % (LOAD_B * 4) == 0));
	if (wide)
		gemm_cosma<LOAD_A, LOAD_B><<<grid, schedule::THREADS>>>(A, B, M, N, K, out, split);
	else
		gemm_cosma<1, 1><<<grid, schedule::THREADS>>>(A, B, M, N, K, out, split);
	if (SPLIT_K > 1 && !SPLIT_ATOMICS)
		reduce<<<dim3(M, (N + 255) / 256), 256>>>(split.sums, SPLIT_K, out);
}
