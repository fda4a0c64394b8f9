/* Plain f32 products for every shape, by FMAs alone: a table of tiles, a model of their times, and
 * tiles split along K over a cluster's shared memory. sgemm/ffma.cu, matmul_f32/02_ffma.cu and
 * batched_f32/03_ffma.cu share it.
 *
 * The inner loop is multiply.cuh's: operands come by cp.async, stages ahead; the fragments of the
 * next k are read from shared memory, 16 bytes a lane, while those of this k are multiplied.
 *
 * A product with few tiles leaves multiprocessors idle. There a cluster of up to 8 blocks shares a
 * tile: each multiplies its part of K, puts its sums into its own shared memory, and adds up and
 * stores its own part of the tile's rows, reading the others' through distributed shared memory
 * (PTX ISA 5.1.5). Nothing is left in global memory between calls. GPUs before Hopper have no
 * clusters, and do without. */
#ifndef GEMMJUDGE_SGEMM_FFMA_CUH
#define GEMMJUDGE_SGEMM_FFMA_CUH

#include <cooperative_groups.h>
#include <limits.h>
#include <math.h>

#include "ffma_product.cuh"
#include "load.cuh"
#include "multiply.cuh"

/* The blocks that share a tile: a cluster, or one block. */
struct ffma_sharers {
#if __CUDA_ARCH__ >= 900
	static __device__ __forceinline__ int count()
	{
		return (int)cooperative_groups::this_cluster().num_blocks();
	}
	static __device__ __forceinline__ int rank()
	{
		return (int)cooperative_groups::this_cluster().block_rank();
	}
	static __device__ __forceinline__ float *shared(float *mine, int block)
	{
		return cooperative_groups::this_cluster().map_shared_rank(mine, block);
	}
	static __device__ __forceinline__ void sync()
	{
		cooperative_groups::this_cluster().sync();
	}
#else
	static __device__ __forceinline__ int count()
	{
		return 1;
	}
	static __device__ __forceinline__ int rank()
	{
		return 0;
	}
	static __device__ __forceinline__ float *shared(float *mine, int)
	{
		return mine;
	}
	static __device__ __forceinline__ void sync()
	{
		__syncthreads();
	}
#endif
};

/* Four sums into shared memory. A store of 16 bytes takes four registers in a row. Adding 0 puts
 * them into other registers than the sums', which else would lie so that the loop reads more of
 * them from one bank (NOTES.md, "Two places for one sum"). */
static __device__ __forceinline__ void ffma_put(float *at, const float (&x)[4])
{
	*(float4 *)at = make_float4(0 + x[0], 0 + x[1], 0 + x[2], 0 + x[3]);
}

/* The sums of a BLOCK_M x BLOCK_N tile that the blocks of a cluster share, each with its part of K:
 * adds them up and stores this block's part of the tile, WIDTH values at a time (1 where rows of C
 * are not aligned), of which a thread has 16 under way. `mine`: this block's sums, in rows LD
 * apart, at the same place in each block's shared memory. */
template <int BLOCK_M, int BLOCK_N, int LD, int THREADS, int WIDTH>
static __device__ __forceinline__ void ffma_add_parts(float *mine, const ffma_product &p,
													  const epilogue<float> &out, int batch,
													  int row0, int column0)
{
	constexpr int CHUNKS = BLOCK_N / WIDTH, ALL = BLOCK_M * CHUNKS, MANY = 16 / WIDTH;
	typedef epilogue_vector<float, WIDTH> vector;
	int split = ffma_sharers::count(), apart = THREADS * split;
	ffma_sharers::sync();
	for (int first = (int)threadIdx.x + ffma_sharers::rank() * THREADS; first < ALL;
		 first += MANY * apart) {
		float x[MANY][WIDTH] = {};
#pragma unroll 2
		for (int other = 0; other < split; other++) { // the same order in every block
			const float *theirs = ffma_sharers::shared(mine, other);
#pragma unroll
			for (int i = 0; i < MANY; i++) {
				int at = min(first + i * apart, ALL - 1);
				vector part = *(const vector *)&theirs[at / CHUNKS * LD + at % CHUNKS * WIDTH];
#pragma unroll
				for (int j = 0; j < WIDTH; j++)
					x[i][j] += part.at[j];
			}
		}
		out.store_all((batch + 1) * p.M, x, [&](int i, int &row, int &column) {
			int at = first + i * apart;
			row = at < ALL ? batch * p.M + row0 + at / CHUNKS : INT_MAX;
			column = column0 + at % CHUNKS * WIDTH;
		});
	}
	ffma_sharers::sync(); // nobody ends whose sums are still read
}

/* Blocks of a cluster: each has the sums of its part of K. */
template <class Shape, int WIDTH>
static __device__ __forceinline__ void
ffma_reduce(char *shared, const typename Shape::sums &sum, const ffma_product &p,
			const epilogue<float> &out, int batch, int row0, int column0)
{
	float *mine = (float *)shared;
	__syncthreads(); // everybody has read the last fragments
	Shape::each(sum, 0, 0, [&](int row, int column, const float(&x)[Shape::V]) {
		ffma_put(&mine[row * Shape::BLOCK_N + column], x);
	});
	ffma_add_parts<Shape::BLOCK_M, Shape::BLOCK_N, Shape::BLOCK_N, Shape::THREADS, WIDTH>(
		mine, p, out, batch, row0, column0);
}

/* A warp's sums into rows of C that are not aligned: through shared memory of its own, some rows
 * at a time. `exchange`: the block's. */
template <class Shape>
static __device__ __forceinline__ void
ffma_store_unaligned(float *exchange, const typename Shape::sums &sum, const ffma_product &p,
					 const epilogue<float> &out, int batch, int row0, int column0)
{
	constexpr int V = Shape::V, LD = Shape::WARP_N + 16; // 16 against bank conflicts
	int lane = threadIdx.x % 32;
	int lane_row0 = lane_row<Shape>(lane) * V, lane_column0 = lane_column<Shape>(lane) * V;
	float *mine = exchange + threadIdx.x / 32 * Shape::LANES_M * LD;
	Shape::rows(sum, row0, column0, [&](int row, int column, const float(&x)[Shape::COUNT_N][V]) {
#pragma unroll
		for (int n = 0; n < Shape::COUNT_N; n++)
			ffma_put(&mine[lane_row0 / V * LD + lane_column0 + n * Shape::SUB_N], x[n]);
		__syncwarp();
		ffma_store_shared<Shape::LANES_M, V, Shape::WARP_N, LD, 1>(
			mine, out, p, batch, row - lane_row0, column - lane_column0);
		__syncwarp();
	});
}

/* Blocks: tiles times `split` (1, if not SPLIT), times the batch. VECTOR_B: 4 where rows of B are
 * aligned to 16 bytes, else 1. */
template <class Shape, int VECTOR_B, bool SPLIT>
static __global__ void __launch_bounds__(Shape::THREADS, Shape::BLOCKS)
	ffma_gemm(const ffma_product p, const ffma_grid grid, int split, const epilogue<float> out)
{
	union shared_memory {
		typename Shape::tiles tiles;
		float sums[SPLIT ? Shape::BLOCK_M * Shape::BLOCK_N : 1];
	};
	static_assert(sizeof(shared_memory) <= 48 * 1024, "static shared memory");
	__shared__ alignas(16) char raw[sizeof(shared_memory)];
	shared_memory &shared = *(shared_memory *)raw;
	int rank = SPLIT ? (int)blockIdx.x % split : 0, m, n, batch = blockIdx.y;
	grid.find(SPLIT ? blockIdx.x / split : blockIdx.x, m, n);
	int row0 = m * Shape::BLOCK_M, column0 = n * Shape::BLOCK_N;
	int begin = (int)((long long)p.K * rank / split);
	int depth = (int)((long long)p.K * (rank + 1) / split) - begin;

	typename Shape::sums sum = {};
	const float *A = p.A + (size_t)batch * p.M * p.K + begin;
	const float *B = p.B + ((size_t)batch * p.K + begin) * p.N;
	Shape::template run<VECTOR_B>(shared.tiles, sum, A, p.K, B, p.N, p.M, p.N, depth, row0,
								  column0);
	if (SPLIT && split > 1)
		ffma_reduce<Shape, VECTOR_B>(raw, sum, p, out, batch, row0, column0);
	else if constexpr (VECTOR_B == 1) { // C's rows are as long as B's
		static_assert(Shape::THREADS / 32 * Shape::LANES_M * (Shape::WARP_N + 16) * sizeof(float) <=
						  sizeof(shared_memory),
					  "the warps' exchange");
		__syncthreads(); // everybody has read the last fragments
		ffma_store_unaligned<Shape>((float *)raw, sum, p, out, batch, row0, column0);
	} else
		Shape::rows(sum, row0, column0,
					[&](int row, int column, const float(&x)[Shape::COUNT_N][Shape::V]) {
						ffma_store<Shape::SUB_N>(out, p, batch, row, column, x);
					});
}

/* ---- the tile configurations ---- */

/* TILE(block_m, block_n, warp_m, warp_n, stages, lanes_m, block_k, blocks, split, cycles, single,
 * alone)
 * blocks: that share a multiprocessor; split: blocks that share a tile along K, at most; cycles: of
 * a multiprocessor for one step along K with all its blocks at work; single: the same where B is
 * copied by single floats; alone: at least so many for a block that has a multiprocessor to itself,
 * whose waits nobody hides. NOTES.md says where they come from. */
#define FFMA_TILES(TILE)                                                                           \
	TILE(128, 256, 64, 64, 3, 8, 8, 1, 1, 308, 334, 308)                                           \
	TILE(64, 64, 64, 64, 3, 8, 16, 8, 4, 314, 319, 175)                                            \
	TILE(32, 64, 32, 64, 3, 4, 16, 10, 4, 200, 212, 95)                                            \
	TILE(64, 64, 32, 32, 5, 8, 8, 4, 8, 165, 191, 56)                                              \
	TILE(32, 32, 16, 32, 4, 4, 16, 8, 8, 111, 132, 32)                                             \
	TILE(16, 64, 8, 64, 4, 2, 16, 8, 8, 98, 138, 31)

/* The numbers of blocks that may share a tile. */
constexpr int FFMA_SPLITS[] = {1, 2, 4, 6, 8}, FFMA_MOST = 8;

#define FFMA_COUNT(...) +1
constexpr int FFMA_CONFIGURATIONS = 0 FFMA_TILES(FFMA_COUNT);
static_assert(FFMA_CONFIGURATIONS <= 16, "a table that fits a screen");

template <int BLOCK_M, int BLOCK_N, int WARP_M, int WARP_N_, int STAGES, int LANES_M, int BLOCK_K,
		  int BLOCKS_>
struct ffma_shape : multiply_shape<BLOCK_M, BLOCK_N, WARP_M, WARP_N_, STAGES, LANES_M, BLOCK_K> {
	static constexpr int BLOCKS = BLOCKS_, WARP_N = WARP_N_;
};

static inline int ffma_attribute(cudaDeviceAttr attribute)
{
	int device, found;
	ffma_check(cudaGetDevice(&device), "cudaGetDevice");
	ffma_check(cudaDeviceGetAttribute(&found, attribute, device), "cudaDeviceGetAttribute");
	return found;
}

static inline int ffma_multiprocessors(void)
{
	static const int count = ffma_attribute(cudaDevAttrMultiProcessorCount);
	return count;
}

/* 9 has clusters and wgmma; those after it have clusters. */
static inline int ffma_capability(void)
{
	static const int major = ffma_attribute(cudaDevAttrComputeCapabilityMajor);
	return major;
}

static __global__ void ffma_empty(void)
{
}

static inline cudaLaunchAttribute ffma_cluster(int blocks)
{
	cudaLaunchAttribute attribute;
	attribute.id = cudaLaunchAttributeClusterDimension;
	attribute.val.clusterDim.x = blocks;
	attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
	return attribute;
}

/* How many clusters run at once if each block takes a multiprocessor: fewer than the
 * multiprocessors would do, as a cluster lies within one part of the GPU (GPC), and parts are not
 * multiples of it. An H200 has 132 multiprocessors, but place for 30 clusters of four. */
static inline int ffma_ask_clusters(int blocks)
{
	int bytes = ffma_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin); // all there is
	cudaLaunchAttribute cluster = ffma_cluster(blocks);
	cudaLaunchConfig_t config = {};
	config.gridDim = dim3(blocks);
	config.blockDim = dim3(32);
	config.dynamicSmemBytes = bytes;
	config.attrs = &cluster;
	config.numAttrs = 1;
	int count;
	ffma_check(cudaFuncSetAttribute(ffma_empty, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
			   "cudaFuncSetAttribute");
	ffma_check(cudaOccupancyMaxActiveClusters(&count, ffma_empty, &config),
			   "cudaOccupancyMaxActiveClusters");
	return count;
}

/* The number of tiles that are computed at once, with `split` blocks each, if each block takes a
 * multiprocessor; 0 where the GPU has no such clusters. */
static inline int ffma_at_once(int split)
{
	struct table {
		int of[FFMA_MOST + 1];
	};
	static const table count = [] {
		table asked = {};
		for (int split : FFMA_SPLITS)
			if (split == 1 || ffma_capability() >= 9)
				asked.of[split] = split == 1 ? ffma_multiprocessors() : ffma_ask_clusters(split);
		return asked;
	}();
	return count.of[split];
}

template <class Shape, int VECTOR_B, bool SPLIT>
static void ffma_start(const ffma_product &p, int split, const epilogue<float> &out)
{
	ffma_grid grid = {(p.M + Shape::BLOCK_M - 1) / Shape::BLOCK_M,
					  (p.N + Shape::BLOCK_N - 1) / Shape::BLOCK_N};
	cudaLaunchAttribute cluster = ffma_cluster(split);
	cudaLaunchConfig_t config = {};
	config.gridDim = dim3(grid.tiles_m * grid.tiles_n * split, p.batch);
	config.blockDim = dim3(Shape::THREADS);
	config.attrs = &cluster;
	config.numAttrs = split > 1;
	ffma_check(cudaLaunchKernelEx(&config, ffma_gemm<Shape, VECTOR_B, SPLIT>, p, grid, split, out),
			   "launch");
}

template <class Shape, int MAX_SPLIT>
static void ffma_launch(const ffma_product &p, int split, const epilogue<float> &out)
{
	constexpr bool SPLIT = MAX_SPLIT > 1;
	if (load_vector(p.B, p.N) && load_vector(out.C, p.N))
		ffma_start<Shape, 4, SPLIT>(p, split, out);
	else
		ffma_start<Shape, 1, SPLIT>(p, split, out);
}

/* ---- the heuristic ---- */

struct ffma_tile {
	int m, n, blocks, max_split;
	float cycles, single, alone;
	void (*launch)(const ffma_product &p, int split, const epilogue<float> &out);
};

/* Predicted clocks of a launch: rounds of as many tiles as are computed at once, each with its
 * steps along K and its stores; and, of a split tile, the exchange of sums. In the last round fewer
 * blocks share a multiprocessor, which hide less from each other, but have its lanes to themselves,
 * down to what one alone takes. That is longer where a tile has all columns: then no other block
 * has brought its rows of A into the L2 cache. The constants are fitted to times on an H200
 * (NOTES.md); of the products there, half read C. */
static inline float ffma_cost(const ffma_tile &tile, const ffma_product &p, int split, bool vector)
{
	constexpr float LAUNCH = 5600.0f, FEWER = 1.08f, ALL_COLUMNS = 26.0f;
	constexpr float STORE = 0.45f, STORE_UNALIGNED = 0.67f, SUM = 0.145f; // of an output
	constexpr float EXCHANGE = 850.0f, EXCHANGE_BLOCK = 460.0f;           // of a round
	float tiles_n = ceilf((float)p.N / (float)tile.n), at_once = (float)ffma_at_once(split);
	float tiles = ceilf((float)p.M / (float)tile.m) * tiles_n * (float)p.batch;
	float blocks = (float)tile.blocks, full = floorf(tiles / (at_once * blocks));
	float last = ceilf((tiles - full * at_once * blocks) / at_once) / blocks;
	float step = vector ? tile.cycles : tile.single;
	float alone = tile.alone + (tiles_n == 1.0f ? ALL_COLUMNS : 0.0f);
	float steps = full * step;
	if (last == 1.0f)
		steps += step;
	else if (last > 0.0f)
		steps += fmaxf(last * step * FEWER, alone);
	float rounds = full + last, outputs = rounds * (float)(tile.m * tile.n) * blocks;
	float clocks = LAUNCH + steps * (float)p.K / (float)split +
				   outputs * (vector ? STORE : STORE_UNALIGNED) / (float)split;
	if (split > 1)
		clocks += ceilf(rounds) * (EXCHANGE + EXCHANGE_BLOCK * (float)split) + outputs * SUM;
	return clocks;
}

static const ffma_tile *ffma_table(void)
{
#define FFMA_LINE(m, n, wm, wn, stages, lanes, k, blocks, split, cycles, single, alone)            \
	{m,      n,                                                                                    \
	 blocks, split,                                                                                \
	 cycles, single,                                                                               \
	 alone,  ffma_launch<ffma_shape<m, n, wm, wn, stages, lanes, k, blocks>, split>},
	static const ffma_tile table[] = {FFMA_TILES(FFMA_LINE)};
	return table;
#undef FFMA_LINE
}

struct ffma_choice {
	int tile, split;
	float clocks;
};

/* Each part of a split tile has this many steps along K at least. */
constexpr int FFMA_LEAST_DEPTH = 64;

/* FFMA_TILE, a number, forces a tile, and FFMA_SPLIT its split, as far as it has one and K is long
 * enough: for measurements. */
static inline ffma_choice ffma_choose(const ffma_product &p)
{
	const ffma_tile *table = ffma_table();
#ifdef FFMA_TILE
	static_assert(FFMA_TILE < FFMA_CONFIGURATIONS, "FFMA_TILE: no such configuration");
#ifndef FFMA_SPLIT
#define FFMA_SPLIT 1
#endif
	int split = ffma_capability() >= 9 ? min(FFMA_SPLIT, table[FFMA_TILE].max_split) : 1;
	return {FFMA_TILE, p.K >= FFMA_LEAST_DEPTH * split ? split : 1, 0.0f};
#else
	bool vector = load_vector(p.B, p.N);
	ffma_choice best = {0, 1, INFINITY};
	for (int i = 0; i < FFMA_CONFIGURATIONS; i++)
		for (int split : FFMA_SPLITS) {
			if (split > table[i].max_split || (split > 1 && p.K < FFMA_LEAST_DEPTH * split))
				break;
			if (ffma_at_once(split) == 0)
				continue;
			float clocks = ffma_cost(table[i], p, split, vector);
			if (clocks < best.clocks)
				best = {i, split, clocks};
		}
	return best;
#endif
}

static inline void ffma(const ffma_product &p, const epilogue<float> &out)
{
	ffma_choice choice = ffma_choose(p);
	ffma_table()[choice.tile].launch(p, choice.split, out);
}

/* C = beta * C: all that is left where alpha is 0. Without a chain only, as of others nobody knows
 * what they make of zeros. */
static __global__ void ffma_scale(float *C, size_t count, float beta)
{
	size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
	if (i < count)
		C[i] = beta == 0.0f ? 0.0f : beta * C[i];
}

static inline void ffma_scale_all(float *C, size_t count, float beta)
{
	if (beta != 1.0f)
		ffma_scale<<<(unsigned)((count + 255) / 256), 256>>>(C, count, beta);
}

#endif
