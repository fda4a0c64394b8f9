/* The tile kernel for an odd B beside an A that TMA can address, as it is or by classes of its
 * rows: a lane asks for A as in tma.cuh, and producer warpgroups shift B on its way in as in
 * shifted.cuh. Nothing is copied before, and nobody waits for other blocks. The way through the
 * first-level cache, which bounds shifted.cuh, is left to B: the higher a tile, the less that is of
 * its work. */
#ifndef GEMMJUDGE_HOPPER_MIXED_CUH
#define GEMMJUDGE_HOPPER_MIXED_CUH

#include "loader.cuh"
#include "shifted.cuh"

/* Producer number `producer` fills every PRODUCERS-th stage. */
template <class config, int PRODUCERS>
__device__ __forceinline__ void produce_mixed(loader<config> load, const odd_matrix &B,
											  const gemm_work &work, uint32_t empty, int producer,
											  bool loads_a)
{
	using part = group<config::BN>;
	int begin, end;
	block_steps<config>(work, begin, end);
	load.begin(work, doer_number<config>());
	if (loads_a && elected())
		tma_prefetch_map(load.map_a);
	word_stream b = stream_make<part>(B, -load.early, load.column);
	bool whole_n = load.column + config::BN + 8 <= B.columns;

	bool met = false;
	for (int k = begin + producer, turn = producer; k < end; k += PRODUCERS, turn += PRODUCERS) {
		int stage = turn % config::STAGES, row = k * BK - load.early;
		const char *word = b.word + (size_t)k * part::UNITS * b.step;
		part rows;
		if (whole_n && row >= 0 && row + BK <= B.rows)
			group_load_inside(rows, b, word);
		else
			group_load_edge(rows, b, word, row + part::row(), B.rows,
							B.columns - load.column - part::column());
		if (!met)
			shifted_meet<config, PRODUCERS>();
		met = true;
		mbarrier_wait(empty + 8 * stage, turn / config::STAGES % 2 ^ 1); // at first all are
		if (loads_a && elected()) {
			mbarrier_expect(load.full + 8 * stage, config::a_bytes);
			load.load_a(stage, k);
		}
		__syncwarp();
		group_store(rows, b, load.base + stage * config::stage_bytes + config::a_bytes);
		fence_async_shared(); // wgmma reads it
		__syncwarp();
		if (threadIdx.x % 32 == 0)
			mbarrier_arrive(load.full + 8 * stage);
	}
	if (!met)
		shifted_meet<config, PRODUCERS>();
}

template <class Element, class config, int PRODUCERS, int BLOCKS>
__global__ void __launch_bounds__(WARPGROUP *(config::CONSUMERS + PRODUCERS), BLOCKS)
	gemm_mixed(const __grid_constant__ a_maps<config> maps_a, const odd_matrix B,
			   const gemm_work work, const epilogue<Element> out)
{
	/* a stage has four warps' B and A's bytes */
	shifted_block<Element, config, PRODUCERS>(
		work, out, WARPGROUP / 32 + 1,
		[&](uint32_t base, uint32_t full, uint32_t empty, int producer) {
			bool first = __shfl_sync(0xFFFFFFFF, threadIdx.x % WARPGROUP / 32, 0) == 0; // warp
			loader<config> load = {&maps_a, NULL, base, full};
			produce_mixed<config, PRODUCERS>(load, B, work, empty, producer, first);
		});
}

#endif
