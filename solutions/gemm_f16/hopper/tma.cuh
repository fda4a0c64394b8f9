/* The tile kernel whose operands TMA loads: warp-specialised, persistent, multiplied
 * by wgmma.
 *
 * A block has one producer warpgroup and one or two consumer warpgroups. A warp of
 * the producer walks over the block's tiles and, for each, along K in steps of 64,
 * and one of its lanes fills a ring of STAGES stages of shared memory by TMA; `full`
 * counts the bytes that were delivered.
 *
 * Blocks of a cluster work together in one of two ways:
 *  - UP x ACROSS: they do neighbouring tiles. Blocks above each other in C need the same
 *    columns of B, blocks side by side the same rows of A; they take turns, step by step, to
 *    load them for all, by multicast. So less of B and of A leaves the L2 cache.
 *  - SPLIT: the cluster's blocks work on the same tile, each on its own part of K,
 *    and add up through distributed shared memory (split.cuh); each then finishes its
 *    own share of the columns. Nothing is left in global memory between calls.
 *
 * Where an operand is ODD, its rows are first copied into padded ones by all blocks
 * together (repack.cuh); unless it is A, and tiles have rows of one of its CLASSES. */
#ifndef GEMMJUDGE_HOPPER_TMA_CUH
#define GEMMJUDGE_HOPPER_TMA_CUH

#include "consume.cuh"
#include "deferred.cuh"
#include "loader.cuh"
#include "repack.cuh"

/* What the first round of loads need not wait for the other blocks with: those into this block
 * alone, of operands that nobody copies. */
template <class config> struct early_loads {
	static constexpr bool ANY = !config::ODD || config::CLASSES;
	static constexpr bool A = ANY && config::ACROSS == 1, B = !config::ODD && config::UP == 1;
};

/* Those that the first loads need, unless the first tile says which. */
template <class config>
__device__ __forceinline__ void prefetch_maps(const a_maps<config> &maps_a,
											  const b_maps<config> &maps_b)
{
	if (!config::CLASSES)
		tma_prefetch_map(maps_a.of);
	tma_prefetch_map(maps_b.of);
}

/* Asks for them, and says for how many stages; `load` is at the first tile. */
template <class config>
__device__ __forceinline__ int produce_early(const gemm_work &work, const loader<config> &load)
{
	int begin, end;
	block_steps<config>(work, begin, end);
	int early = min(config::STAGES, end - begin);
	for (int stage = 0; stage < early; stage++)
		if (elected()) {
			load.announce(stage);
			if (early_loads<config>::A)
				load.load_a(stage, begin + stage);
			if (early_loads<config>::B)
				load.load_b(stage, begin + stage);
		}
	return early;
}

/* All tiles; `early` of the first one's steps are done as produce_early() does them. */
template <class config>
__device__ __forceinline__ void produce(const gemm_work &work, loader<config> load, int early,
										uint32_t empty, int first, int stride)
{
	int begin, end;
	block_steps<config>(work, begin, end);

	ring at = {0, 1}; // the first round finds every stage empty
	for (int tile = first; tile < work.tiles; tile += stride) {
		load.begin(work, tile);
#pragma unroll 1
		for (int k = begin; k < end; k++, early--) {
			bool begun = early_loads<config>::ANY && early > 0;
			if (!begun)
				mbarrier_wait(empty + 8 * at.stage, at.phase);
			if (elected()) {
				if (!begun)
					load.announce(at.stage);
				if (!early_loads<config>::A || !begun)
					load.load_a(at.stage, k);
				if (!early_loads<config>::B || !begun)
					load.load_b(at.stage, k);
			}
			at.next<config>();
		}
	}
	/* A block must not end while another may still send to it or arrive at its
	 * barriers: wait until every stage has been handed back. */
	if (config::SHARERS > 1)
		for (int i = 0; i < config::STAGES; i++) {
			mbarrier_wait(empty + 8 * at.stage, at.phase);
			at.next<config>();
		}
}

/* Registers of a thread, of 512 for a thread of each of three warpgroups together. One
 * consumer alone has enough. */
constexpr int PRODUCER_REGISTERS = 24, CONSUMER_REGISTERS = 240;

template <class Element, class config>
__global__ void __launch_bounds__(config::THREADS, 1)
	gemm_tma(const __grid_constant__ a_maps<config> maps_a,
			 const __grid_constant__ b_maps<config> maps_b,
			 const __grid_constant__ c_maps<config> maps_c, const gemm_work work,
			 const packing_work packing, const epilogue<Element> out)
{
	constexpr int CONSUMERS = config::CONSUMERS;
	extern __shared__ char shared_raw[];
	uint32_t base = __shfl_sync(0xFFFFFFFF, (shared_address(shared_raw) + 1023) & ~1023u, 0);
	char *shared = shared_raw + (base - shared_address(shared_raw));
	uint32_t full = base + config::barrier_offset, empty = full + 8 * config::STAGES;

	int warpgroup = __shfl_sync(0xFFFFFFFF, threadIdx.x / WARPGROUP, 0);
	bool producer = __shfl_sync(0xFFFFFFFF, threadIdx.x / 32, 0) == CONSUMERS * 4; // this warp
	loader<config> load = {&maps_a, maps_b.of, base, full};
	int early = 0;
	if (producer) { // what takes longest comes first
		if (elected())
			prefetch_maps(maps_a, maps_b);
		load.begin(work, doer_number<config>());
		if (elected()) {
			if (config::CLASSES)
				tma_prefetch_map(load.map_a);
			barriers_init<config, 0, config::STAGES>(full, 1, 0); // what the first loads need
		}
	} else if (threadIdx.x == 0) {
		barriers_init<config, config::STAGES, config::barriers>(full, 0,
																CONSUMERS * config::FILLERS);
	}
	if (config::ODD && early_loads<config>::ANY && producer)
		early = produce_early(work, load);
	if (config::ODD)
		repack<CONSUMERS == 1 ? 4 : 3>(packing); // as registers allow
	constexpr bool CLUSTER = config::SHARERS > 1 || config::SPLIT;
	if (CLUSTER)
		cluster_arrive();
	if (!config::ODD && producer)
		early = produce_early(work, load);
	if (CLUSTER)
		cluster_wait();
	else if (!config::ODD) // they have met
		__syncthreads();

	/* a cluster does a tile at a time */
	int first = doer_number<config>(), stride = doers<config>();
	if (warpgroup == CONSUMERS) {
		if (CONSUMERS > 1)
			registers_give<PRODUCER_REGISTERS>();
		if (config::ODD && producer)
			repack_wait(packing);
		if (producer)
			produce(work, load, early, empty, first, stride);
	} else {
		if (CONSUMERS > 1)
			registers_take<CONSUMER_REGISTERS>();
		if constexpr (config::DEFERRED)
			consume_deferred<Element, config>(work, out, maps_c.of, shared, base, full, empty,
											  warpgroup, first, stride);
		else
			consume<Element, config>(work, out, maps_c.of, shared, base, full, empty, warpgroup,
									 first, stride);
	}
	if (config::SPLIT) { // before a block ends whose sums are read
		__syncwarp();
		cluster_meet();
	}
}

#endif
