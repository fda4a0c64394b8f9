/* Operands into stages by TMA: the tensor maps that a kernel has, and what one lane asks for. */
#ifndef GEMMJUDGE_HOPPER_LOADER_CUH
#define GEMMJUDGE_HOPPER_LOADER_CUH

#include "tile.cuh"

/* A map for each class of rows. */
template <class config> struct c_maps {
	CUtensorMap of[config::MOST_CLASSES];
};

/* Where a step has several slabs, then one for each class that has whole slabs along K as its third
 * dimension. */
template <class config> struct a_maps {
	CUtensorMap of[config::MOST_CLASSES * (config::SLABS > 1 ? 2 : 1)];
};

/* Then one whose third dimension is whole boxes of columns. */
template <class config> struct b_maps {
	CUtensorMap of[config::WHOLE_B ? 2 : 1];
};

/* Fills stages with a tile's operands. */
template <class config> struct loader {
	const a_maps<config> *maps_a;
	const CUtensorMap *map_b;
	uint32_t base, full;
	/* of the tile that begin() named */
	const CUtensorMap *map_a;
	int row, column; // in the maps
	int early;       // elements before A's rows that the first step begins
	int whole;       // steps whose slabs of A are
	bool whole_b;    // all boxes of B are

	__device__ __forceinline__ void begin(const gemm_work &work, int tile)
	{
		auto classes = classes_of<config>(work);
		tile_origin at = block_tile<config>(work, tile);
		map_a = &maps_a->of[classes.residue(at.row)];
		row = classes.number(at.row);
		column = at.column;
		early = early_elements<config>(work, at.row);
		whole = (work.K + early) / BK / config::SLABS;
		whole_b = config::WHOLE_B && column + config::B_BOXES * BOX <= work.N;
	}

	/* Announces all of a stage's bytes, whoever asks for them. */
	__device__ __forceinline__ void announce(int stage) const
	{
		mbarrier_expect(full + 8 * stage, config::stage_bytes);
	}

	/* Asks for A's rows of a step, or, where blocks side by side share them, in every ACROSS-th
	 * step for all of these: a box costs TMA the same time, however small it is. */
	__device__ __forceinline__ void load_a(int stage, int k) const
	{
		constexpr uint16_t FIRST = ((1 << config::SHARERS) - 1) / ((1 << config::UP) - 1);
		cluster_place here = cluster_here<config>();
		uint32_t to = base + stage * config::stage_bytes;
		uint32_t blocks = config::ACROSS > 1 ? FIRST << here.up : 0;
		if (k % config::ACROSS != here.across)
			return;
		if (config::SLABS > 1 && k < whole) {
			load_3d(to, map_a + config::MOST_CLASSES, stage, 0, row, k * config::SLABS, blocks);
			return;
		}
#pragma unroll
		for (int slab = 0; slab < config::SLABS; slab++)
			load(to + slab * config::BM * BK * 2, map_a, stage, k * config::DEPTH + slab * BK, row,
				 blocks);
	}

	/* The same of B, whose columns blocks above each other share. */
	__device__ __forceinline__ void load_b(int stage, int k) const
	{
		constexpr uint16_t ALL = (1 << config::UP) - 1;
		cluster_place here = cluster_here<config>();
		uint32_t to = base + stage * config::stage_bytes + config::a_bytes;
		if (k % config::UP != here.up)
			return;
		if (whole_b) {
			load_3d(to, map_b + 1, stage, 0, k * config::DEPTH - early, column / BOX, 0);
			return;
		}
#pragma unroll
		for (int box = 0; box < config::B_BOXES; box++)
			load(to + box * config::b_box_bytes, map_b, stage, column + box * BOX,
				 k * config::DEPTH - early, config::UP > 1 ? ALL << config::UP * here.across : 0);
	}

	/* For the blocks of a mask, or if there are none, for this one. */
	__device__ __forceinline__ void load(uint32_t to, const CUtensorMap *map, int stage, int x,
										 int y, uint32_t blocks) const
	{
		if (blocks)
			tma_load_multicast(to, map, full + 8 * stage, x, y, (uint16_t)blocks);
		else
			tma_load(to, map, full + 8 * stage, x, y);
	}

	__device__ __forceinline__ void load_3d(uint32_t to, const CUtensorMap *map, int stage, int x,
											int y, int z, uint32_t blocks) const
	{
		if (blocks)
			tma_load_3d_multicast(to, map, full + 8 * stage, x, y, z, (uint16_t)blocks);
		else
			tma_load_3d(to, map, full + 8 * stage, x, y, z);
	}
};

#endif
