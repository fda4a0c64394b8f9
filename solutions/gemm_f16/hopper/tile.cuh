/* What the kernels that multiply tiles by wgmma (tma.cuh, shifted.cuh) have in
 * common: how the work is cut, and how shared memory lies.
 *
 * Both operands have the 128-byte swizzle that wgmma reads without bank
 * conflicts: A as rows of 64 along K (K-major), B as it lies in memory, rows of
 * 64 columns along N, 64 rows a box (N-major); so B is never transposed by
 * anybody. */
#ifndef GEMMJUDGE_HOPPER_TILE_CUH
#define GEMMJUDGE_HOPPER_TILE_CUH

#include "ptx.cuh"

constexpr int BK = 64;    // one 128-byte swizzle row of 16-bit elements
constexpr int BOX = 64;   // columns of a box of B: one swizzle row
constexpr int CHUNK = 32; // columns of C that are finished at once
constexpr int WARPGROUP = 128;

/* Warps of a block that copy odd operands (slabs.cuh); runs of rows that are on their way
 * to each of them, and the bytes of one. */
constexpr int COPY_WARPS = 3, RUNS_AHEAD = 4, RUN_BYTES = 1040;

/* One way to cut the work. Each of the CONSUMERS warpgroups that multiply has 64
 * rows and all BN columns of the tile. SHARERS blocks, one above the other in C,
 * share B. BULK_C: C moves through a place in shared memory for a whole tile
 * (bulk.cuh). SLABS: odd operands are copied while they are multiplied (slabs.cuh). */
template <int CONSUMERS_, int BN_, int STAGES_, int SHARERS_, bool BULK_C_ = false,
		  bool SLABS_ = false>
struct gemm_config {
	static constexpr int CONSUMERS = CONSUMERS_, BN = BN_, STAGES = STAGES_, SHARERS = SHARERS_;
	static constexpr bool BULK_C = BULK_C_, SLABS = SLABS_;
	static constexpr bool SPLITS = SHARERS == 1 && !BULK_C; // may share a tile along K

	static constexpr int BM = 64 * CONSUMERS;
	static constexpr int SUMS = BN / 2; // registers of a thread

	/* shared memory, after alignment to 1024 bytes */
	static constexpr int a_bytes = BM * BK * 2;
	static constexpr int b_bytes = BN * BK * 2;
	static constexpr int stage_bytes = a_bytes + b_bytes;
	static constexpr int staging_bytes = 16 * CHUNK * 4; // a chunk of one warp
	static constexpr int c_bytes = 64 * BN * 2;          // a consumer's part of C
	static constexpr int staging_offset = STAGES * stage_bytes;
	static constexpr int barrier_offset =
		staging_offset + CONSUMERS * (BULK_C ? c_bytes : 4 * staging_bytes);
	static constexpr int barriers = 2 * STAGES + (BULK_C ? 2 * CONSUMERS : 0);
	static constexpr int ring_offset = (barrier_offset + barriers * 8 + 15) / 16 * 16;
	static constexpr int ring_bytes = RUNS_AHEAD * (RUN_BYTES + 8); // of a copying warp
	static constexpr int bytes = ring_offset + (SLABS ? COPY_WARPS * ring_bytes : 0) + 1024;
	static_assert(bytes <= 227 * 1024, "a block has at most 227 KB of shared memory");
	static_assert(BN % (BOX * SHARERS) == 0, "B is loaded in boxes of 64 columns by each sharer");
};

/* Division of numbers below 65536 by one that the host knows: multiplication by
 * floor(2^32 / value) + 1, which is off by less than the quotient's last unit. */
struct divisor {
	uint32_t value, magic;

	__device__ __forceinline__ uint32_t into(uint32_t number) const
	{
		return value == 1 ? number : __umulhi(number, magic);
	}
};

struct gemm_work {
	int M, N, K;
	int tiles;               // of a block's or, where blocks share B, all their size
	int splits;              // blocks of a cluster that share a tile along K
	int steps, steps_left;   // of 64 along K for each of them; the first `steps_left` have one more
	int group;               // rows of tiles that are walked through together, for the L2 cache
	int last_group;          // the group that has fewer rows, behind the others
	divisor group_tiles;     // tiles of a whole group
	divisor rows, last_rows; // of a group, of the last
	bool reads_c;            // beta is not 0
	bool bulk_c;             // TMA can address C
};

/* The ring's barriers, `full` and behind them `empty`; then, for C through shared memory,
 * a consumer's `staged` and `ready`, likewise. For one thread, and no loop: with addresses
 * that differ between threads, the compiler makes a loop over lanes of ten instructions
 * each. */
template <class config>
__device__ __forceinline__ void barriers_init(uint32_t full, int fillers, int consumers)
{
#pragma unroll
	for (int i = 0; i < config::barriers; i++) {
		int behind = i - 2 * config::STAGES;
		int ring = i < config::STAGES ? fillers : consumers;
		mbarrier_init(full + 8 * i, behind < 0 ? ring : behind < config::CONSUMERS ? 4 : 1);
	}
	mbarriers_ready();
}

struct tile_place {
	int m, n; // in units of tiles
};

/* Tile number `index`, walking down a group's rows of tiles before going right. */
__device__ __forceinline__ tile_place tile_find(const gemm_work &work, int index)
{
	int group = work.group_tiles.into(index), within = index - group * work.group_tiles.value;
	divisor rows = group == work.last_group ? work.last_rows : work.rows;
	int column = rows.into(within);
	return {group * work.group + (within - column * (int)rows.value), column};
}

/* The steps along K of block number `part` of a split. */
__device__ __forceinline__ void split_range(const gemm_work &work, int part, int &begin, int &end)
{
	begin = part * work.steps + min(part, work.steps_left);
	end = begin + work.steps + (part < work.steps_left);
}

/* This block's steps: all, where the blocks of its cluster share B instead. */
template <class config>
__device__ __forceinline__ void block_steps(const gemm_work &work, int &begin, int &end)
{
	split_range(work, config::SHARERS > 1 ? 0 : (int)cluster_block(), begin, end);
}

/* Where this block's part of tile number `index` begins in C. */
struct tile_origin {
	int row, column;
};

template <class config>
__device__ __forceinline__ tile_origin block_tile(const gemm_work &work, int index)
{
	tile_place at = tile_find(work, index);
	int m = config::SHARERS > 1 ? at.m * config::SHARERS + (int)cluster_block() : at.m;
	return {m * config::BM, at.n * config::BN};
}

#endif
