/* A consumer warpgroup: tile after tile, the mainloop, the reduction of a split tile, the epilogue
 * and the store. */
#ifndef HOPPER_CONSUMER_CUH
#define HOPPER_CONSUMER_CUH

#include "mainloop.cuh"
#include "split_k.cuh"
#include "store_rows.cuh"
#include "store_tma.cuh"

namespace hopper
{
/* The store of a warp's sums that the configuration has. */
template <class Element, class config, class Epilogue>
__device__ __forceinline__ auto store_make(const schedule &work, const Epilogue &out,
										   const CUtensorMap *maps_c, uint32_t base, uint32_t full)
{
	if constexpr (config::SWAPPED)
		return store_columns_make<config>(maps_c, base, full);
	else if constexpr (config::TMA_STORE)
		return store_rows_make<config>(work, maps_c, base, full);
	else if constexpr (config::SPLIT_K)
		return misaligned_chunks<Element, config::TILE_N, typename config::row_class>{
			misaligned_rows_make<Element, CHUNK, config>(work, out.C, base), split_rank<config>(),
			work.split};
	else
		return misaligned_rows_make<Element, config::TILE_N, config>(work, out.C, base);
}

/* Where a subtile of the consumer's part of a tile begins in C; swapped, all four warps', else this
 * warp's. */
template <class config>
__device__ __forceinline__ tile_origin part_origin(const schedule &work, tile_origin tile,
												   int consumer, int subtile)
{
	int own = consumer * config::CONSUMER_EXTENT + WGMMA_M * subtile;
	if (config::SWAPPED)
		return {tile.row, tile.column + own};
	int rows = own + (int)threadIdx.x % WARPGROUP / 32 * 16;
	return {row_class_of<config>(work).below(tile.row, rows), tile.column};
}

template <class Element, class config, class Epilogue>
__device__ __forceinline__ void consume(const schedule &work, const Epilogue &out,
										const CUtensorMap *maps_c, uint32_t base, uint32_t full,
										uint32_t empty, int consumer)
{
	int begin, end, first = cluster_id<config>();
	k_range<config>(work, begin, end);
	mainloop<Element, config> loop = {operands_make<config>(base, consumer), full, empty, {0, 0}};
	auto store = store_make<Element, config>(work, out, maps_c, base, full);
	uint32_t scratch = base + config::SCRATCH_OFFSET + threadIdx.x / 32 * SCRATCH_BYTES;
	for (int tile = first; tile < work.tiles; tile += cluster_total<config>()) {
		tile_origin origin = block_tile<config>(work, tile);
		float sum[config::SUBTILES][config::SUMS]; // nothing flows from one tile into the next
		/* What the epilogue reads: the first tile's at once; later ones' while the tensor cores are
		 * at work, and the tile before has left its staging area. */
		auto prefetch = [&] {
			if constexpr (!Epilogue::elementwise) {
#pragma unroll
				for (int i = 0; i < config::SUBTILES; i++)
					prefetch_rows<config>(out, row_class_of<config>(work),
										  part_origin<config>(work, origin, consumer, i), scratch);
			}
			if (work.reads_c)
				store.load();
		};
		store.begin(out, part_origin<config>(work, origin, consumer, 0), 0);
		if (tile == first)
			prefetch();
		int skew = row_skew<config>(work, origin.row);
		if (skew > 0 && begin == 0)
			clear_skew<config>(base + loop.at.stage * config::STAGE_BYTES, full + 8 * loop.at.stage,
							   loop.at.phase, skew);
		loop.run(sum, end - begin, [&] {
			if (tile != first)
				prefetch();
		});
		if constexpr (config::SPLIT_K)
			split_k_reduce<config>(sum[0], base, full, consumer, work.split);
#pragma unroll
		for (int i = 0; i < config::SUBTILES; i++) {
			if (i > 0) {
				store.begin(out, part_origin<config>(work, origin, consumer, i), i);
				if (work.reads_c && !decltype(store)::LOADS_ALL)
					store.load();
			}
			finish<Element>(sum[i], out, work.reads_c, store);
		}
	}
	store.wait_free(); // before the block ends
}
} // namespace hopper

#endif
