/* Clusters: two blocks above each other share what they load of B.
 *
 * Idea: two blocks that work on tiles above each other need the same columns of B. As a cluster
 * they run at the same time, and a load by one can write into the shared memory of both
 * (multicast). So each loads half of the boxes of B, and multicasts them to both.
 *
 * Changes from 20_tile_order: tiles are taken in pairs, a stage is full when both halves of B have
 * come, and empty when the consumers of both blocks have read it, as both fill it; no block ends
 * while the other can still send to it.
 *
 * Arithmetic intensity: 128 FLOP per byte from the L2 cache, as B is loaded once for two tiles.
 *
 * Predicted: 95% of cuBLAS at 4096^3. Of what 17_warp_specialised loses, the first loads of a tile
 * are hidden, and of its stores all but the time in which a consumer packs (about 2500 clocks of
 * 70,000 a tile); what is left is that a consumer cannot multiply while it packs, and 512 tiles
 * in 3.9 waves.
 *
 * Bound by the tensor cores, says `explain` (H200, 4096^3): 128 us of 194 predicted (238 before);
 * L2 123 (183).
 *
 * reached: 781 TFLOP/s, 103% of cuBLAS (NVIDIA H200, 4096^3) */
#include "epilogue.cuh"
#include "hopper/ptx.cuh"
#include "hopper/wgmma.cuh"
#include "operands.cuh"

using namespace hopper;

constexpr int TILE_M = 128, TILE_N = 256, TILE_K = 64;
constexpr int STAGES = 3; // and room for a tile of C
constexpr int CLUSTER = 2;
constexpr int GROUP = 8; // clusters above each other, which are walked through together
constexpr int CONSUMERS = TILE_M / 64;
constexpr int THREADS = (CONSUMERS + 1) * 128;
constexpr int PRODUCER_REGISTERS = 24, CONSUMER_REGISTERS = 240;
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
static_assert(TILE_N / BOX % CLUSTER == 0, "each block of a cluster loads as many boxes of B");

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

/* The tiles of a product, two above each other as one; number `index` lies at these tiles. */
struct scheduler {
	int rows, columns; // of such pairs

	__device__ __forceinline__ int count(void) const
	{
		return rows * columns;
	}
	__device__ __forceinline__ void find(int index, int &row, int &column) const
	{
		int group = index / (GROUP * columns), within = index % (GROUP * columns);
		int height = min(GROUP, rows - group * GROUP);
		row = ((group * GROUP + within % height) * CLUSTER + (int)cluster_rank()) * TILE_M;
		column = within / height * TILE_N;
	}
};

struct shared_layout {
	uint32_t base, c, full, empty;
};

static __device__ __forceinline__ void produce(const CUtensorMap *map_a, const CUtensorMap *map_b,
											   const shared_layout &shared, const scheduler &tiles,
											   int blocks)
{
	constexpr int SHARE = TILE_N / BOX / CLUSTER; // boxes of B that this block loads
	constexpr uint16_t ALL = (1 << CLUSTER) - 1;
	int first = (int)cluster_rank() * SHARE;
	ring at = {0, 1};
	for (int tile = cluster_number(); tile < tiles.count(); tile += cluster_count()) {
		int row, column;
		tiles.find(tile, row, column);
#pragma unroll 1
		for (int i = 0; i < blocks; i++, at.next()) {
			uint32_t stage = shared.base + at.stage * STAGE_BYTES;
			uint32_t barrier = shared.full + 8 * at.stage;
			mbarrier_wait(shared.empty + 8 * at.stage, at.phase); // in both blocks
			if (elected()) {
				mbarrier_expect(barrier, STAGE_BYTES); // the other block's half of B, too
				tma_load(stage, map_a, barrier, i * TILE_K, row);
#pragma unroll
				for (int box = 0; box < SHARE; box++)
					tma_load_multicast(stage + A_BYTES + (first + box) * B_BOX_BYTES, map_b,
									   barrier, column + (first + box) * BOX, i * TILE_K, ALL);
			}
		}
	}
	/* No block ends while the other can still send to it or arrive at its barriers. */
	for (int i = 0; i < STAGES; i++, at.next())
		mbarrier_wait(shared.empty + 8 * at.stage, at.phase);
}

/* The stage has been read: both blocks are told, as both fill it. */
static __device__ __forceinline__ void release(uint32_t empty, int stage)
{
	if (threadIdx.x % 128 < CLUSTER)
		mbarrier_arrive_cluster(empty + 8 * stage, threadIdx.x % 128);
}

static __device__ __forceinline__ void
multiply(float (&sum)[TILE_N / 2], const shared_layout &shared, ring &at, int consumer, int blocks)
{
	uint32_t a = wgmma_operand(shared.base + consumer * 64 * TILE_K * 2, 16);
	uint32_t b = wgmma_operand(shared.base + A_BYTES, B_BOX_BYTES);
	int last = -1;
#pragma unroll 1
	for (int i = 0; i < blocks; i++) {
		uint32_t offset = at.stage * STAGE_BYTES;
		mbarrier_wait(shared.full + 8 * at.stage, at.phase);
		wgmma_fence();
#pragma unroll
		for (int k = 0; k < TILE_K / 16; k++)
			wgmma<half, TILE_N>::multiply<false>(sum, wgmma_descriptor(a, offset + k * 32),
												 wgmma_descriptor(b, offset + k * 16 * 128),
												 i > 0 || k > 0);
		wgmma_commit();
		wgmma_wait<1>();
		if (last >= 0)
			release(shared.empty, last);
		last = at.stage;
		at.next();
	}
	wgmma_wait<0>();
	release(shared.empty, last);
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

static __device__ __forceinline__ void store_edge(const float (&sum)[TILE_N / 2],
												  const epilogue<half> &out, int row, int column)
{
	int lane = threadIdx.x % 32;
#pragma unroll
	for (int i = 0; i < TILE_N / 2; i += 2) {
		float pair[2] = {sum[i], sum[i + 1]};
		out.store(row + lane / 4 + i / 2 % 2 * 8, column + i / 4 * 8 + lane % 4 * 2, pair);
	}
}

static __device__ __forceinline__ void consume(const CUtensorMap *map_c, bool c_by_tma,
											   const shared_layout &shared, const scheduler &tiles,
											   int blocks, const epilogue<half> &out)
{
	int warp = threadIdx.x / 32;
	uint32_t staging = shared.c + warp * C_WARP_BYTES;
	ring at = {0, 0};
	for (int tile = cluster_number(); tile < tiles.count(); tile += cluster_count()) {
		float sum[TILE_N / 2];
		int row, column;
		tiles.find(tile, row, column);
		multiply(sum, shared, at, threadIdx.x / 128, blocks);
		row += warp * 16;
		if (c_by_tma && row + 16 <= out.M && column + TILE_N <= out.N)
			store_whole(sum, out, map_c, staging, row, column);
		else
			store_edge(sum, out, row, column);
	}
	if (threadIdx.x % 32 == 0)
		tma_stores_read(); // before the block, and its shared memory, ends
}

static __global__ void __launch_bounds__(THREADS, 1) __cluster_dims__(CLUSTER, 1, 1)
	gemm(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
		 const __grid_constant__ CUtensorMap map_c, bool c_by_tma, const scheduler tiles, int K,
		 const epilogue<half> out)
{
	extern __shared__ char raw[];
	uint32_t base = (shared_address(raw) + 1023) & ~1023u, c = base + STAGES * STAGE_BYTES;
	shared_layout shared = {base, c, c + C_BYTES, c + C_BYTES + 8 * STAGES};
	int warpgroup = threadIdx.x / 128, blocks = (K + TILE_K - 1) / TILE_K;

	if (threadIdx.x == 0) {
		for (int i = 0; i < STAGES; i++) {
			mbarrier_init(shared.full + 8 * i, 1);
			mbarrier_init(shared.empty + 8 * i, CONSUMERS * CLUSTER);
		}
		mbarriers_ready();
	}
	cluster_sync();
	if (warpgroup == CONSUMERS) {
		registers_give<PRODUCER_REGISTERS>();
		if (threadIdx.x / 32 == CONSUMERS * 4)
			produce(&map_a, &map_b, shared, tiles, blocks);
	} else {
		registers_take<CONSUMER_REGISTERS>();
		consume(&map_c, c_by_tma, shared, tiles, blocks, out);
	}
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
	scheduler tiles = {(M + CLUSTER * TILE_M - 1) / (CLUSTER * TILE_M), (N + TILE_N - 1) / TILE_N};
	int clusters = min(multiprocessors / CLUSTER, tiles.rows * tiles.columns);
	gemm<<<clusters * CLUSTER, THREADS, SHARED_BYTES>>>(map_a, map_b, map_c, c_by_tma, tiles, K,
														epilogue_make(C, M, N, alpha, beta));
}
