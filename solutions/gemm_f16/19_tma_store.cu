/* Results leave by TMA, as operands come.
 *
 * Idea: in 18 a lane stores pairs of elements, with an address and a look at C's edges for each: a
 * store of a warp touches 8 rows, and half a sector of 32 bytes in each. Here a warp packs its 16
 * rows into shared memory: stmatrix takes the sums as lanes have them, and the swizzle keeps it
 * free of bank conflicts. One lane then hands boxes of 64 columns over to TMA, and the warp goes on
 * to the next tile's products while they leave.
 *
 * Changes from 18_persistent: a tile that lies in C leaves through shared memory, if C's rows
 * allow TMA; others as before. Room for a tile of C costs a stage.
 *
 * Arithmetic intensity: 85 FLOP per byte from the L2 cache, as before.
 *
 * Bound by L2's bandwidth, says `explain` (H200, 4096^3): 183 us (186) of 238 predicted (243). 0.18
 * instructions of warps for 1000 operations instead of 0.25; no pass over shared memory is a bank
 * conflict.
 *
 * reached: 779 TFLOP/s, 103% of cuBLAS (NVIDIA H200, 4096^3) */
#include "epilogue.cuh"
#include "hopper/ptx.cuh"
#include "hopper/wgmma.cuh"
#include "operands.cuh"

using namespace hopper;

constexpr int TILE_M = 128, TILE_N = 256, TILE_K = 64;
constexpr int STAGES = 3;              // and room for a tile of C
constexpr int CONSUMERS = TILE_M / 64; // warpgroups
constexpr int THREADS = (CONSUMERS + 1) * 128;
constexpr int PRODUCER_REGISTERS = 24, CONSUMER_REGISTERS = 240; // of a thread: 504 of 512 in all
constexpr int BOX = 64;
constexpr int A_BYTES = TILE_M * TILE_K * 2;
constexpr int B_BOX_BYTES = TILE_K * BOX * 2;
constexpr int B_BYTES = TILE_N / BOX * B_BOX_BYTES;
constexpr int STAGE_BYTES = A_BYTES + B_BYTES;
constexpr int C_BOX_BYTES = 16 * BOX * 2; // a warp's 16 rows of 64 columns
constexpr int C_WARP_BYTES = TILE_N / BOX * C_BOX_BYTES;
constexpr int C_BYTES = CONSUMERS * 4 * C_WARP_BYTES;
constexpr int SHARED_BYTES = STAGES * STAGE_BYTES + C_BYTES + 2 * STAGES * 8 + 1024;
static_assert(SHARED_BYTES <= 227 * 1024, "what a block may have");

/* Where a warp is in the ring of stages. */
struct ring {
	int stage;
	uint32_t phase;

	__device__ __forceinline__ void next(void)
	{
		if (++stage == STAGES) {
			stage = 0;
			phase ^= 1;
		}
	}
};

/* The tiles of a product, in the order in which blocks take them. */
struct scheduler {
	int rows, columns;

	__device__ __forceinline__ int count(void) const
	{
		return rows * columns;
	}
	__device__ __forceinline__ void find(int index, int &row, int &column) const
	{
		row = index % rows * TILE_M;
		column = index / rows * TILE_N;
	}
};

/* The producer of a tile: one lane fills stage after stage, as soon as each has been read. */
static __device__ __forceinline__ void produce(const CUtensorMap *map_a, const CUtensorMap *map_b,
											   uint32_t base, uint32_t full, uint32_t empty,
											   ring &at, int row, int column, int blocks)
{
#pragma unroll 1
	for (int i = 0; i < blocks; i++, at.next()) {
		uint32_t stage = base + at.stage * STAGE_BYTES, barrier = full + 8 * at.stage;
		mbarrier_wait(empty + 8 * at.stage, at.phase);
		if (elected()) {
			mbarrier_expect(barrier, STAGE_BYTES);
			tma_load(stage, map_a, barrier, i * TILE_K, row);
#pragma unroll
			for (int box = 0; box < TILE_N / BOX; box++)
				tma_load(stage + A_BYTES + box * B_BOX_BYTES, map_b, barrier, column + box * BOX,
						 i * TILE_K);
		}
	}
}

static __device__ __forceinline__ void release(uint32_t empty, int stage)
{
	if (threadIdx.x % 128 == 0)
		mbarrier_arrive(empty + 8 * stage);
}

/* A consumer: its 64 rows times all columns, over all k-blocks. While the products of one k-block
 * are made, those of the next are issued; then the one before has been read, and its stage is free.
 */
static __device__ __forceinline__ void consume(float (&sum)[TILE_N / 2], uint32_t base,
											   uint32_t full, uint32_t empty, ring &at,
											   int consumer, int blocks)
{
	uint32_t a = wgmma_operand(base + consumer * 64 * TILE_K * 2, 16);
	uint32_t b = wgmma_operand(base + A_BYTES, B_BOX_BYTES);
	int last = -1;
#pragma unroll 1
	for (int i = 0; i < blocks; i++) {
		uint32_t offset = at.stage * STAGE_BYTES;
		mbarrier_wait(full + 8 * at.stage, at.phase);
		wgmma_fence();
#pragma unroll
		for (int k = 0; k < TILE_K / 16; k++)
			wgmma<half, TILE_N>::multiply<false>(sum, wgmma_descriptor(a, offset + k * 32),
												 wgmma_descriptor(b, offset + k * 16 * 128),
												 i > 0 || k > 0);
		wgmma_commit();
		wgmma_wait<1>();
		if (last >= 0)
			release(empty, last);
		last = at.stage;
		at.next();
	}
	wgmma_wait<0>();
	release(empty, last);
#pragma unroll
	for (int i = 0; i < TILE_N / 2; i++)
		asm volatile("" : "+f"(sum[i])::"memory"); // the sums are here now, and not earlier
}

/* A warp's 16 rows, all in C, through the epilogue into its staging area and from there by TMA.
 * Lane l hands stmatrix row l%16, vector l/16 of each pair of vectors of 8 columns; the swizzle
 * exchanges vectors by the row's number. */
static __device__ __forceinline__ void store_whole(const float (&sum)[TILE_N / 2],
												   const epilogue<half> &out,
												   const CUtensorMap *map_c, uint32_t staging,
												   int row, int column)
{
	int lane = threadIdx.x % 32;
	if (lane == 0)
		tma_stores_read(); // of the tile before
	__syncwarp();
#pragma unroll
	for (int box = 0; box < TILE_N / BOX; box++) {
		uint32_t at = staging + box * C_BOX_BYTES + lane % 16 * 128;
#pragma unroll
		for (int j = 0; j < BOX / 16; j++) {
			uint32_t words[4];
#pragma unroll
			for (int i = 0; i < 4; i++) { // upper and lower 8 rows of two vectors
				int number = box * 32 + j * 8 + i / 2 * 4 + i % 2 * 2;
				float x[2] = {sum[number], sum[number + 1]};
				out.apply(row + lane / 4 + i % 2 * 8,
						  column + box * BOX + j * 16 + i / 2 * 8 + lane % 4 * 2, x, true);
				half2 pair = __floats2half2_rn(x[0], x[1]);
				words[i] = *(uint32_t *)&pair;
			}
			store_matrices(at + ((2 * j + lane / 16) ^ lane % 8) * 16, words);
		}
		fence_async_shared();
		__syncwarp();
		if (lane == 0)
			tma_store(map_c, staging + box * C_BOX_BYTES, column + box * BOX, row);
	}
}

static __device__ __forceinline__ void store_pairs(const float (&sum)[TILE_N / 2],
												   const epilogue<half> &out, int row, int column)
{
	int lane = threadIdx.x % 32;
#pragma unroll
	for (int i = 0; i < TILE_N / 2; i += 2) {
		float pair[2] = {sum[i], sum[i + 1]};
		out.store(row + lane / 4 + i / 2 % 2 * 8, column + i / 4 * 8 + lane % 4 * 2, pair);
	}
}

static __global__ void __launch_bounds__(THREADS, 1)
	gemm(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
		 const __grid_constant__ CUtensorMap map_c, bool c_by_tma, const scheduler tiles, int K,
		 const epilogue<half> out)
{
	extern __shared__ char raw[];
	uint32_t base = (shared_address(raw) + 1023) & ~1023u;
	uint32_t staging = base + STAGES * STAGE_BYTES + threadIdx.x / 32 * C_WARP_BYTES;
	uint32_t full = base + STAGES * STAGE_BYTES + C_BYTES, empty = full + 8 * STAGES;
	int row, column, warpgroup = threadIdx.x / 128, blocks = (K + TILE_K - 1) / TILE_K;

	if (threadIdx.x == 0) {
		for (int i = 0; i < STAGES; i++) {
			mbarrier_init(full + 8 * i, 1);
			mbarrier_init(empty + 8 * i, CONSUMERS);
		}
		mbarriers_ready();
	}
	__syncthreads();
	if (warpgroup == CONSUMERS) {
		registers_give<PRODUCER_REGISTERS>();
		if (threadIdx.x / 32 != CONSUMERS * 4) // one warp of it
			return;
		ring at = {0, 1}; // the first round finds every stage empty
		for (int tile = blockIdx.x; tile < tiles.count(); tile += gridDim.x) {
			tiles.find(tile, row, column);
			produce(&map_a, &map_b, base, full, empty, at, row, column, blocks);
		}
		return;
	}
	registers_take<CONSUMER_REGISTERS>();
	ring at = {0, 0};
	for (int tile = blockIdx.x; tile < tiles.count(); tile += gridDim.x) {
		float sum[TILE_N / 2];
		tiles.find(tile, row, column);
		consume(sum, base, full, empty, at, warpgroup, blocks);
		row += threadIdx.x / 32 * 16;
		if (c_by_tma && row + 16 <= out.M && column + TILE_N <= out.N)
			store_whole(sum, out, &map_c, staging, row, column);
		else
			store_pairs(sum, out, row, column);
	}
	if (threadIdx.x % 32 == 0)
		tma_stores_read(); // before the block, and its shared memory, ends
}

extern "C" void solve(const half *A, const half *B, half *C, int M, int N, int K, float alpha,
					  float beta)
{
	static int multiprocessors = [] {
		int count = 0;
		check(cudaFuncSetAttribute(gemm, cudaFuncAttributeMaxDynamicSharedMemorySize,
								   SHARED_BYTES) == cudaSuccess &&
				  cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0) == cudaSuccess,
			  "cudaFuncSetAttribute");
		return count;
	}();
	operand c = {C, M, N, N};
	bool c_by_tma = (uintptr_t)C % 16 == 0 && N % 8 == 0;
	CUtensorMap map_a = map_of(addressable({A, M, K, K}, 0), TILE_M);
	CUtensorMap map_b = map_of(addressable({B, K, N, N}, 1), TILE_K);
	CUtensorMap map_c = c_by_tma ? map_of(c, 16) : map_b;
	scheduler tiles = {(M + TILE_M - 1) / TILE_M, (N + TILE_N - 1) / TILE_N};
	int blocks = min(multiprocessors, tiles.rows * tiles.columns);
	gemm<<<blocks, THREADS, SHARED_BYTES>>>(map_a, map_b, map_c, c_by_tma, tiles, K,
											epilogue_make(C, M, N, alpha, beta));
}
