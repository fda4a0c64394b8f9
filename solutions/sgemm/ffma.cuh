/* ffma(): plain f32 products for every shape, by FMAs, on Ampere and later. A table of tiles, and a
 * model of their times by which one is chosen; ffma_kernel.cuh has the kernel. sgemm/ffma.cu,
 * matmul_f32/02_ffma.cu, batched_f32/03_ffma.cu and tensor.cuh call it, and programs may:
 *
 *     ffma_product product = {A, B, 1, M, N, K};
 *     cudaError_t status = ffma(product, epilogue_make(C, M, N, alpha, beta), stream);
 *
 * Matrices are dense and row-major, in device memory: A is M x K, B is K x N, C is M x N, and those
 * of a batch follow each other (C then has batch * M rows). They need no alignment; rows of B and C
 * that are aligned to 16 bytes are faster. beta = 0 does not read C; alpha = 0 reads neither A nor
 * B. Sums are f32, in an order that depends on the shape and the device only.
 *
 * A call is asynchronous in `stream`, allocates nothing, keeps nothing but a table of each device's
 * properties, and may be made by several threads and captured into a graph. Where a size is 0 it
 * does what is left to do (K = 0: beta * C), and succeeds.
 *
 * cudaErrorInvalidValue, with nothing launched: a size is below 0; the batch above 65,535; batch *
 * M or batch * K above 2^31 - 256; K or N above 2^28; a matrix is NULL. Any other error is CUDA's,
 * of the launch or of something before it.
 *
 * GPUs before Hopper have no clusters, and do without tiles that blocks share. */
#ifndef GEMMJUDGE_SGEMM_FFMA_CUH
#define GEMMJUDGE_SGEMM_FFMA_CUH

#include <math.h>

#include "../gemm_f16/hopper/parts.cuh"
#include "ffma_device.cuh"
#include "ffma_kernel.cuh"
#include "load.cuh"

/* Where ffma_specialised.cuh's kernel multiplies tiles of 128x256, on Hopper and with aligned rows
 * of B and C: 0 nowhere, 1 where there are more tiles than multiprocessors, 2 everywhere. On an
 * H200 it is 3 to 6% faster with more tiles, 4 to 8% slower with one round of them; with misaligned
 * rows, which it could copy as well, 1% slower on the average of either. */
#ifndef FFMA_SPECIALISED
#define FFMA_SPECIALISED 1
#endif
#if FFMA_SPECIALISED
#include "ffma_specialised.cuh"
#endif

/* ---- the tile configurations ---- */

/* TILE(block_m, block_n, warp_m, warp_n, stages, lanes_m, block_k, blocks, split, cycles, single,
 * alone)
 * blocks: that share a multiprocessor; split: blocks that share a tile along K, at most; cycles: of
 * a multiprocessor for one step along K with all its blocks at work; single: the same where B is
 * copied by single floats; alone: at least so many for a block that has a multiprocessor to itself,
 * whose waits nobody hides. NOTES.md says where they come from. */
#define FFMA_TILES(TILE)                                                                           \
	TILE(128, 256, 64, 64, 3, 8, 8, 1, 1, 328, 357, 304)                                           \
	TILE(128, 128, 64, 32, 4, 8, 8, 2, 1, 329, 350, 142)                                           \
	TILE(64, 128, 64, 32, 4, 8, 8, 3, 4, 250, 272, 100)                                            \
	TILE(64, 64, 32, 32, 3, 8, 16, 4, 8, 175, 195, 55)                                             \
	TILE(32, 32, 16, 32, 4, 4, 16, 8, 8, 114, 114, 46)                                             \
	TILE(16, 64, 8, 64, 4, 2, 16, 8, 8, 107, 139, 37)

#define FFMA_COUNT(...) +1
constexpr int FFMA_CONFIGURATIONS = 0 FFMA_TILES(FFMA_COUNT);
static_assert(FFMA_CONFIGURATIONS <= 16, "a table that fits a screen");

template <int BLOCK_M, int BLOCK_N, int WARP_M_, int WARP_N_, int STAGES, int LANES_M, int BLOCK_K,
		  int BLOCKS_>
struct ffma_shape : multiply_shape<BLOCK_M, BLOCK_N, WARP_M_, WARP_N_, STAGES, LANES_M, BLOCK_K> {
	static constexpr int BLOCKS = BLOCKS_, WARP_M = WARP_M_, WARP_N = WARP_N_;
};

/* The call of a product: where, and on what. */
struct ffma_call {
	const ffma_device &device;
	cudaStream_t stream;
};

template <class Shape>
static cudaLaunchConfig_t ffma_config(const ffma_call &call, const ffma_product &p, int split,
									  ffma_grid &grid)
{
	grid = {(p.M + Shape::BLOCK_M - 1) / Shape::BLOCK_M,
			(p.N + Shape::BLOCK_N - 1) / Shape::BLOCK_N};
	cudaLaunchConfig_t config = {};
	config.gridDim = dim3(grid.tiles_m * grid.tiles_n * split, p.batch);
	config.blockDim = dim3(Shape::THREADS);
	config.stream = call.stream;
	return config;
}

template <class Shape, int VECTOR_B, bool SPLIT>
static cudaError_t ffma_start(const ffma_call &call, const ffma_product &p, int split,
							  const epilogue<float> &out)
{
	ffma_grid grid;
	cudaLaunchAttribute cluster = hopper::cluster_attribute(split);
	cudaLaunchConfig_t config = ffma_config<Shape>(call, p, split, grid);
	config.attrs = &cluster;
	config.numAttrs = split > 1;
	return cudaLaunchKernelEx(&config, ffma_gemm<Shape, VECTOR_B, SPLIT>, p, grid, split, out);
}

/* The specialised kernel's tile, and of a stage: 32 along K, so that consumers seldom wait. */
typedef ffma_shape<128, 256, 64, 64, 1, 8, 32, 1> ffma_specialised_shape;

/* Whether its tiles are to have that kernel. */
static inline bool ffma_specialised_wanted(const ffma_device &device, const ffma_product &p,
										   bool vector)
{
	typedef ffma_specialised_shape shape;
	long long tiles_n = (p.N + shape::BLOCK_N - 1) / shape::BLOCK_N;
	long long tiles = (p.M + shape::BLOCK_M - 1) / shape::BLOCK_M * tiles_n * p.batch;
	return FFMA_SPECIALISED > 0 && vector && device.capability == 9 &&
		   (FFMA_SPECIALISED == 2 || tiles > device.multiprocessors);
}

#if FFMA_SPECIALISED
/* Whether the kernel is there: compiled for another GPU than Hopper it is empty. */
static bool ffma_specialised_compiled(const ffma_device &device)
{
	static std::atomic<int8_t> known[FFMA_DEVICES]; // 1: yes, -1: no
	int8_t is = known[device.ordinal].load(std::memory_order_relaxed);
	if (is == 0) {
		cudaFuncAttributes attributes = {};
		bool asked = cudaFuncGetAttributes(&attributes, ffma_specialised<ffma_specialised_shape>) ==
					 cudaSuccess;
		is = asked && attributes.numRegs >= FFMA_SPECIALISED_REGISTERS ? 1 : -1;
		known[device.ordinal].store(is, std::memory_order_relaxed);
	}
	return is > 0;
}

static cudaError_t ffma_specialised_start(const ffma_call &call, const ffma_product &p,
										  const epilogue<float> &out)
{
	typedef ffma_specialised_shape shape;
	constexpr auto KERNEL = ffma_specialised<shape>;
	constexpr int BYTES = sizeof(ffma_specialised_memory<shape>);
	ffma_grid grid;
	cudaLaunchConfig_t config = ffma_config<shape>(call, p, 1, grid);
	config.blockDim = dim3(ffma_specialised_threads<shape>::ALL);
	config.dynamicSmemBytes = BYTES;
	cudaError_t status = ffma_allow_shared<KERNEL>(call.device, BYTES);
	return status != cudaSuccess ? status : cudaLaunchKernelEx(&config, KERNEL, p, grid, out);
}
#endif

template <class Shape, int MAX_SPLIT>
static cudaError_t ffma_launch(const ffma_call &call, const ffma_product &p, int split,
							   const epilogue<float> &out)
{
	constexpr bool SPLIT = MAX_SPLIT > 1;
	bool vector = load_vector(p.B, p.N) && load_vector(out.C, p.N);
#if FFMA_SPECIALISED
	if (Shape::BLOCK_N == ffma_specialised_shape::BLOCK_N &&
		ffma_specialised_wanted(call.device, p, vector) && ffma_specialised_compiled(call.device))
		return ffma_specialised_start(call, p, out);
#endif
	return vector ? ffma_start<Shape, 4, SPLIT>(call, p, split, out)
				  : ffma_start<Shape, 1, SPLIT>(call, p, split, out);
}

/* ---- the heuristic ---- */

struct ffma_tile {
	int m, n, blocks, max_split;
	float cycles, single, alone;
	cudaError_t (*launch)(const ffma_call &call, const ffma_product &p, int split,
						  const epilogue<float> &out);
};

/* Predicted clocks of a launch: rounds of as many tiles as are computed at once, each with its
 * steps along K and its stores; and, of a split tile, the exchange of sums. In the last round fewer
 * blocks share a multiprocessor, which hide less from each other, but have its lanes to themselves,
 * down to what one alone takes. That is longer where a tile has all columns: then no other block
 * has brought its rows of A into the L2 cache. The constants are fitted to times on an H200
 * (NOTES.md); of the products there, half read C. */
static inline float ffma_cost(const ffma_device &device, const ffma_tile &tile,
							  const ffma_product &p, int split, bool vector, bool specialised)
{
	constexpr float LAUNCH = 7490.0f, FEWER = 1.02f, ALL_COLUMNS = 24.0f;
	constexpr float STORE = 0.42f, STORE_UNALIGNED = 0.70f, SUM = 0.147f; // of an output
	constexpr float EXCHANGE = 875.0f, EXCHANGE_BLOCK = 500.0f;           // of a round
	constexpr float SPECIALISED = 315.0f; // as ffma_tile's cycles, of ffma_specialised.cuh
	float tiles_n = ceilf((float)p.N / (float)tile.n), at_once = (float)device.at_once[split];
	float tiles = ceilf((float)p.M / (float)tile.m) * tiles_n * (float)p.batch;
	float blocks = (float)tile.blocks, full = floorf(tiles / (at_once * blocks));
	float last = ceilf((tiles - full * at_once * blocks) / at_once) / blocks;
	float step = specialised ? SPECIALISED : vector ? tile.cycles : tile.single;
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

/* FFMA_TILE, a number, compiles and takes that tile only, with FFMA_SPLIT as its split, as far as
 * it has one and K is long enough: for measurements and tests. */
#ifndef FFMA_TILE
#define FFMA_TILE -1
#endif
#ifndef FFMA_SPLIT
#define FFMA_SPLIT 1
#endif
static_assert(FFMA_TILE < FFMA_CONFIGURATIONS, "FFMA_TILE: no such configuration");

template <class Shape, int MAX_SPLIT, int NUMBER>
static constexpr decltype(ffma_tile::launch) ffma_launcher(void)
{
	if constexpr ((FFMA_TILE < 0 || FFMA_TILE == NUMBER) && part_is_here(NUMBER))
		return ffma_launch<Shape, MAX_SPLIT>;
	return NULL;
}

static const ffma_tile *ffma_table(void)
{
	constexpr int FIRST = __COUNTER__ + 1;
#define FFMA_LAUNCHER(m, n, wm, wn, stages, lanes, k, blocks, split, ...)                          \
	ffma_launcher<ffma_shape<m, n, wm, wn, stages, lanes, k, blocks>, split, __COUNTER__ - FIRST>()
#define FFMA_LINE(m, n, wm, wn, stages, lanes, k, blocks, split, cycles, single, alone)            \
	{m,      n,      blocks, split,                                                                \
	 cycles, single, alone,  FFMA_LAUNCHER(m, n, wm, wn, stages, lanes, k, blocks, split)},
	static const ffma_tile table[] = {FFMA_TILES(FFMA_LINE)};
	return table;
#undef FFMA_LINE
#undef FFMA_LAUNCHER
}

#ifdef SOLUTION_PART
/* What this object's part launches; tensor.cuh has parts behind these. */
static auto ffma_part_launcher(void)
{
	constexpr bool HAS = SOLUTION_PART >= 0 && SOLUTION_PART < FFMA_CONFIGURATIONS;
	return HAS ? ffma_table()[HAS ? SOLUTION_PART : 0].launch : NULL;
}
#endif

/* Whether the copies of a tile of so many rows, which have 32-bit offsets from its corner
 * (async.cuh), reach all of it. */
static inline bool ffma_reaches(int tile_m, const ffma_product &p)
{
	constexpr long long MOST = 1ll << 32;
	return (long long)min(p.M, tile_m) * p.K < MOST && (long long)min(p.K, 16) * p.N < MOST;
}

static inline bool ffma_empty(const ffma_product &p)
{
	return p.batch == 0 || p.M == 0 || p.N == 0;
}

/* Whether alpha or K is 0, so that beta * C is all that is left. Of chains of stages nobody knows
 * what they make of zeros. */
template <class Epilogue>
static inline bool ffma_only_scales(const ffma_product &p, const Epilogue &out)
{
	if constexpr (Epilogue::is_alpha_beta)
		return p.K == 0 || out.stages.first.alpha == 0.0f;
	return false;
}

/* Whether a product may be asked for: the rows of all products of a batch are numbered by an int,
 * and the batch is along the grid's y. */
static inline bool ffma_valid(const ffma_product &p, const epilogue<float> &out)
{
	if (p.batch < 0 || p.batch > 65535 || p.M < 0 || p.N < 0 || p.K < 0 ||
		(long long)p.batch * max(p.M, p.K) > INT_MAX - 255)
		return false;
	if (ffma_empty(p))
		return true;
	return out.C != NULL && (ffma_only_scales(p, out) || (p.K > 0 && p.A != NULL && p.B != NULL));
}

struct ffma_choice {
	int tile, split;
	float clocks;
};

/* Each part of a split tile has this many steps along K at least. */
constexpr int FFMA_LEAST_DEPTH = 64;

static inline ffma_choice ffma_choose(const ffma_device &device, const ffma_product &p)
{
	const ffma_tile *table = ffma_table();
	if (FFMA_TILE >= 0) {
		int split = device.capability >= 9 ? min(FFMA_SPLIT, table[FFMA_TILE].max_split) : 1;
		return {FFMA_TILE, p.K >= FFMA_LEAST_DEPTH * split ? split : 1, 0.0f};
	}
	bool vector = load_vector(p.B, p.N), wanted = ffma_specialised_wanted(device, p, vector);
	ffma_choice best = {0, 1, INFINITY};
	for (int i = 0; i < FFMA_CONFIGURATIONS; i++)
		for (int split : FFMA_SPLITS) {
			if (split > table[i].max_split || (split > 1 && p.K < FFMA_LEAST_DEPTH * split))
				break;
			if (device.at_once[split] == 0 || !ffma_reaches(table[i].m, p))
				continue;
			bool specialised = wanted && table[i].n == ffma_specialised_shape::BLOCK_N;
			float clocks = ffma_cost(device, table[i], p, split, vector, specialised);
			if (clocks < best.clocks)
				best = {i, split, clocks};
		}
	return best;
}

/* cudaErrorInvalidValue where no tile reaches all of the operands, or the tile's part is not
 * linked. */
static inline cudaError_t ffma_by(const ffma_choice &choice, const ffma_call &call,
								  const ffma_product &p, const epilogue<float> &out)
{
	auto launch = part_linked(choice.tile, ffma_table()[choice.tile].launch);
	return choice.clocks < INFINITY && launch != NULL ? launch(call, p, choice.split, out)
													  : cudaErrorInvalidValue;
}

/* C = beta * C */
static __global__ void ffma_scale(float *C, size_t count, float beta)
{
	size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
	if (i < count)
		C[i] = beta == 0.0f ? 0.0f : beta * C[i];
}

template <class Epilogue>
static inline cudaError_t ffma_scale_all(const ffma_call &call, const ffma_product &p,
										 const Epilogue &out)
{
	if constexpr (Epilogue::is_alpha_beta) {
		float beta = out.stages.first.beta;
		size_t count = (size_t)p.batch * p.M * p.N;
		cudaLaunchConfig_t config = {};
		config.gridDim = dim3((unsigned)((count + 255) / 256));
		config.blockDim = dim3(256);
		config.stream = call.stream;
		if (beta != 1.0f)
			return cudaLaunchKernelEx(&config, ffma_scale, out.C, count, beta);
	}
	return cudaSuccess;
}

/* Whether there is an error, or nothing to multiply. */
static inline bool ffma_no_product(const ffma_device &device, const ffma_product &p,
								   const epilogue<float> &out)
{
	return device.status != cudaSuccess || !ffma_valid(p, out) || ffma_empty(p) ||
		   ffma_only_scales(p, out);
}

/* The part of such a call: the number of its tile; -1 where it needs none. */
static inline int ffma_part_for(const ffma_product &p, const epilogue<float> &out)
{
	const ffma_device &device = ffma_device_get();
	return ffma_no_product(device, p, out) ? -1 : ffma_choose(device, p).tile;
}

static inline cudaError_t ffma(const ffma_product &p, const epilogue<float> &out,
							   cudaStream_t stream)
{
	const ffma_device &device = ffma_device_get();
	ffma_call call = {device, stream};
	if (device.status != cudaSuccess)
		return device.status;
	if (!ffma_valid(p, out))
		return cudaErrorInvalidValue;
	if (ffma_empty(p))
		return cudaSuccess;
	if (ffma_only_scales(p, out))
		return ffma_scale_all(call, p, out);
	return ffma_by(ffma_choose(device, p), call, p, out);
}

#endif
