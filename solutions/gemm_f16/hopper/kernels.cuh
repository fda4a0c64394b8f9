/* The kernels that multiply tiles by wgmma, top to bottom: shared memory's barriers, the consumer's
 * loop over tiles, and the kernels themselves. gemm_tma's producer is a lane that issues TMA loads
 * (produce() in producer_tma.cuh); gemm_staged's producers stage B through registers.
 * kernel_small.cuh has the kernel without wgmma. */
#ifndef HOPPER_KERNELS_CUH
#define HOPPER_KERNELS_CUH

#include "consumer_overlapped.cuh"
#include "producer_pad.cuh"
#include "producer_staged.cuh"
#include "split_k.cuh"
#include "store_rows.cuh"

namespace hopper
{
/* Registers of a thread, of those that the launch gives to all. One consumer alone has enough. */
constexpr int PRODUCER_REGISTERS = 24;
template <int CONSUMERS>
constexpr int CONSUMER_REGISTERS =
	(65536 / ((CONSUMERS + 1) * WARPGROUP) / 8 * 8 * (CONSUMERS + 1) - PRODUCER_REGISTERS) /
	CONSUMERS / 8 * 8;

/* Barriers from number FIRST to before LAST, by one thread: the stages' `full`, for so many
 * arrivals, and `empty`; then the others, for one. No loop: with addresses that differ between
 * threads the compiler makes one over lanes of ten instructions each. */
template <class config, int FIRST, int LAST>
__device__ __forceinline__ void barriers_init(uint32_t full, int full_arrivals, int empty_arrivals)
{
#pragma unroll
	for (int i = FIRST; i < LAST; i++) {
		int arrivals = i < config::STAGES       ? full_arrivals
					   : i < config::C_BARRIERS ? empty_arrivals
					   : i == config::B_EMPTY   ? config::CONSUMERS
												: 1;
		mbarrier_init(full + 8 * i, arrivals);
	}
	mbarriers_ready();
}

/* A consumer warpgroup: tile after tile, the mainloop, the reduction of a split tile, the epilogue
 * and the store. */
template <class Element, class config, class Epilogue>
__device__ __forceinline__ void consume(const schedule<config> &work, const Epilogue &out,
										const CUtensorMap *maps_c,
										const shared_layout<config> &shared, int consumer)
{
	using store_by_tma = std::conditional_t<config::SWAPPED, tma_store_columns<Element, config>,
											tma_store_rows<Element, config>>;
	int first = work.first_tile();
	k_range own = work.own_k();
	mainloop<Element, config> loop(shared, consumer);
	auto store = [&] {
		if constexpr (config::TMA_STORE)
			return store_by_tma(work, maps_c, shared);
		else if constexpr (sizeof(Element) == 1)
			return typename config::direct();
		else
			return misaligned_rows<Element, config>(work, out.C, shared);
	}();
	if (config::LAG > 0 && consumer > 0)
		mbarrier_wait(shared.full + 8 * min(config::LAG, own.end - 1), 0);
	int end = work.tiles_end(), step = work.tile_step();
	if constexpr (config::PING_PONG)
		loop.at.skip(consumer * own.end);
	for (int tile = first; tile < end; tile += step) {
		tile_origin origin = work.origin(tile);
		typename decltype(loop)::sums sum; // nothing flows from one tile into the next
		/* What the epilogue reads: the first tile's at once; later ones' while the tensor cores are
		 * at work, and the tile before has left its staging area; or before the consumer's turn. */
		auto prefetch = [&] {
			if constexpr (!Epilogue::elementwise) {
#pragma unroll
				for (int i = 0; i < config::SUBTILES; i++)
					prefetch_rows(work, out, work.part(origin, consumer, i), shared);
			}
			if (work.reads_c)
				store.load();
		};
		store.begin(out, work.part(origin, consumer, 0), 0);
		if (tile == first || config::PING_PONG)
			prefetch();
		loop.turns.take(origin.column);
		int skew = work.row_skew(origin.row);
		if (skew > 0 && own.begin == 0)
			loop.clear_skew(shared.base, skew);
		if constexpr (decltype(loop)::instruction::PROMOTED)
			loop.run_promoted(sum, own.end - own.begin);
		else
			loop.run(sum, own.end - own.begin, [&] {
				if (tile != first && !config::PING_PONG)
					prefetch();
			});
		if constexpr (config::PING_PONG)
			if (tile + 1 < end && work.origin(tile + 1).column != origin.column)
				loop.turns.leave_b();
		if constexpr (config::BY_MEMORY)
			reduce_by_memory(work, tile, sum[0]);
		else if constexpr (config::SPLIT_K)
			reduce_by_cluster(work, shared, sum[0], consumer);
#pragma unroll
		for (int i = 0; i < config::SUBTILES; i++) {
			if (i > 0) {
				store.begin(out, work.part(origin, consumer, i), i);
				if (work.reads_c && !decltype(store)::LOADS_ALL)
					store.load();
			}
			store.finish(sum[i], out, work.reads_c);
		}
	}
	store.wait_free(); // before the block ends
}

template <class Element, class config, class Epilogue>
__global__ void __launch_bounds__(config::THREADS, 1)
	gemm_tma(const __grid_constant__ a_maps<config> maps_a,
			 const __grid_constant__ b_maps<config> maps_b,
			 const __grid_constant__ c_maps<config> maps_c, const schedule<config> work,
			 const pad_work padding, const Epilogue out)
{
	constexpr int CONSUMERS = config::CONSUMERS;
	shared_layout<config> shared;
	int warpgroup = __shfl_sync(0xFFFFFFFF, threadIdx.x / WARPGROUP, 0);
	bool producer = __shfl_sync(0xFFFFFFFF, threadIdx.x / 32, 0) == CONSUMERS * 4; // this warp
	bool pads = config::PADS && (!config::K_MAJOR_B || padding.counter != NULL);

	/* 1. The producer warp prepares its first loads, which take longest: it initialises the `full`
	 * barriers that they complete on. A consumer's thread initialises all others. */
	tma_loader<config> load = {&maps_a, maps_b.of, shared.base, shared.full};
	uint32_t target = 0;
	if (producer) {
		if (pads)
			target = arrivals_target(padding.counter);
		if (elected()) {
			if (!config::CLASSES)
				tma_prefetch_map(maps_a.of);
			tma_prefetch_map(maps_b.of);
		}
		load.begin(work, work.first_tile());
		if (elected()) {
			if (config::CLASSES)
				tma_prefetch_map(load.map_a);
			barriers_init<config, 0, config::STAGES>(shared.full, 1, 0);
			if constexpr (config::PING_PONG)
				barriers_init<config, config::B_BARRIERS, config::BARRIERS>(shared.full, 1, 0);
		}
	} else if (threadIdx.x == 0) {
		constexpr int END = config::PING_PONG ? config::B_BARRIERS : config::BARRIERS;
		barriers_init<config, config::STAGES, END>(shared.full, 0,
												   CONSUMERS / config::TURNS * config::LOADERS);
	}

	/* 2. The first loads begin, and all threads take part in the pad copy. Then the blocks of the
	 * cluster may use each other's barriers. */
	int early = 0;
	if (config::PADS && early_loads<config>::ANY && producer)
		early = produce_early(work, load);
	if (pads)
		pad_copy<CONSUMERS == 1 ? 4 : 3>(padding); // as registers allow
	if (config::CLUSTER)
		cluster_arrive();
	if (!config::PADS && producer)
		early = produce_early(work, load);
	if (config::CLUSTER)
		cluster_wait();
	else if (!pads) // pad_copy() has synchronised
		__syncthreads();

	/* 3. Producer and consumers, each with its loop over tiles. */
	if (warpgroup == CONSUMERS) {
		if (CONSUMERS > 1)
			registers_give<PRODUCER_REGISTERS>();
		if (pads && producer)
			pad_wait(padding, target);
		if (producer)
			produce(work, load, early, shared.empty);
	} else {
		if (CONSUMERS > 1)
			registers_take<CONSUMER_REGISTERS<CONSUMERS>>();
		if constexpr (config::OVERLAP)
			consume_overlapped<Element>(work, out, maps_c.of, shared, warpgroup);
		else
			consume<Element>(work, out, maps_c.of, shared, warpgroup);
	}
	if (config::BY_CLUSTER) { // before a block ends whose sums are read
		__syncwarp();
		cluster_sync();
	}
}

/* A block has one tile, or its part of one along K. */
template <class Element, class config, class Epilogue>
__global__ void __launch_bounds__(config::THREADS, 1)
	gemm_staged(const __grid_constant__ a_maps<config> maps_a, const matrix_view B,
				const schedule<config> work, const Epilogue out)
{
	shared_layout<config> shared;
	int warpgroup = __shfl_sync(0xFFFFFFFF, threadIdx.x / WARPGROUP, 0);
	auto sync = [] { // the block, or the cluster that shares a tile, knows its barriers
		if (config::SPLIT_K)
			cluster_sync();
		else
			named_barrier(0, config::THREADS);
	};
	if (warpgroup >= config::CONSUMERS) {
		bool first = __shfl_sync(0xFFFFFFFF, threadIdx.x % WARPGROUP / 32, 0) == 0; // warp
		tma_loader<config> load = {&maps_a, NULL, shared.base, shared.full};
		produce_staged(work, load, B, shared.empty, warpgroup - config::CONSUMERS, first, sync);
	} else {
		if (threadIdx.x == 0) // a stage has four warps' B and A's bytes
			barriers_init<config, 0, config::BARRIERS>(shared.full, WARPGROUP / 32 + 1,
													   config::CONSUMERS);
		sync();
		consume<Element>(work, out, NULL, shared, warpgroup);
	}
	if (config::SPLIT_K) // before a block ends whose sums are read
		cluster_sync();
}
} // namespace hopper

#endif
