/* Plain f32 products for every shape, by FMAs: a table of tiles, and a model of their times
 * by which one is chosen. sgemm/ffma.cu, matmul_f32/02_ffma.cu and batched_f32/03_ffma.cu share it;
 * ffma_kernel.cuh has the kernel.
 *
 * A product with few tiles leaves multiprocessors idle. There a cluster of up to 8 blocks shares a
 * tile along K. GPUs before Hopper have no clusters, and do without. */
#ifndef GEMMJUDGE_SGEMM_FFMA_CUH
#define GEMMJUDGE_SGEMM_FFMA_CUH

#include <math.h>

#include "../gemm_f16/hopper/clusters.cuh"
#include "ffma_kernel.cuh"
#include "load.cuh"

/* ---- the tile configurations ---- */

/* TILE(block_m, block_n, warp_m, warp_n, stages, lanes_m, block_k, blocks, split, cycles, single,
 * alone)
 * blocks: that share a multiprocessor; split: blocks that share a tile along K, at most; cycles: of
 * a multiprocessor for one step along K with all its blocks at work; single: the same where B is
 * copied by single floats; alone: at least so many for a block that has a multiprocessor to itself,
 * whose waits nobody hides. NOTES.md says where they come from. */
#define FFMA_TILES(TILE)                                                                           \
	TILE(128, 256, 64, 64, 3, 8, 8, 1, 1, 327, 348, 308)                                           \
	TILE(128, 64, 64, 32, 4, 8, 8, 3, 4, 270, 268, 112)                                            \
	TILE(64, 64, 32, 32, 5, 8, 8, 4, 8, 178, 197, 61)                                              \
	TILE(32, 32, 16, 32, 4, 4, 16, 8, 8, 117, 137, 32)                                             \
	TILE(16, 64, 8, 64, 4, 2, 16, 8, 8, 109, 151, 33)

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

/* The number of tiles that are computed at once, with `split` blocks each, if each block takes a
 * multiprocessor; 0 where the GPU has no such clusters. */
static inline int ffma_at_once(int split)
{
	struct table {
		int of[FFMA_MOST + 1];
	};
	static const table count = [] {
		table asked = {};
		int bytes = ffma_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin); // all there is
		asked.of[1] = ffma_multiprocessors();
		for (int split : FFMA_SPLITS)
			if (split > 1 && ffma_capability() >= 9)
				ffma_check(hopper::clusters_at_once(split, bytes, &asked.of[split]),
						   "cudaOccupancyMaxActiveClusters");
		return asked;
	}();
	return count.of[split];
}

template <class Shape, int VECTOR_B, bool SPLIT>
static void ffma_start(const ffma_product &p, int split, const epilogue<float> &out)
{
	ffma_grid grid = {(p.M + Shape::BLOCK_M - 1) / Shape::BLOCK_M,
					  (p.N + Shape::BLOCK_N - 1) / Shape::BLOCK_N};
	cudaLaunchAttribute cluster = hopper::cluster_attribute(split);
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
	constexpr float LAUNCH = 7490.0f, FEWER = 1.12f, ALL_COLUMNS = 24.0f;
	constexpr float STORE = 0.42f, STORE_UNALIGNED = 0.70f, SUM = 0.147f; // of an output
	constexpr float EXCHANGE = 875.0f, EXCHANGE_BLOCK = 500.0f;           // of a round
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

/* Whether the copies of a tile of so many rows, which have 32-bit offsets from its corner
 * (async.cuh), reach all of it. */
static inline bool ffma_reaches(int tile_m, const ffma_product &p)
{
	constexpr long long MOST = 1ll << 32;
	return (long long)min(p.M, tile_m) * p.K < MOST && (long long)min(p.K, 16) * p.N < MOST;
}

static inline void ffma_check_size(bool fits, const char *what)
{
	ffma_check(fits ? cudaSuccess : cudaErrorInvalidValue, what);
}

/* The rows of all products of a batch are numbered by an int. */
static inline void ffma_check_rows(const ffma_product &p)
{
	ffma_check_size((long long)p.batch * max(p.M, p.K) <= INT_MAX, "batch * M or K is above 2^31");
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
	if (p.batch > 65535) // the batch is along the grid's y
		return best;
	for (int i = 0; i < FFMA_CONFIGURATIONS; i++)
		for (int split : FFMA_SPLITS) {
			if (split > table[i].max_split || (split > 1 && p.K < FFMA_LEAST_DEPTH * split))
				break;
			if (ffma_at_once(split) == 0 || !ffma_reaches(table[i].m, p))
				continue;
			float clocks = ffma_cost(table[i], p, split, vector);
			if (clocks < best.clocks)
				best = {i, split, clocks};
		}
	return best;
#endif
}

static inline void ffma_by(const ffma_choice &choice, const ffma_product &p,
						   const epilogue<float> &out)
{
	ffma_table()[choice.tile].launch(p, choice.split, out);
}

static inline void ffma(const ffma_product &p, const epilogue<float> &out)
{
	ffma_choice choice = ffma_choose(p);
	ffma_check_rows(p);
	ffma_check_size(choice.clocks < INFINITY, "batch above 65535, or K or N above 2^28");
	ffma_by(choice, p, out);
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
