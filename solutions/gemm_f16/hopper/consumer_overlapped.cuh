/* A consumer warpgroup whose tile's epilogue runs beside the next tile's products. The sums of two
 * tiles are in registers, so a tile has 192 columns at most, and C is not read. A chain that
 * accesses more than C has whole boxes, as what lies outside may not go through it. */
#ifndef HOPPER_CONSUMER_OVERLAPPED_CUH
#define HOPPER_CONSUMER_OVERLAPPED_CUH

#include "consumer.cuh"

namespace hopper
{
/* COLUMNS of a warp's sums, from column `first` of the tile on, into their box, and the box on its
 * way with its last ones. Where their arithmetic stands is left to ptxas, which puts it between the
 * instructions of wgmma: behind all of a stage's, or some behind each, it took longer (LOG.md). */
template <int COLUMNS, class Element, class config, class Epilogue>
__device__ __forceinline__ void
finish_columns(const float *sum, const Epilogue &out, const tma_store_rows<config> &store,
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
		   const tma_store_rows<config> &store, Prefetch prefetch)
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
__device__ __forceinline__ void consume_overlapped(const schedule &work, const Epilogue &out,
												   const CUtensorMap *maps_c, uint32_t base,
												   uint32_t full, uint32_t empty, int consumer)
{
	int begin, end, tile = cluster_id<config>();
	if (tile >= work.tiles)
		return;
	k_range<config>(work, begin, end);
	mainloop<Element, config> loop = {operands_make<config>(base, consumer), full, empty, {0, 0}};
	auto store = store_rows_make<config>(work, maps_c, base, full);
	uint32_t scratch = base + config::SCRATCH_OFFSET + threadIdx.x / 32 * SCRATCH_BYTES;
	float sum[1][config::SUMS], other[1][config::SUMS];

	auto part = [&] {
		return part_origin<config>(work, block_tile<config>(work, tile), consumer, 0);
	};
	auto prefetch = [&] { // what this tile's epilogue will read
		if constexpr (!Epilogue::elementwise)
			prefetch_rows<config>(out, row_class_of<config>(work), part(), scratch);
	};
	auto multiplied = [&] { // whether there are more tiles
		store.begin(out, part(), 0);
		tile += cluster_total<config>();
		return tile < work.tiles;
	};
	loop.run(sum, end - begin, prefetch);
	auto others = [&](auto columns) {
		constexpr int COLUMNS = decltype(columns)::value;
		for (bool more = multiplied(); more;) {
			run_beside<COLUMNS>(loop, other, sum[0], end - begin, out, store, prefetch);
			more = multiplied();
			if (more) {
				run_beside<COLUMNS>(loop, sum, other[0], end - begin, out, store, prefetch);
				more = multiplied();
			} else {
#pragma unroll
				for (int i = 0; i < config::SUMS; i++)
					sum[0][i] = other[0][i];
			}
		}
	};
	if (end - begin >= config::TILE_N / OVERLAP_FEW)
		others(std::integral_constant<int, OVERLAP_FEW>());
	else
		others(std::integral_constant<int, OVERLAP_MANY>());
	finish<Element>(sum[0], out, false, store);
	store.wait_free(); // before the block ends
}
} // namespace hopper

#endif
