/* A product of two matrices of an 8-bit type in which K is contiguous, A (M x K) and B (N x K), by
 * TMA and wgmma: the kernel behind gemm-e4m3 and gemm-s8. 16-bit types have gemm_f16/hopper.
 *
 * A block has a producer warpgroup, one warp of which fills a ring of stages by TMA, and one or
 * two consumer warpgroups, each with 64 rows of the tile. A stage holds a k-block: 128 bytes
 * along K of each row of A and B, in the 128-byte swizzle that wgmma reads. `full` counts the
 * bytes that have landed in a stage, `empty` the consumers that have left it. What lies outside
 * of A and B is loaded as zeros, so that any size is a size of whole tiles.
 *
 * The kernel is persistent: the producer is already loading the next tile while the consumers
 * store the last one. The second consumer begins LAG k-blocks later than the first, so that one
 * multiplies while the other stores.
 *
 * In a cluster of two blocks, their tiles lie above each other and share B: each block loads one
 * half of it, for both by multicast. */
#ifndef GEMMJUDGE_WGMMA_KERNEL_CUH
#define GEMMJUDGE_WGMMA_KERNEL_CUH

#include "instructions.cuh"
#include "out.cuh"

constexpr int WARPGROUP = 128;
constexpr int ROW_BYTES = 128;           // of a k-block
constexpr int STEP_BYTES = 32;           // along K, that an instruction takes
constexpr int SHARED_BYTES = 227 * 1024; // that a block may have

template <class Element_, int BN_, int CONSUMERS_, int CLUSTER_> struct tile_config {
	using Element = Element_;
	using Sum = typename wgmma_type<Element>::sum;
	static constexpr bool PROMOTED = wgmma_type<Element>::PROMOTED;
	static constexpr int BN = BN_, CONSUMERS = CONSUMERS_, CLUSTER = CLUSTER_;
	static constexpr int BM = 64 * CONSUMERS, BK = ROW_BYTES / sizeof(Element);
	static constexpr int SUMS = BN / 2; // of a thread
	static constexpr int A_BYTES = BM * ROW_BYTES, B_BYTES = BN * ROW_BYTES;
	static constexpr int STAGE_BYTES = A_BYTES + B_BYTES;
	static constexpr int FITTING = (SHARED_BYTES - 2048) / STAGE_BYTES;
	static constexpr int STAGES = FITTING < 8 ? FITTING : 8;
	static constexpr int LAG = STAGES / 3;                // k-blocks, of the second consumer
	static constexpr int BARRIERS = STAGES * STAGE_BYTES; // where they lie
	static constexpr int BYTES = 1024 + BARRIERS + STAGES * 16;
	static constexpr int THREADS = WARPGROUP * (CONSUMERS + 1);
	static_assert(STAGES >= 4, "a load takes as long as two or three k-blocks");
	static_assert(BN / CLUSTER % 8 == 0, "the swizzle repeats every 8 rows");
};

/* The tiles, in units of what a cluster does at a time. */
struct tile_order {
	int rows, columns, k_blocks;
	int group; // rows of tiles that are gone through together, so that they share B in L2

	__device__ __forceinline__ int count() const
	{
		return rows * columns;
	}
	__device__ __forceinline__ void find(int number, int &row, int &column) const
	{
		int before = number / (group * columns) * group, within = number % (group * columns);
		int height = min(group, rows - before);
		row = before + within % height;
		column = within / height;
	}
};

/* Where somebody stands in the ring. */
template <class config> struct ring {
	int stage;
	uint32_t phase;

	__device__ __forceinline__ void next()
	{
		if (++stage == config::STAGES) {
			stage = 0;
			phase ^= 1;
		}
	}
};

/* Shared memory, by addresses. */
template <class config> struct shared_place {
	uint32_t base;

	__device__ __forceinline__ uint32_t a(int stage) const
	{
		return base + stage * config::STAGE_BYTES;
	}
	__device__ __forceinline__ uint32_t b(int stage) const
	{
		return a(stage) + config::A_BYTES;
	}
	__device__ __forceinline__ uint32_t full(int stage) const
	{
		return base + config::BARRIERS + 16 * stage;
	}
	__device__ __forceinline__ uint32_t empty(int stage) const
	{
		return full(stage) + 8;
	}
};

template <class config> __device__ __forceinline__ int cluster_rank()
{
	return config::CLUSTER > 1 ? (int)cluster_rank() : 0;
}

/* First row and column of this block's tile. */
template <class config>
__device__ __forceinline__ void tile_begin(const tile_order &order, int number, int &row,
										   int &column)
{
	order.find(number, row, column);
	row = (row * config::CLUSTER + cluster_rank<config>()) * config::BM;
	column *= config::BN;
}

/* ---- producer ------------------------------------------------------------ */

template <class config>
__device__ __forceinline__ void load_stage(const CUtensorMap *map_a, const CUtensorMap *map_b,
										   shared_place<config> shared, int stage, int k, int row,
										   int column)
{
	constexpr int PART = config::BN / config::CLUSTER; // of B's rows
	uint32_t full = shared.full(stage);
	mbarrier_expect(full, config::STAGE_BYTES);
	tma_load(shared.a(stage), map_a, full, k, row);
	if (config::CLUSTER == 1) {
		tma_load(shared.b(stage), map_b, full, k, column);
	} else {
		int first = cluster_rank<config>() * PART;
		tma_load_multicast(shared.b(stage) + first * ROW_BYTES, map_b, full, k, column + first,
						   (1 << config::CLUSTER) - 1);
	}
}

/* By one whole warp. */
template <class config>
__device__ __forceinline__ void produce(const CUtensorMap *map_a, const CUtensorMap *map_b,
										const tile_order &order, shared_place<config> shared)
{
	ring<config> at = {0, 1}; // the first round finds every stage empty
	int stride = gridDim.x / config::CLUSTER, tiles = order.count();
	for (int tile = blockIdx.x / config::CLUSTER; tile < tiles; tile += stride) {
		int row, column;
		tile_begin<config>(order, tile, row, column);
#pragma unroll 1
		for (int k = 0; k < order.k_blocks; k++) {
			mbarrier_wait(shared.empty(at.stage), at.phase);
			if (elected())
				load_stage(map_a, map_b, shared, at.stage, k * config::BK, row, column);
			at.next();
		}
	}
}

/* ---- consumers ----------------------------------------------------------- */

/* This consumer has left the stage, which all blocks of the cluster hear that load into it. */
template <class config>
__device__ __forceinline__ void stage_leave(shared_place<config> shared, int stage)
{
	int thread = threadIdx.x % WARPGROUP;
	if (config::CLUSTER == 1) {
		if (thread == 0)
			mbarrier_arrive(shared.empty(stage));
	} else if (thread < config::CLUSTER) {
		mbarrier_arrive_cluster(shared.empty(stage), thread);
	}
}

/* Starts a k-block's products, once it is there. `adds`: to sums of k-blocks before. */
template <class config>
__device__ __forceinline__ void k_block_begin(typename config::Sum (&sums)[config::SUMS],
											  shared_place<config> shared, ring<config> at,
											  int consumer, bool adds)
{
	uint32_t a = wgmma_operand(shared.a(at.stage) + consumer * 64 * ROW_BYTES, 16);
	uint32_t b = wgmma_operand(shared.b(at.stage), 16);
	mbarrier_wait(shared.full(at.stage), at.phase);
	wgmma_fence();
#pragma unroll
	for (int byte = 0; byte < ROW_BYTES; byte += STEP_BYTES)
		wgmma_k_major<typename config::Element, config::BN>::multiply(
			sums, wgmma_descriptor(a, byte), wgmma_descriptor(b, byte), adds || byte > 0);
	wgmma_commit();
}

/* All of K, summed by the tensor cores. A stage is left when the k-block behind it has been started
 * for, so that these always have work. */
template <class config>
__device__ __forceinline__ void multiply(typename config::Sum (&sums)[config::SUMS],
										 shared_place<config> shared, ring<config> &at,
										 int consumer, int k_blocks)
{
	int last = -1, k = 0;
#pragma unroll 1
	do { // one way in and one way out, else the compiler moves sums while wgmma is at work on them
		k_block_begin(sums, shared, at, consumer, k > 0);
		wgmma_wait<1>();
		if (last >= 0)
			stage_leave(shared, last);
		last = at.stage;
		at.next();
	} while (++k < k_blocks);
	wgmma_wait<0>();
	sums_are_here(sums);
	stage_leave(shared, last);
}

/* All of K, where the tensor cores sum a k-block, 128 products, and f32 additions do the rest.
 * While this consumer adds, the other one's products are made. */
template <class config>
__device__ __forceinline__ void multiply_promoted(float (&sums)[config::SUMS],
												  shared_place<config> shared, ring<config> &at,
												  int consumer, int k_blocks)
{
	float part[config::SUMS];
#pragma unroll
	for (int i = 0; i < config::SUMS; i++)
		sums[i] = 0.0f;
#pragma unroll 1
	for (int k = 0; k < k_blocks; k++) {
		k_block_begin(part, shared, at, consumer, false);
		wgmma_wait<0>();
		sums_are_here(part);
		stage_leave(shared, at.stage);
		at.next();
#pragma unroll
		for (int i = 0; i < config::SUMS; i++)
			sums[i] += part[i];
	}
}

/* The sums of a consumer's 64 rows. Lane l has rows l/4 and l/4 + 8 of its warp's 16, and of every
 * 8 columns 2*(l%4) and the next (PTX ISA, wgmma's accumulators). Some runs are exchanged TOGETHER
 * before the first is stored, as stores branch, and an exchange has to wait for its answer. */
template <class Sum, int SUMS, class Out>
__device__ __forceinline__ void store(const Sum (&sums)[SUMS], const Out &out, int row, int column)
{
	constexpr int RUNS = SUMS / RUN, TOGETHER = 4;
	int lane = threadIdx.x % 32, quarter = lane % 4;
	row += threadIdx.x % WARPGROUP / 32 * 16 + lane / 4;
#pragma unroll
	for (int first = 0; first < RUNS; first += TOGETHER) {
		typename Out::run runs[TOGETHER]; // even ones are of the upper row
#pragma unroll
		for (int r = 0; r < TOGETHER; r++) {
			Sum x[RUN];
#pragma unroll
			for (int i = 0; i < RUN; i++)
				x[i] = sums[(first + r) / 2 * 16 + i / 2 * 4 + r % 2 * 2 + i % 2];
			runs[r] = out.exchange(row + r % 2 * 8, column + (first + r) / 2 * 32 + quarter * 2, x);
		}
#pragma unroll
		for (int r = 0; r < TOGETHER; r++)
			out.store(row + r % 2 * 8, column + (first + r) / 2 * 32 + quarter * RUN, runs[r]);
	}
}

template <class config, class Out>
__device__ __forceinline__ void consume(const tile_order &order, const Out &out,
										shared_place<config> shared, int consumer)
{
	ring<config> at = {0, 0};
	int stride = gridDim.x / config::CLUSTER, tiles = order.count();
	if (consumer > 0)
		mbarrier_wait(shared.full(min(config::LAG, order.k_blocks - 1)), 0);
	for (int tile = blockIdx.x / config::CLUSTER; tile < tiles; tile += stride) {
		int row, column;
		tile_begin<config>(order, tile, row, column);
		typename config::Sum sums[config::SUMS];
		if constexpr (config::PROMOTED)
			multiply_promoted(sums, shared, at, consumer, order.k_blocks);
		else
			multiply(sums, shared, at, consumer, order.k_blocks);
		store(sums, out, row + consumer * 64, column);
	}
}

/* ---- kernel -------------------------------------------------------------- */

/* Registers of a thread, of 512 for a thread of each of three warpgroups together. */
constexpr int PRODUCER_REGISTERS = 24, CONSUMER_REGISTERS = 240;

/* out.cuh says what Out has. */
template <class config, class Out>
static __global__ void __launch_bounds__(config::THREADS, 1)
	gemm_wgmma(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
			   const tile_order order, const Out out)
{
	extern __shared__ char shared_raw[];
	shared_place<config> shared = {(shared_address(shared_raw) + 1023) & ~1023u};
	int warp = __shfl_sync(0xFFFFFFFF, threadIdx.x / 32, 0), warpgroup = warp / 4;

	if (threadIdx.x == 0) {
		tma_prefetch_map(&map_a);
		tma_prefetch_map(&map_b);
		for (int stage = 0; stage < config::STAGES; stage++) {
			mbarrier_init(shared.full(stage), 1);
			mbarrier_init(shared.empty(stage), config::CONSUMERS * config::CLUSTER);
		}
		mbarriers_ready();
	}
	if (config::CLUSTER > 1)
		cluster_sync();
	else
		__syncthreads();

	if (warpgroup == config::CONSUMERS) {
		if (config::CONSUMERS > 1)
			registers_give<PRODUCER_REGISTERS>();
		if (warp == config::CONSUMERS * 4)
			produce(&map_a, &map_b, order, shared);
	} else {
		if (config::CONSUMERS > 1)
			registers_take<CONSUMER_REGISTERS>();
		consume(order, out, shared, warpgroup);
	}
	if (config::CLUSTER > 1) { // a block must not end while the other still sends to it
		__syncwarp();
		cluster_sync();
	}
}

#endif
