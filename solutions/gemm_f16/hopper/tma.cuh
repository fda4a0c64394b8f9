/* The tile kernel whose operands TMA can address: warp-specialised, persistent,
 * multiplied by wgmma.
 *
 * A block has one producer warpgroup and one or two consumer warpgroups. One
 * thread of the producer walks over the block's tiles and, for each, along K in
 * steps of 64, filling a ring of STAGES stages of shared memory by TMA; `full`
 * counts the bytes that were delivered.
 *
 * Blocks of a cluster work together in one of two ways:
 *  - SHARERS: two or four blocks, one above the other in C, need the same columns
 *    of B. Each loads its part of them for all. This divides the traffic for B from
 *    the L2 cache by their number.
 *  - split-K: `splits` blocks work on the same tile, each on its own part of K,
 *    and add up through distributed shared memory; each then finishes its own
 *    share of the columns. Nothing is left in global memory between calls.
 *
 * An operand whose rows TMA cannot address is first copied into padded rows by all
 * blocks together (repack.cuh), or by the producer's other warps meanwhile (SLABS). */
#ifndef GEMMJUDGE_HOPPER_TMA_CUH
#define GEMMJUDGE_HOPPER_TMA_CUH

#include "consume.cuh"
#include "slabs.cuh"

/* Fills stages with a tile's operands. */
template <class config> struct loader {
	const CUtensorMap *map_a, *map_b;
	uint32_t base, full;
	tile_origin at;

	/* Announces all of a stage's bytes, and asks for those of A. */
	__device__ __forceinline__ void load_a(int stage, int k) const
	{
		mbarrier_expect(full + 8 * stage, config::stage_bytes);
		tma_load(base + stage * config::stage_bytes, map_a, full + 8 * stage, k * BK, at.row);
	}

	/* Asks for this block's part of B, for all that share it. */
	__device__ __forceinline__ void load_b(int stage, int k) const
	{
		constexpr int SHARERS = config::SHARERS;
		uint32_t b = base + stage * config::stage_bytes + config::a_bytes;
#pragma unroll
		for (int box = 0; box < config::BN / BOX; box++) {
			uint32_t to = b + box * BOX * BK * 2;
			int x = at.column + box * BOX;
			if (SHARERS == 1)
				tma_load(to, map_b, full + 8 * stage, x, k * BK);
			else if (box % SHARERS == (int)cluster_block())
				tma_load_multicast(to, map_b, full + 8 * stage, x, k * BK, (1 << SHARERS) - 1);
		}
	}
};

/* The first round's loads that need not wait until the blocks have met: those into
 * this block alone. Says how many stages they are. */
template <class config>
__device__ __forceinline__ int produce_early(const gemm_work &work, loader<config> load, int first)
{
	int begin, end;
	block_steps<config>(work, begin, end);
	load.at = block_tile<config>(work, first);
	int early = min(config::STAGES, end - begin);
	for (int stage = 0; stage < early; stage++) {
		load.load_a(stage, begin + stage);
		if (config::SHARERS == 1)
			load.load_b(stage, begin + stage);
	}
	return early;
}

/* All tiles; EARLY: `early` of the first one's steps are done as produce_early() does
 * them. */
template <bool EARLY, class config>
__device__ __forceinline__ void produce(const gemm_work &work, loader<config> load, int early,
										unsigned *counters, uint32_t empty, int first, int stride)
{
	int slabs = config::SLABS && counters != NULL ? slab_count(work.K) : 0, copied = 0;
	constexpr int SHARERS = config::SHARERS;
	int begin, end;
	block_steps<config>(work, begin, end);

	int stage = 0;
	uint32_t phase = 1; // the first round finds every stage empty
	for (int tile = first; tile < work.tiles; tile += stride) {
		load.at = block_tile<config>(work, tile);
		for (int k = begin; k < end; k++, early--) {
			while (config::SLABS && copied < slabs && copied <= k * BK / SLAB)
				slab_wait(counters, copied++);
			bool begun = EARLY && early > 0;
			if (!begun) {
				mbarrier_wait(empty + 8 * stage, phase);
				load.load_a(stage, k);
			}
			if (SHARERS > 1 || !begun)
				load.load_b(stage, k);
			if (++stage == config::STAGES) {
				stage = 0;
				phase ^= 1;
			}
		}
	}
	while (config::SLABS && copied < slabs)
		slab_wait(counters, copied++);
	if (config::SLABS && slabs > 0)
		slabs_leave(counters, slabs);
	/* A block must not end while another may still send to it or arrive at its
	 * barriers: wait until every stage has been handed back. */
	if (SHARERS > 1)
		for (int i = 0; i < config::STAGES; i++) {
			mbarrier_wait(empty + 8 * stage, phase);
			if (++stage == config::STAGES) {
				stage = 0;
				phase ^= 1;
			}
		}
}

/* PACKS: some operand is odd. Two kernels rather than a branch, because those without
 * have less code to fetch before they start. */
template <class Element, class config, bool PACKS>
__global__ void __launch_bounds__(WARPGROUP *(config::CONSUMERS + 1), 1)
	gemm_tma(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
			 const __grid_constant__ CUtensorMap map_c, const gemm_work work,
			 const packing_work packing, const epilogue<Element> out)
{
	extern __shared__ char shared_raw[];
	uint32_t base = (shared_address(shared_raw) + 1023) & ~1023u;
	char *shared = shared_raw + (base - shared_address(shared_raw));
	uint32_t full = base + config::barrier_offset, empty = full + 8 * config::STAGES;

	int warpgroup = __shfl_sync(0xFFFFFFFF, threadIdx.x / WARPGROUP, 0);
	loader<config> load = {&map_a, &map_b, base, full};
	bool producer = threadIdx.x == config::CONSUMERS * WARPGROUP;
	int early = 0;
	if (producer) {
		tma_prefetch_map(&map_a);
		tma_prefetch_map(&map_b);
		barriers_init<config>(full, 1, config::CONSUMERS * config::SHARERS);
	}
	constexpr int TOGETHER = config::CONSUMERS == 1 ? 4 : 3; // as registers allow
	if (PACKS && config::SLABS)
		slabs_begin<TOGETHER + 1>(packing);
	else if (PACKS)
		repack<TOGETHER>(packing);
	if (config::SHARERS > 1)
		cluster_arrive_relaxed();
	if (!PACKS && producer)
		early = produce_early(work, load, cluster_number());
	if (config::SHARERS > 1)
		cluster_wait();
	else if (!PACKS) // they have met
		__syncthreads();

	/* a cluster does a tile at a time */
	int first = cluster_number(), stride = clusters();
	if (warpgroup == config::CONSUMERS) {
		if (config::CONSUMERS == 2) // one consumer alone has registers enough
			registers_give<config::BULK_C || config::SLABS ? 56 : 40>();
		int idle = (int)threadIdx.x / 32 - config::CONSUMERS * 4 - 1; // number of an idle warp
		if (idle < 0) {
			if (PACKS && !config::SLABS)
				repack_wait(packing);
			if (threadIdx.x % 32 == 0)
				produce<!PACKS>(work, load, early, PACKS ? packing.counters : NULL, empty, first,
								stride);
		} else {
			if (config::SLABS && PACKS)
				slabs_copy(packing, slab_count(work.K),
						   base + config::ring_offset + idle * config::ring_bytes,
						   blockIdx.x * COPY_WARPS + idle, gridDim.x * COPY_WARPS);
			if (config::BULK_C && idle < config::CONSUMERS)
				move_c<Element, config>(&map_c, work, out.C, base + config::staging_offset,
										empty + 8 * config::STAGES, idle, first, stride);
		}
		if (config::SPLITS && work.splits > 1 && first < work.tiles) { // the consumers meet twice
			cluster_meet();
			cluster_meet();
		}
	} else {
		if (config::CONSUMERS == 2)
			registers_take<config::BULK_C || config::SLABS ? 224 : 232>();
		float *staging =
			(float *)(shared + config::staging_offset +
					  (config::BULK_C ? warpgroup * config::c_bytes
									  : (int)threadIdx.x / 32 * config::staging_bytes));
		consume<Element, config>(work, out, base, staging, full, empty, warpgroup, first, stride);
	}
}

#endif
