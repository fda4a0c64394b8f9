/* Plain f32 products on Hopper's tensor cores, with f32's accuracy. sgemm/tensor.cu,
 * matmul_f32/03_tensor.cu and batched_f32/04_tensor.cu share it.
 *
 * Parts. Each operand x becomes three bf16 numbers, x1 + x2 + x3: x1 is x rounded, x2 what is left
 * rounded, x3 what is left then. 8 bits each (and a sign) hold x's 24 bits exactly, in bf16's
 * exponents, which are f32's. Of the nine products of parts the six of relative size 1, 2^-8 and
 * 2^-16 are made; the others are below 2^-24 of |a||b| together. (Two tf32 parts would need three
 * products of twice the cost, the same rate; but they hold 22 bits, and wgmma takes tf32 K-major
 * only, so that B would have to be transposed.)
 *
 * Sums. The tensor cores add in f32, but drop what falls below the largest of the terms that they
 * add at once instead of rounding. So their sums are short: those of one k-block of 64, smallest
 * products first, which are then added to f32 registers by rounded additions.
 *
 * Range. What bf16 cannot do is left to FMAs: if an operand has an element of 2^127 or more,
 * infinities and NaN included, or one below 2^-100 that is not 0, whose last part would be lost.
 * The kernel that splits says so on the device, by leaving the number of this call in the
 * workspace; the product's kernel looks there, and multiplies the operands themselves. Nobody waits
 * for the host, and nothing is reset between calls.
 *
 * Tiles. A persistent block for each multiprocessor takes every so-many-th tile. Tiles that are
 * left over after the last full round would leave multiprocessors idle: if there are few enough,
 * the blocks of a cluster share each of them along K, as in ffma.cuh. */
#ifndef GEMMJUDGE_SGEMM_TENSOR_CUH
#define GEMMJUDGE_SGEMM_TENSOR_CUH

#include <cuda.h>

#include "../gemm_f16/hopper/ptx.cuh"
#include "../gemm_f16/hopper/wgmma.cuh"
#include "ffma.cuh"
#include "tensor_parts.cuh"
#include "workspace.cuh"

constexpr int TENSOR_BOX = 64; // columns of a box: a swizzled row of 128 bytes

/* ---- the product ---- */

/* 128 x TILE_N of C at a time, 64 rows a consumer warpgroup. */
template <int TILE_N_> struct tensor_tile {
	static constexpr int TILE_M = 128, TILE_N = TILE_N_, TILE_K = 64, CONSUMERS = 2;
	static constexpr int THREADS = (CONSUMERS + 1) * 128;
	static constexpr int A_PLANE = TILE_M * TILE_K * 2, B_PLANE = TILE_K * TENSOR_BOX * 2;
	static constexpr int A_BYTES = TENSOR_PARTS * A_PLANE; // one box of all parts
	static constexpr int B_BOX = TENSOR_PARTS * B_PLANE;   // 64 columns of all parts
	static constexpr int B_BOXES = TILE_N / TENSOR_BOX;
	static constexpr int STAGE_BYTES = A_BYTES + B_BOXES * B_BOX;
	static constexpr int STAGES = (226 * 1024) / STAGE_BYTES;
	static constexpr int STORE_ROWS = TILE_N == 128 ? 8 : 4, STORE_LD = TILE_N + 4; // of a warp
	static constexpr int STORE_BYTES = CONSUMERS * 4 * STORE_ROWS * STORE_LD * 4;
	static constexpr int SHARED_BYTES = STAGES * STAGE_BYTES + STORE_BYTES + STAGES * 16 + 1024;
	static_assert(STAGES >= 2 && SHARED_BYTES <= 227 * 1024, "what a block may have");
	static_assert(TILE_M * STORE_LD * 4 <= STAGES * STAGE_BYTES, "a shared tile's sums");
};

/* The products of parts, smallest first: of A, of B. */
struct tensor_pair {
	int a, b;
};
constexpr int TENSOR_PAIRS = 6;
static __device__ constexpr tensor_pair tensor_pair_of(int i)
{
	constexpr tensor_pair PAIRS[TENSOR_PAIRS] = {{2, 0}, {0, 2}, {1, 1}, {1, 0}, {0, 1}, {0, 0}};
	return PAIRS[i];
}

/* A consumer's 64 rows, all columns, one k-block: its sums are fresh ones. Meanwhile it does
 * something else, which leaves them alone. */
template <class Tile, class Else>
static __device__ __forceinline__ void tensor_multiply(float (&sum)[Tile::TILE_N / 2],
													   uint32_t stage, int consumer,
													   const Else &something_else)
{
	uint32_t a = hopper::wgmma_operand(stage + consumer * 64 * Tile::TILE_K * 2, 16);
	uint32_t b = hopper::wgmma_operand(stage + Tile::A_BYTES, Tile::B_BOX);
	hopper::wgmma_fence();
#pragma unroll
	for (int i = 0; i < TENSOR_PAIRS; i++)
#pragma unroll
		for (int k = 0; k < Tile::TILE_K / 16; k++) {
			tensor_pair parts = tensor_pair_of(i);
			hopper::wgmma<__nv_bfloat16, Tile::TILE_N>::template multiply<false>(
				sum, hopper::wgmma_descriptor(a, parts.a * Tile::A_PLANE + k * 32),
				hopper::wgmma_descriptor(b, parts.b * Tile::B_PLANE + k * 16 * 128), i + k > 0);
		}
	hopper::wgmma_commit();
	something_else();
	hopper::wgmma_wait<0>();
#pragma unroll
	for (int i = 0; i < Tile::TILE_N / 2; i++)
		asm volatile("" : "+f"(sum[i])::"memory"); // the sums are here now, and not earlier
}

/* A tile, or the cluster's blocks' parts of one along K, in k-blocks. */
struct tensor_work {
	int batch, row, column, begin, end;
	bool shared;
};

/* A warp's 16 rows of sums go to C some rows at a time, through shared memory of its own, while the
 * next tile is multiplied. In two steps, which keep few registers: the first rows are put there
 * when the tile ends, the others when those have gone. */
template <class Tile> struct tensor_stores {
	static constexpr int ROWS = Tile::STORE_ROWS, LD = Tile::STORE_LD, N = Tile::TILE_N;
	static constexpr int STEPS = 16 / ROWS;
	float *place;                         // this warp's
	float held[N / 2];                    // sums
	int step = STEPS, batch, row, column; // of the rows in the place, and where the tile is

	__device__ __forceinline__ explicit tensor_stores(float *exchange)
		: place(exchange + threadIdx.x / 32 * ROWS * LD)
	{
	}

	__device__ __forceinline__ void put(const float (&sum)[N / 2], int next)
	{
		int first = next * ROWS, lane = threadIdx.x % 32;
		if (lane / 4 / ROWS * ROWS == first % 8)
#pragma unroll
			for (int i = 0; i < N / 8; i++) // pairs
				*(float2 *)&place[lane / 4 % ROWS * LD + i * 8 + lane % 4 * 2] =
					first < 8 ? make_float2(sum[4 * i], sum[4 * i + 1])
							  : make_float2(sum[4 * i + 2], sum[4 * i + 3]);
		__syncwarp();
	}

	__device__ __forceinline__ void begin(const float (&sum)[N / 2], const tensor_work &work)
	{
#pragma unroll
		for (int i = 0; i < N / 2; i++)
			held[i] = sum[i];
		batch = work.batch;
		row = work.row + (int)threadIdx.x / 32 * 16;
		column = work.column;
		step = 0;
		put(sum, 0);
	}

	__device__ __forceinline__ void go_on(const ffma_product &p, const epilogue<float> &out)
	{
		if (step == STEPS)
			return;
		if (p.N % 4 == 0 && epilogue_aligned<float, 4>(out.C))
			ffma_store_shared<ROWS, 1, N, LD, 4>(place, out, p, batch, row + step * ROWS, column);
		else
			ffma_store_shared<ROWS, 1, N, LD, 1>(place, out, p, batch, row + step * ROWS, column);
		__syncwarp();
		if (++step < STEPS)
			put(held, STEPS == 2 ? 1 : step);
	}

	__device__ __forceinline__ void end(const ffma_product &p, const epilogue<float> &out)
	{
		while (step < STEPS)
			go_on(p, out);
	}
};

/* The sums of a tile that the cluster shares: through the memory of the stages, which nothing is
 * loaded into any more. */
template <class Tile>
static __device__ __forceinline__ void
tensor_add_parts(float *mine, const float (&sum)[Tile::TILE_N / 2], const ffma_product &p,
				 const epilogue<float> &out, int batch, int row, int column)
{
	constexpr int LD = Tile::STORE_LD, THREADS = Tile::CONSUMERS * 128;
	int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
	hopper::named_barrier(1, THREADS); // both consumers have multiplied
#pragma unroll
	for (int i = 0; i < Tile::TILE_N / 4; i++) // pairs
		*(float2 *)&mine[(warp * 16 + lane / 4 + i % 2 * 8) * LD + i / 2 * 8 + lane % 4 * 2] =
			make_float2(sum[2 * i], sum[2 * i + 1]);
	if (p.N % 4 == 0 && epilogue_aligned<float, 4>(out.C))
		ffma_add_parts<Tile::TILE_M, Tile::TILE_N, LD, THREADS, 4>(mine, p, out, batch, row,
																   column);
	else
		ffma_add_parts<Tile::TILE_M, Tile::TILE_N, LD, THREADS, 1>(mine, p, out, batch, row,
																   column);
}

/* All of the product by FMAs. */
template <int THREADS>
static __device__ __forceinline__ void tensor_by_fmas(char *shared, const ffma_product &p,
													  const epilogue<float> &out)
{
	typedef multiply_shape<192, 96, 32, 48> shape;
	static_assert(shape::THREADS == THREADS, "all warps take part");
	ffma_grid grid = {(p.M + shape::BLOCK_M - 1) / shape::BLOCK_M,
					  (p.N + shape::BLOCK_N - 1) / shape::BLOCK_N};
	int tiles = grid.tiles_m * grid.tiles_n;
	for (int tile = blockIdx.x; tile < tiles * p.batch; tile += gridDim.x) {
		int m, n, batch = tile / tiles;
		grid.find(tile % tiles, m, n);
		typename shape::sums sum = {};
		__syncthreads(); // the fragments of the tile before are read
		shape::template run<1>(*(typename shape::tiles *)shared, sum,
							   p.A + (size_t)batch * p.M * p.K, p.K,
							   p.B + (size_t)batch * p.K * p.N, p.N, p.M, p.N, p.K,
							   m * shape::BLOCK_M, n * shape::BLOCK_N);
		shape::rows(sum, m * shape::BLOCK_M, n * shape::BLOCK_N,
					[&](int row, int column, const float(&x)[shape::COUNT_N][shape::V]) {
						ffma_store<shape::SUB_N>(out, p, batch, row, column, x);
					});
	}
}

/* This block's work of a round, if it has some: rounds in which all blocks have a tile, and then
 * what is left. */
template <class Tile>
static __device__ __forceinline__ bool tensor_find(const ffma_product &p, const ffma_grid &grid,
												   int round, tensor_work &work)
{
	int each = grid.tiles_m * grid.tiles_n, tiles = each * p.batch;
	int left = tiles - round * (int)gridDim.x, tile = blockIdx.x, split = ffma_sharers::count();
	work.begin = 0;
	work.end = (p.K + Tile::TILE_K - 1) / Tile::TILE_K;
	work.shared = split > 1 && left * split <= (int)gridDim.x;
	if (work.shared) {
		int rank = ffma_sharers::rank(), blocks = work.end;
		tile /= split;
		work.begin = blocks * rank / split;
		work.end = blocks * (rank + 1) / split;
	}
	if (tile >= left)
		return false;
	tile += round * (int)gridDim.x;
	work.batch = tile / each;
	grid.find(tile % each, work.row, work.column);
	work.row *= Tile::TILE_M;
	work.column *= Tile::TILE_N;
	return true;
}

/* The producer loads operands of the next tile while the consumers store. */
template <class Tile>
static __global__ void __launch_bounds__(Tile::THREADS, 1)
	tensor_gemm(const __grid_constant__ CUtensorMap map_a,
				const __grid_constant__ CUtensorMap map_b, const ffma_product p,
				const ffma_grid grid, const unsigned *flag, unsigned call,
				const epilogue<float> out)
{
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
	constexpr int STAGES = Tile::STAGES;
	extern __shared__ char raw[];
	uint32_t base = (hopper::shared_address(raw) + 1023) & ~1023u;
	uint32_t exchange = base + STAGES * Tile::STAGE_BYTES;
	uint32_t full = exchange + Tile::STORE_BYTES, empty = full + 8 * STAGES;
	int warpgroup = threadIdx.x / 128;
	auto pointer = [&](uint32_t at) { return (float *)(raw + (at - hopper::shared_address(raw))); };
	if (threadIdx.x == 0) {
		for (int i = 0; i < STAGES; i++) {
			hopper::mbarrier_init(full + 8 * i, 1);
			hopper::mbarrier_init(empty + 8 * i, Tile::CONSUMERS);
		}
		hopper::mbarriers_ready();
	}
	ffma_wait_for_kernel_before(); // whose parts are read
	if (*flag == call)
		return tensor_by_fmas<Tile::THREADS>(raw, p, out);
	__syncthreads();
	int step = 0; // of all k-blocks of all tiles
	tensor_work work;
	if (warpgroup == Tile::CONSUMERS) {
		hopper::registers_give<24>();
		if (threadIdx.x / 32 != Tile::CONSUMERS * 4)
			return;
		for (int round = 0; tensor_find<Tile>(p, grid, round, work); round++) {
			for (int k = work.begin; k < work.end; k++, step++) {
				uint32_t stage = base + step % STAGES * Tile::STAGE_BYTES,
						 barrier = full + 8 * (step % STAGES);
				hopper::mbarrier_wait(empty + 8 * (step % STAGES), step / STAGES % 2 ^ 1);
				if (!hopper::elected())
					continue;
				/* beyond K, A's columns are zeros, and B's rows whatever comes next */
				hopper::mbarrier_expect(barrier, Tile::STAGE_BYTES);
				hopper::tma_load_3d(stage, &map_a, barrier, k * Tile::TILE_K,
									work.batch * p.M + work.row, 0);
#pragma unroll
				for (int box = 0; box < Tile::B_BOXES; box++)
					hopper::tma_load_3d(stage + Tile::A_BYTES + box * Tile::B_BOX, &map_b, barrier,
										work.column + box * TENSOR_BOX,
										work.batch * p.K + k * Tile::TILE_K, 0);
			}
		}
		return;
	}
	hopper::registers_take<240>();
	tensor_stores<Tile> stores(pointer(exchange));
	for (int round = 0; tensor_find<Tile>(p, grid, round, work); round++) {
		float sum[Tile::TILE_N / 2] = {}, part[Tile::TILE_N / 2];
#pragma unroll 1
		for (int k = work.begin; k < work.end; k++, step++) {
			hopper::mbarrier_wait(full + 8 * (step % STAGES), step / STAGES % 2);
			tensor_multiply<Tile>(part, base + step % STAGES * Tile::STAGE_BYTES, warpgroup,
								  [&] { stores.go_on(p, out); });
			if (threadIdx.x % 128 == 0)
				hopper::mbarrier_arrive(empty + 8 * (step % STAGES));
#pragma unroll
			for (int j = 0; j < Tile::TILE_N / 2; j++)
				sum[j] += part[j];
		}
		stores.end(p, out);
		if (work.shared)
			return tensor_add_parts<Tile>(pointer(base), sum, p, out, work.batch, work.row,
										  work.column);
		stores.begin(sum, work);
	}
	stores.end(p, out);
#else
	__trap(); // compiled for another GPU than this one
#endif
}

/* ---- host ---- */

/* All parts of an operand, a plane each, in boxes of 64 columns and `box_rows` rows of each plane;
 * zeros outside. */
static inline CUtensorMap tensor_map(const tensor_operand &operand, int box_rows)
{
	static decltype(&cuTensorMapEncodeTiled) encode = [] {
		void *found = NULL;
		cudaDriverEntryPointQueryResult result;
		ffma_check(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000,
													cudaEnableDefault, &result),
				   "cuTensorMapEncodeTiled");
		return (decltype(&cuTensorMapEncodeTiled))found;
	}();
	const cuuint64_t sizes[] = {(cuuint64_t)operand.columns, (cuuint64_t)operand.rows,
								TENSOR_PARTS};
	const cuuint64_t pitch = (cuuint64_t)operand.ld * sizeof(__nv_bfloat16);
	const cuuint64_t pitches[] = {pitch, pitch * (cuuint64_t)operand.rows};
	const cuuint32_t box[] = {TENSOR_BOX, (cuuint32_t)box_rows, TENSOR_PARTS}, steps[] = {1, 1, 1};
	CUtensorMap map;
	CUresult made = encode(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 3, operand.parts, sizes, pitches,
						   box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
						   CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
	ffma_check(made == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue, "tensor map");
	return map;
}

/* How a product is launched, and its predicted clocks. */
struct tensor_plan {
	int split, blocks; // that share what is left over, and all
	float clocks;
};

/* Predicted clocks of the split and the product: all rounds, of which the stores take the rest of
 * the time but for the last one, where they begin when the products have ended. Constants are
 * fitted to times on an H200 (NOTES.md): a k-block of 128x128 takes 3450 clocks, of which the
 * tensor cores are busy 3072 (4096 operations a clock); one of 128x64 waits for shared memory. Of
 * the products there half read C. */
template <class Tile> static inline tensor_plan tensor_make_plan(const ffma_product &p, int split)
{
	constexpr float LAUNCHES = 5000.0f, BYTES_A_CLOCK = 2190.0f;
	constexpr float BLOCK = Tile::TILE_N == 128 ? 3450.0f : 1785.0f;
	constexpr float TILE = 2680.0f, LAST = 3340.0f, SHARED = 5360.0f; // of 128x128
	constexpr float READS_C = 1.35f, UNALIGNED = 2.34f;               // more of them
	int tiles = (p.M + Tile::TILE_M - 1) / Tile::TILE_M * ((p.N + Tile::TILE_N - 1) / Tile::TILE_N);
	tiles *= p.batch;
	int blocks = min(tiles, ffma_at_once(split)) * split;
	if (blocks == 0)
		return {1, 1, INFINITY};
	int depth = (p.K + Tile::TILE_K - 1) / Tile::TILE_K, full = tiles / blocks,
		left = tiles % blocks;
	int shared = left * split <= blocks ? split : 1;
	float bytes = 10.0f * (float)p.batch * (float)p.K * ((float)p.M + (float)p.N);
	float stores = Tile::TILE_N / 128.0f * (1.0f + READS_C + (p.N % 4 != 0 ? UNALIGNED : 0.0f));
	float clocks = LAUNCHES + bytes / BYTES_A_CLOCK;
	clocks += (float)full * ((float)depth * BLOCK + TILE * stores);
	if (left == 0)
		clocks += (LAST - TILE) * stores;
	else
		clocks += (float)((depth + shared - 1) / shared) * BLOCK + LAST * stores / (float)shared +
				  (shared > 1 ? SHARED : 0.0f);
	return {split, blocks, clocks};
}

/* What is left over is shared by two blocks, or not: more gain nothing. */
template <class Tile> static inline tensor_plan tensor_best_plan(const ffma_product &p)
{
	tensor_plan alone = tensor_make_plan<Tile>(p, 1), shared = tensor_make_plan<Tile>(p, 2);
	return shared.clocks < alone.clocks ? shared : alone;
}

template <class Tile>
static void tensor_launch(const ffma_product &p, const tensor_plan &plan, const tensor_operand &a,
						  const tensor_operand &b, const unsigned *flag, unsigned call,
						  const epilogue<float> &out)
{
	static const cudaError_t allowed = cudaFuncSetAttribute(
		tensor_gemm<Tile>, cudaFuncAttributeMaxDynamicSharedMemorySize, Tile::SHARED_BYTES);
	ffma_check(allowed, "cudaFuncSetAttribute");
	ffma_grid grid = {(p.M + Tile::TILE_M - 1) / Tile::TILE_M,
					  (p.N + Tile::TILE_N - 1) / Tile::TILE_N};
	cudaLaunchAttribute attributes[] = {ffma_follows(), ffma_cluster(plan.split)};
	cudaLaunchConfig_t config = {};
	config.gridDim = dim3(plan.blocks);
	config.blockDim = dim3(Tile::THREADS);
	config.dynamicSmemBytes = Tile::SHARED_BYTES;
	config.attrs = attributes;
	config.numAttrs = plan.split > 1 ? 2 : 1;
	ffma_check(cudaLaunchKernelEx(&config, tensor_gemm<Tile>, tensor_map(a, Tile::TILE_M),
								  tensor_map(b, Tile::TILE_K), p, grid, flag, call, out),
			   "launch");
}

/* For tests: TENSOR_TILE, 64 or 128, forces that tile for products of any size, and TENSOR_SPLIT, 1
 * or 2, its split. */
static inline void tensor(const ffma_product &p, const epilogue<float> &out)
{
	if (ffma_capability() != 9) // wgmma came with Hopper and went with it
		return ffma(p, out);
	typedef tensor_tile<128> wide_tile;
	typedef tensor_tile<64> narrow_tile;
#ifdef TENSOR_TILE
	tensor_plan wide = tensor_make_plan<wide_tile>(p, TENSOR_SPLIT);
	tensor_plan narrow = tensor_make_plan<narrow_tile>(p, TENSOR_SPLIT);
	bool is_wide = TENSOR_TILE == 128;
#else
	tensor_plan wide = tensor_best_plan<wide_tile>(p), narrow = tensor_best_plan<narrow_tile>(p);
	bool is_wide = wide.clocks <= narrow.clocks;
	if (fminf(wide.clocks, narrow.clocks) >= ffma_choose(p).clocks)
		return ffma(p, out);
#endif
	tensor_operand a = {p.A, NULL, p.batch * p.M, p.K, (p.K + 63) / 64 * 64};
	tensor_operand b = {p.B, NULL, p.batch * p.K, p.N, (p.N + 63) / 64 * 64};
	size_t a_elements = (size_t)a.rows * a.ld * TENSOR_PARTS;
	size_t b_elements = (size_t)b.rows * b.ld * TENSOR_PARTS;
	/* The number of the latest call that was left to FMAs, then A's parts, then B's; every call
	 * overwrites what it reads of the parts. */
	size_t bytes = (a_elements + b_elements) * sizeof(__nv_bfloat16);
	char *memory = (char *)workspace_get(WORKSPACE_HEAD + bytes);
	if (memory == NULL)
		return ffma(p, out);
	static unsigned calls;
	unsigned *flag = (unsigned *)memory, call = ++calls;
	a.parts = (__nv_bfloat16 *)(memory + WORKSPACE_HEAD);
	b.parts = a.parts + a_elements;
	tensor_make_parts(a, b, flag, call);
	if (is_wide)
		tensor_launch<wide_tile>(p, wide, a, b, flag, call, out);
	else
		tensor_launch<narrow_tile>(p, narrow, a, b, flag, call, out);
}

#endif
