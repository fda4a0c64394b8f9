/* A consumer warpgroup whose tile's epilogue runs beside the next tile's products. The sums of two
 * tiles are in registers, so a tile has 192 columns at most, and C is not read. A chain that
 * accesses more than C has whole boxes, as what lies outside may not go through it. */
#ifndef HOPPER_CONSUMER_OVERLAPPED_CUH
#define HOPPER_CONSUMER_OVERLAPPED_CUH

#include "mainloop.cuh"
#include "store_tma.cuh"

namespace hopper
{
/* COLUMNS of a warp's sums, from column `first` of the tile on, into their box, and the box on its
 * way with its last ones. Where their arithmetic stands is left to ptxas, which puts it between the
 * instructions of wgmma: behind all of a stage's, or some behind each, it took longer (LOG.md). */
template <int COLUMNS, class Element, class config, class Epilogue>
__device__ __forceinline__ void
finish_columns(const float *sum, const Epilogue &out, const tma_store_rows<Element, config> &store,
			   const uint32_t (&lane_at)[config::C_BOX / 16], int first)
{
	int lane = threadIdx.x % 32, box = first / config::C_BOX, within = first % config::C_BOX;
	if (!Epilogue::elementwise && box >= store.boxes)
		return;
	uint32_t at[COLUMNS / 16];
#pragma unroll
	for (int j = 0; j < COLUMNS / 16; j++)
		at[j] = lane_at[within / 16 + j];
	finish_box<Element, false, false>(sum + first / 2, out, at, store.box_address(box),
									  store.row + lane / 4, 8, store.column + first + lane % 4 * 2);
	if (within + COLUMNS == config::C_BOX && box < store.boxes)
		store.store(box);
}

/* A tile's mainloop, while the sums `before` leave in its first k-iterations, COLUMNS in each. */
template <int COLUMNS, class Element, class config, class Epilogue, class Prefetch>
__device__ __forceinline__ void
run_beside(mainloop<Element, config> &loop, float (&sum)[1][config::SUMS],
		   const float (&before)[config::SUMS], int iterations, const Epilogue &out,
		   const tma_store_rows<Element, config> &store, Prefetch prefetch)
{
	constexpr int BESIDE = config::TILE_N / COLUMNS;
	uint32_t lane_at[config::C_BOX / 16];
	loop.begin();
	store.lane_addresses(lane_at);
#pragma unroll
	for (int k = 0; k < BESIDE; k++)
		loop.iterate(
			sum, k > 0,
			[&] {
				if (k == 0)
					store.wait_free();
				finish_columns<COLUMNS, Element>(before, out, store, lane_at, k * COLUMNS);
				if (k == BESIDE - 1)
					prefetch();
			},
			[] {});
#pragma unroll 1
	for (int k = BESIDE; k < iterations; k++)
		loop.iterate(
			sum, true, [] {}, [] {});
	loop.end(sum);
}

/* consume(), overlapped. What leaves has registers of its own in both halves of the loop over
 * tiles: else the compiler would wait for wgmma there (its warnings C7517 and C7518). */
template <class Element, class config, class Epilogue>
__device__ __forceinline__ void
consume_overlapped(const schedule<config> &work, const Epilogue &out, const CUtensorMap *maps_c,
				   const shared_layout<config> &shared, int consumer)
{
	int tile = work.first_tile();
	if (tile >= work.tiles)
		return;
	k_range own = work.own_k();
	mainloop<Element, config> loop(shared, consumer);
	tma_store_rows<Element, config> store(work, maps_c, shared);
	float sum[1][config::SUMS], other[1][config::SUMS];

	auto part = [&] { return work.part(work.origin(tile), consumer, 0); };
	auto prefetch = [&] { // what this tile's epilogue will read
		if constexpr (!Epilogue::elementwise)
			prefetch_rows(work, out, part(), shared);
	};
	auto multiplied = [&] { // whether there are more tiles
		store.begin(out, part(), 0);
		tile += work.cluster_total();
		return tile < work.tiles;
	};
	int iterations = own.end - own.begin;
	loop.run(sum, iterations, prefetch);
	auto others = [&](auto columns) {
		constexpr int COLUMNS = decltype(columns)::value;
		for (bool more = multiplied(); more;) {
			run_beside<COLUMNS>(loop, other, sum[0], iterations, out, store, prefetch);
			more = multiplied();
			if (more) {
				run_beside<COLUMNS>(loop, sum, other[0], iterations, out, store, prefetch);
				more = multiplied();
			} else {
#pragma unroll
				for (int i = 0; i < config::SUMS; i++)
					sum[0][i] = other[0][i];
			}
		}
	};
	if (iterations >= config::TILE_N / OVERLAP_FEW)
		others(std::integral_constant<int, OVERLAP_FEW>());
	else
		others(std::integral_constant<int, OVERLAP_MANY>());
	store.finish(sum[0], out, false);
	store.wait_free(); // before the block ends
}
} // namespace hopper

#endif
