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
constexpr int CHUNK_SUMS = CHUNK / 2;                        // registers of a thread
constexpr int CHUNK_SUMS_BYTES = CHUNK_SUMS * WARPGROUP * 4; // of a consumer

constexpr int UNIT = 8; // elements of 16 bytes: what a lane moves of C at once

/* Rows that are taken together because they start alike: those of a residue class, every
 * `1 << shift`-th, or without CLASSES all. */
template <bool CLASSES> struct row_classes {
	int shift;

	__device__ __forceinline__ int apart(void) const
	{
		return CLASSES ? 1 << shift : 1;
	}
	/* Of a row: its class, its number there, and the `count`-th below it. */
	__device__ __forceinline__ int residue(int row) const
	{
		return CLASSES ? row & apart() - 1 : 0;
	}
	__device__ __forceinline__ int number(int row) const
	{
		return CLASSES ? row >> shift : row;
	}
	__device__ __forceinline__ int below(int row, int count) const
	{
		return row + count * apart();
	}
};

/* Bytes from one row of so many elements to the next in shared memory, whole units: 8 rows lie
 * in different banks where the elements are 32 or a multiple of 64. */
constexpr int row_pitch(int elements)
{
	return elements * 2 + 16;
}

constexpr int SHARED_BYTES = 227 * 1024; // that a block may have
constexpr int SCRATCH_BYTES = 64;        // of a warp, for epilogue::prefetch()

/* One way to cut the work. Each of the CONSUMERS warpgroups that multiply has 64 * HALVES
 * rows and all WIDTH columns of the tile; or, of a TURNED tile, 64 * HALVES columns and
 * WIDTH rows: then it multiplies the transposed operands into the transposed tile, whose rows
 * may be any multiple of 8. Its consumers are side by side; STACKED, above each other.
 *  - UP x ACROSS blocks of a cluster do neighbouring tiles: those above each other in C share
 *    B, those side by side A. Or a cluster of SPLITS blocks, or fewer, shares a tile along K.
 *  - ODD: TMA cannot address an operand as it is, or C. Then C leaves row by row (rows.cuh), or in
 *    chunks (finish.cuh); otherwise by TMA (bulk.cuh, turned.cuh).
 *  - As many stages as there is room for, 8 at most (or MOST).
 *  - CLASSES: A's rows may start at any element. Those of a tile start alike, and TMA has a map for
 *    each residue class; a tile's first step begins where its rows have a unit of 16 bytes.
 *  - SLABS of 64 along K are a step: rows of A in shared memory are no longer than that, but
 *    one instruction brings all slabs of a step, and one all columns of B. */
template <int CONSUMERS_, int WIDTH_, int UP_, int ACROSS_, int SPLITS_, bool ODD_, int MOST = 8,
		  int HALVES_ = 1, bool TURNED_ = false, bool STACKED_ = false, bool CLASSES_ = false,
		  int SLABS_ = 1>
struct gemm_config {
	static constexpr int CONSUMERS = CONSUMERS_, WIDTH = WIDTH_, SPLITS = SPLITS_;
	static constexpr int UP = UP_, ACROSS = ACROSS_, SHARERS = UP * ACROSS;
	static constexpr int FILLERS = UP + ACROSS - 1; // blocks that load something for one
	static constexpr bool SPLIT = SPLITS > 1, ODD = ODD_;
	static constexpr bool TURNED = TURNED_, STACKED = STACKED_, CLASSES = CLASSES_;
	using classes = row_classes<CLASSES>;
	static constexpr int SLABS = SLABS_, DEPTH = BK * SLABS; // of a step along K
	static constexpr int MOST_CLASSES = CLASSES ? UNIT : 1;
	static constexpr int HALVES = HALVES_;
	static constexpr bool DEFERRED = false; // see deferred.cuh
	static constexpr int LEAST_STEPS = 1;   // along K
	static constexpr int THREADS = (CONSUMERS + 1) * WARPGROUP;

	static constexpr int OWN = 64 * HALVES; // rows of a consumer, or columns
	static constexpr int BM = !TURNED ? OWN * CONSUMERS : STACKED ? WIDTH * CONSUMERS : WIDTH;
	static constexpr int BN = !TURNED ? WIDTH : STACKED ? OWN : OWN * CONSUMERS;
	static constexpr int SUMS = WIDTH / 2; // registers of a thread for each half

	/* C in shared memory: a warp's 16 rows of a half in boxes of columns, as TMA takes them, with
	 * a place for each. Of a split tile each block finishes some of the boxes, no more than
	 * half of them. Of a turned tile a consumer's half is one box, a quarter of it a warp's. */
	static constexpr int C_BOX = SPLIT || BN % BOX != 0 ? CHUNK : BOX;
	static constexpr int C_BOX_ROWS = TURNED ? WIDTH : 16;
	static constexpr int C_BOXES = SPLIT ? (BN / C_BOX + 1) / 2 : BN / C_BOX;
	static constexpr int c_box_bytes = 16 * C_BOX * 2;
	static constexpr int c_bytes =
		TURNED ? WIDTH * BOX * 2 / 4 : C_BOXES * c_box_bytes; // of a warp

	/* shared memory, after alignment to 1024 bytes (where that costs nothing on Hopper, as it
	 * begins there, but is not promised) */
	static constexpr int a_bytes = BM * DEPTH * 2;
	static constexpr int B_BOXES = (BN + BOX - 1) / BOX; // of the last one maybe half is used
	static constexpr int b_box_bytes = BOX * DEPTH * 2;
	static constexpr int b_bytes = B_BOXES * b_box_bytes;
	static constexpr bool WHOLE_B = SLABS > 1 && B_BOXES > 1 && UP == 1; // all boxes at once
	static constexpr int stage_bytes = a_bytes + b_bytes;
	static constexpr int staging_bytes = 16 * CHUNK * 4; // a chunk of one warp

	/* room for the others' sums that are pushed here, of a consumer */
	static constexpr int CHUNKS = BN / CHUNK;
	static constexpr int pushed_chunks(int splits)
	{
		return (splits - 1) * ((CHUNKS + splits - 1) / splits);
	}
	static constexpr int most_pushed(void)
	{
		int most = 0;
		for (int splits = 2; splits <= SPLITS; splits++)
			most = pushed_chunks(splits) > most ? pushed_chunks(splits) : most;
		return most;
	}
	static constexpr int pushed_bytes = most_pushed() * CHUNK_SUMS_BYTES;

	static constexpr int barriers_for(int stages)
	{
		return 2 * stages + (ODD ? 0 : 4 * CONSUMERS) + (SPLIT ? 4 * CONSUMERS : 0);
	}
	static constexpr int spare = 1024; // to align
	static constexpr int scratch_bytes = TURNED ? 0 : 4 * CONSUMERS * SCRATCH_BYTES;

	/* stages that there is room for, with so many bytes for C on its way */
	static constexpr int stages_beside(int way_out)
	{
		return (SHARED_BYTES - spare - way_out - CONSUMERS * pushed_bytes - barriers_for(MOST) * 8 -
				scratch_bytes) /
			   stage_bytes;
	}

	/* halves of a turned tile that have a place each, if that leaves three stages; blocks that
	 * share operands need a fourth more (measured) */
	static constexpr int C_PLACES =
		TURNED && SHARERS == 1 && stages_beside(4 * CONSUMERS * c_bytes * HALVES) >= 3 ? HALVES : 1;
	static constexpr int way_out_bytes = 4 * CONSUMERS *
										 (ODD && SPLIT ? staging_bytes
										  : ODD        ? 16 * row_pitch(BN)
													   : c_bytes * C_PLACES);
	static constexpr int room = stages_beside(way_out_bytes);
	static constexpr int STAGES = room < MOST ? room : MOST;
	static constexpr int barriers = barriers_for(STAGES);
	static constexpr int c_barriers = 2 * STAGES; // one a consumer warp
	static constexpr int sums_barriers = barriers - 4 * CONSUMERS;
	static constexpr int staging_offset = STAGES * stage_bytes;
	static constexpr int pushed_offset = staging_offset + way_out_bytes;
	static constexpr int barrier_offset = pushed_offset + CONSUMERS * pushed_bytes;
	static constexpr int scratch_offset = barrier_offset + barriers * 8;
	static constexpr int bytes = scratch_offset + scratch_bytes + spare;
	static_assert(BN % CHUNK == 0, "C's boxes");
	static_assert(BM % 8 == 0 && BM <= 256, "whole groups of the swizzle's 8 rows, one box of A");
	static_assert(!SPLIT || SHARERS == 1, "a cluster shares operands or a tile");
	static_assert(ODD || SPLIT || TURNED || c_bytes >= staging_bytes, "what finish_left() needs");
	static_assert(!SPLIT || HALVES == 1, "sums that are exchanged");
	static_assert(!TURNED || (!SPLIT && !ODD && WIDTH % 8 == 0), "only the plain way out");
	static_assert(TURNED || !STACKED, "else they are above each other");
	static_assert(CONSUMERS <= 2, "registers");
	static_assert(!SPLIT || BM * BN * 4 <= staging_offset, "the stages have room for all sums");
};

/* Division of numbers below 65536 by one that the host knows: multiplication by
 * floor(2^32 / value) + 1, which is off by less than the quotient's last unit. */
struct divisor {
	int value;
	uint32_t magic;

	__device__ __forceinline__ int into(int number) const
	{
		return value == 1 ? number : (int)__umulhi(number, magic);
	}
	__device__ __forceinline__ int rest(int number) const
	{
		return number - into(number) * value;
	}
};

struct gemm_work {
	int M, N, K;
	int tiles;               // of a block's or, where blocks share operands, all their size
	divisor splits;          // blocks of a cluster that share a tile along K
	int steps, steps_left;   // along K for each of them; the first `steps_left` have one more
	int group;               // rows of tiles that are walked through together, for the L2 cache
	int last_group;          // the group that has fewer rows, behind the others
	divisor group_tiles;     // tiles of a whole group
	divisor rows, last_rows; // of a group, of the last
	bool reads_c;            // beta is not 0
	int class_shift;         // of row_classes
};

/* The ring's barriers, `full` and behind them `empty`; then, for each consumer warp, one for
 * C through shared memory, and one for the sums of a split tile. Those from number FIRST to
 * before LAST, for one thread, and no loop: with addresses that differ between threads, the
 * compiler makes a loop over lanes of ten instructions each. */
template <class config, int FIRST, int LAST>
__device__ __forceinline__ void barriers_init(uint32_t full, int fillers, int consumers)
{
#pragma unroll
	for (int i = FIRST; i < LAST; i++) {
		int arrivals = i < config::STAGES ? fillers : i < config::c_barriers ? consumers : 1;
		mbarrier_init(full + 8 * i, arrivals);
	}
	mbarriers_ready();
}

/* Where somebody stands in the ring of stages. */
struct ring {
	int stage;
	uint32_t phase;

	template <class config> __device__ __forceinline__ void next(void)
	{
		if (++stage == config::STAGES) {
			stage = 0;
			phase ^= 1;
		}
	}
};

struct tile_place {
	int m, n; // in units of tiles
};

/* Tile number `index`, walking down a group's rows of tiles before going right. */
__device__ __forceinline__ tile_place tile_find(const gemm_work &work, int index)
{
	int group = work.group_tiles.into(index), within = index - group * work.group_tiles.value;
	divisor rows = group == work.last_group ? work.last_rows : work.rows;
	int column = rows.into(within);
	return {group * work.group + (within - column * rows.value), column};
}

/* Number and count of what does a tile at a time: of clusters, or of blocks where there are none.
 * (A cluster's number takes the GPU a division.) */
template <class config> __device__ __forceinline__ int doer_number(void)
{
	return config::SHARERS > 1 || config::SPLIT ? cluster_number() : (int)blockIdx.x;
}

template <class config> __device__ __forceinline__ int doers(void)
{
	return config::SHARERS > 1 || config::SPLIT ? clusters() : (int)gridDim.x;
}

/* Where a block is among the neighbours that are its cluster. */
struct cluster_place {
	int up, across;
};

template <class config> __device__ __forceinline__ cluster_place cluster_here(void)
{
	int block = config::SHARERS > 1 ? (int)cluster_block() : 0;
	return {block % config::UP, block / config::UP};
}

/* Which of the blocks that share a tile along K this one is. */
template <class config> __device__ __forceinline__ int split_rank(void)
{
	return config::SPLIT ? (int)cluster_block() : 0;
}

/* This block's steps along K. */
template <class config>
__device__ __forceinline__ void block_steps(const gemm_work &work, int &begin, int &end)
{
	int rank = split_rank<config>();
	begin = rank * work.steps + min(rank, work.steps_left);
	end = begin + work.steps + (rank < work.steps_left);
}

/* Where this block's part of tile number `index` begins in C. (Its rows are those below `row` in
 * its class.) */
struct tile_origin {
	int row, column;
};

template <class config>
__device__ __forceinline__ typename config::classes classes_of(const gemm_work &work)
{
	return {work.class_shift};
}

/* Elements before A's rows of a class that begin a unit of 16 bytes. */
template <class config>
__device__ __forceinline__ int early_elements(const gemm_work &work, int row)
{
	return classes_of<config>(work).residue(row) * work.K % UNIT;
}

template <class config>
__device__ __forceinline__ tile_origin block_tile(const gemm_work &work, int index)
{
	tile_place at = tile_find(work, index);
	cluster_place here = cluster_here<config>();
	auto classes = classes_of<config>(work);
	int rows = (classes.number(at.m) * config::UP + here.up) * config::BM;
	return {classes.below(classes.residue(at.m), rows),
			(at.n * config::ACROSS + here.across) * config::BN};
}

#endif
