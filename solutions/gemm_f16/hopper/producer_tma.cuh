/* The TMA producer: one lane of a warp fills the ring of stages, tile after tile. Blocks that share
 * operands take turns, k-iteration by k-iteration, to load a whole box for all of them, because a
 * box costs TMA the same time however small it is. */
#ifndef HOPPER_PRODUCER_TMA_CUH
#define HOPPER_PRODUCER_TMA_CUH

#include "scheduler.cuh"

namespace hopper
{
/* Tensor maps: one for each residue class of rows. Where a k-block has several slices, a K-major
 * operand has as many more behind them, whose third dimension is the whole slices along K. */
template <class config> struct a_maps {
	CUtensorMap of[config::MAX_CLASSES * (config::SLICES > 1 ? 2 : 1)];
};
template <class config> struct b_maps {
	CUtensorMap of[config::K_MAJOR_B && config::SLICES > 1 ? 2 : 1];
};
template <class config> struct c_maps {
	CUtensorMap of[config::MAX_CLASSES];
};

/* Loads a tile's operands into stages. */
template <class config> struct tma_loader {
	const a_maps<config> *maps_a;
	const CUtensorMap *map_b;
	uint32_t base, full;
	/* of the tile that begin() named */
	const CUtensorMap *map_a;
	int row, column; // in the maps
	int skew;        // row_skew() of A's rows
	int whole;       // k-iterations whose slices are whole

	__device__ __forceinline__ void begin(const schedule<config> &work, int tile)
	{
		tile_origin at = work.origin(tile);
		map_a = &maps_a->of[work.row_class.residue(at.row)];
		row = work.row_class.index(at.row);
		column = at.column;
		skew = work.row_skew(at.row);
		whole = (work.K + skew) / SLICE / config::SLICES;
	}

	/* Announces all of a stage's bytes, whichever block loads them. Those of a B that stays come
	 * to barriers of their own. */
	__device__ __forceinline__ void announce(int stage) const
	{
		mbarrier_expect(full + 8 * stage, config::STAGE_BYTES);
	}

	/* Loads A's part of k-iteration `k` for the blocks side by side, if it is this one's turn.
	 * Multicast names blocks by bits: block (m, n) is number m + CLUSTER_M * n. */
	__device__ __forceinline__ void load_a(int stage, int k) const
	{
		constexpr uint32_t SIDE_BY_SIDE =
			((1u << config::SHARERS) - 1) / ((1u << config::CLUSTER_M) - 1); // those with m = 0
		cluster_coordinate here = schedule<config>::coordinate();
		uint32_t to = base + stage * config::STAGE_BYTES;
		uint32_t blocks = config::CLUSTER_N > 1 ? SIDE_BY_SIDE << here.m : 0;
		if (k % config::CLUSTER_N != here.n)
			return;
		load_slices<config::A_ROWS, config::MAX_CLASSES>(to, map_a, stage, k, row, blocks);
	}

	/* Loads B's slice, for the blocks above each other. */
	__device__ __forceinline__ void load_b(int stage, int k) const
	{
		constexpr uint32_t ABOVE_EACH_OTHER = (1u << config::CLUSTER_M) - 1; // those with n = 0
		cluster_coordinate here = schedule<config>::coordinate();
		uint32_t to = base +
					  (config::PING_PONG ? k * config::B_BYTES : stage * config::STAGE_BYTES) +
					  config::B_OFFSET;
		if (k % config::CLUSTER_M != here.m)
			return;
		if (config::PING_PONG) {
			stage = config::B_BARRIERS + k; // the number of its barrier
			mbarrier_expect(full + 8 * stage, config::B_BYTES);
		}
		uint32_t blocks =
			config::CLUSTER_M > 1 ? ABOVE_EACH_OTHER << config::CLUSTER_M * here.n : 0;
		if constexpr (config::K_MAJOR_B)
			load_slices<config::TILE_N, 1>(to, map_b, stage, k, column, blocks);
		else
#pragma unroll
			for (int box = 0; box < config::B_BOXES; box++)
				load(to + box * config::B_BOX_BYTES, map_b, stage, column + box * BOX,
					 k * config::TILE_K - skew, blocks);
	}

	/* ROWS rows of a K-major operand: its slices one by one, or if they are whole all at once, by
	 * the map CLASSES further on. */
	template <int ROWS, int CLASSES>
	__device__ __forceinline__ void load_slices(uint32_t to, const CUtensorMap *map, int stage,
												int k, int row, uint32_t blocks) const
	{
		if (config::SLICES > 1 && k < whole) {
			const CUtensorMap *all = map + CLASSES;
			int slice = k * config::SLICES;
			if (blocks)
				tma_load_3d_multicast(to, all, full + 8 * stage, 0, row, slice, (uint16_t)blocks);
			else
				tma_load_3d(to, all, full + 8 * stage, 0, row, slice);
			return;
		}
#pragma unroll
		for (int slice = 0; slice < config::SLICES; slice++)
			load(to + slice * ROWS * SLICE * 2, map, stage, k * config::TILE_K + slice * SLICE, row,
				 blocks);
	}

	/* A box for some blocks of the cluster, or if `blocks` is 0 for this one. */
	__device__ __forceinline__ void load(uint32_t to, const CUtensorMap *map, int stage, int x,
										 int y, uint32_t blocks) const
	{
		if (blocks)
			tma_load_multicast(to, map, full + 8 * stage, x, y, (uint16_t)blocks);
		else
			tma_load(to, map, full + 8 * stage, x, y);
	}
};

/* Loads that may begin before the cluster's blocks know each other's barriers, and before the pad
 * copy is done: those into this block only, of operands that are not copied. */
template <class config> struct early_loads {
	static constexpr bool ANY = config::VARIANT != PAD_COPY;
	static constexpr bool A = ANY && config::CLUSTER_N == 1;
	static constexpr bool B = !config::PADS && config::CLUSTER_M == 1;
};

/* Begins them for the first tile, which `load` is at. Returns how many stages have been announced:
 * all, or as many as the tile has k-iterations. */
template <class config>
__device__ __forceinline__ int produce_early(const schedule<config> &work,
											 const tma_loader<config> &load)
{
	if (config::PADS && work.first_tile() >= work.tiles) // this block is here only to copy
		return 0;
	k_range own = work.own_k();
	int early = min(config::STAGES, own.end - own.begin);
	for (int stage = 0; stage < early; stage++)
		if (elected()) {
			load.announce(stage);
			if (early_loads<config>::A)
				load.load_a(stage, own.begin + stage);
			if (early_loads<config>::B)
				load.load_b(stage, own.begin + stage);
		}
	return early;
}

/* All tiles: for each k-iteration, waits until its stage is empty and loads A and B. The first
 * `early` stages have been announced, and what early_loads names is on its way there. Where
 * consumers take turns, each one's rows of A come in its turn, and B only for a tile of other
 * columns than the one before, when all consumers have read that one's. */
template <class config>
__device__ __forceinline__ void produce(const schedule<config> &work, tma_loader<config> load,
										int early, uint32_t empty)
{
	k_range own = work.own_k();
	ring<config> at = {0, 1}; // the first round finds every stage empty
	int column = -1;          // of the B that stays
	uint32_t b_phase = 0;
	for (int tile = work.first_tile(); tile < work.tiles_end(); tile += work.tile_step()) {
		load.begin(work, tile);
		bool loads_b = !config::PING_PONG || load.column != column;
		if constexpr (config::PING_PONG) {
			if (loads_b && column >= 0) {
				mbarrier_wait(load.full + 8 * config::B_EMPTY, b_phase);
				b_phase ^= 1;
			}
			column = load.column;
		}
#pragma unroll 1
		for (int turn = 0; turn < config::TURNS; turn++) {
#pragma unroll 1
			for (int k = own.begin; k < own.end; k++, early--) {
				bool begun = early_loads<config>::ANY && early > 0;
				if (!begun)
					mbarrier_wait(empty + 8 * at.stage, at.phase);
				if (elected()) {
					if (!begun)
						load.announce(at.stage);
					if (!early_loads<config>::A || !begun)
						load.load_a(at.stage, k);
					if (loads_b && (!early_loads<config>::B || !begun))
						load.load_b(at.stage, k);
				}
				at.next();
			}
			if (config::PING_PONG) {
				load.row += config::A_ROWS;
				loads_b = false;
			}
		}
	}
	/* No block may end while another can still send to it or arrive at its barriers. */
	if (config::SHARERS > 1)
		for (int i = 0; i < config::STAGES; i++, at.next())
			mbarrier_wait(empty + 8 * at.stage, at.phase);
}
} // namespace hopper

#endif
