/* The kernel of tensor.cuh, which says why it multiplies parts: a producer warp loads boxes of all
 * parts by TMA, two consumer warpgroups multiply, and each keeps its last tile's sums, to store
 * them beside the next tile's products.
 *
 * Tiles. A persistent block for each multiprocessor takes every so-many-th tile. Tiles that are
 * left over after the last full round would leave multiprocessors idle: if there are few enough,
 * the blocks of a cluster share each of them along K, as in ffma_kernel.cuh. */
#ifndef GEMMJUDGE_SGEMM_TENSOR_KERNEL_CUH
#define GEMMJUDGE_SGEMM_TENSOR_KERNEL_CUH

#include <cuda.h>

#include "../gemm_f16/hopper/ptx.cuh"
#include "../gemm_f16/hopper/wgmma.cuh"
#include "ffma_kernel.cuh"
#include "load.cuh"
#include "tensor_parts.cuh"

constexpr int TENSOR_BOX = 64; // columns of a box: a swizzled row of 128 bytes

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
 * next tile is multiplied, which keeps few registers: the first rows are put there when the tile
 * ends, the next ones when those have gone. */
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
		if (load_vector(out.C, p.N))
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
	if (load_vector(out.C, p.N))
		ffma_add_parts<Tile::TILE_M, Tile::TILE_N, LD, THREADS, 4>(mine, p, out, batch, row,
																   column);
	else
		ffma_add_parts<Tile::TILE_M, Tile::TILE_N, LD, THREADS, 1>(mine, p, out, batch, row,
																   column);
}

constexpr int TENSOR_FMA_ROWS = 192; // of a tile

/* All of the product by FMAs. */
template <int THREADS>
static __device__ __forceinline__ void tensor_by_fmas(char *shared, const ffma_product &p,
													  const epilogue<float> &out)
{
	typedef multiply_shape<TENSOR_FMA_ROWS, 96, 32, 48> shape;
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

#endif
