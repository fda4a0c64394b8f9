/* What a kernel that multiplies tiles by wgmma knows when it is compiled: the shape of its tile,
 * and how shared memory lies.
 *
 * Both operands have the 128-byte swizzle that wgmma reads without bank
 * conflicts: A as rows of 64 along K (K-major), B as it lies in memory, rows of
 * 64 columns along N, 64 rows a box (N-major); so B is never transposed by
 * anybody. */
#ifndef GEMMJUDGE_HOPPER_CONFIG_CUH
#define GEMMJUDGE_HOPPER_CONFIG_CUH

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

/* ---- what is asked of a tile -------------------------------------------------------- */

/* Each of the CONSUMERS warpgroups that multiply has 64 rows and all WIDTH columns. */
template <int CONSUMERS_, int WIDTH_> struct tile_of {
	static constexpr int CONSUMERS = CONSUMERS_, WIDTH = WIDTH_;
	static constexpr int HALVES = 1, UP = 1, ACROSS = 1, SPLITS = 1, MOST_STAGES = 8, SLABS = 1;
	static constexpr bool ODD = false, TURNED = false, STACKED = false, CLASSES = false;
};

/* A consumer has HALVES times as many rows. */
template <int HALVES_, class tile> struct halves : tile {
	static constexpr int HALVES = HALVES_;
};

/* A consumer has 64 * HALVES columns and WIDTH rows: it multiplies the transposed operands into
 * the transposed tile, whose rows may be any multiple of 8. Consumers are side by side. */
template <class tile> struct turned : tile {
	static constexpr bool TURNED = true;
};

/* The same, with consumers above each other. */
template <class tile> struct stacked : turned<tile> {
	static constexpr bool STACKED = true;
};

/* UP x ACROSS blocks of a cluster do neighbouring tiles: those above each other in C share B, those
 * side by side A. */
template <int UP_, int ACROSS_, class tile> struct neighbours : tile {
	static constexpr int UP = UP_, ACROSS = ACROSS_;
};

/* A cluster of SPLITS blocks, or fewer, shares a tile along K. */
template <int SPLITS_, class tile> struct split : tile {
	static constexpr int SPLITS = SPLITS_;
};

/* TMA cannot address an operand as it is, or C. Then C leaves row by row (rows.cuh), or in chunks
 * (finish.cuh); otherwise by TMA (bulk.cuh, turned.cuh). */
template <class tile> struct odd : tile {
	static constexpr bool ODD = true;
};

/* A's rows may start at any element. Those of a tile start alike, and TMA has a map for each
 * residue class; a tile's first step begins where its rows have a unit of 16 bytes. */
template <class tile> struct by_classes : tile {
	static constexpr bool CLASSES = true;
};

/* As many stages as there is room for, so many at most. */
template <int MOST, class tile> struct stages : tile {
	static constexpr int MOST_STAGES = MOST;
};

/* SLABS of 64 along K are a step: rows of A in shared memory are no longer than that, but one
 * instruction brings all slabs of a step, and one all columns of B. */
template <int SLABS_, class tile> struct deep : tile {
	static constexpr int SLABS = SLABS_;
};

/* ---- what follows from that --------------------------------------------------------- */

/* One way to cut the work, and how shared memory lies. */
template <class tile> struct gemm_config {
	static constexpr int CONSUMERS = tile::CONSUMERS, WIDTH = tile::WIDTH, SPLITS = tile::SPLITS;
	static constexpr int UP = tile::UP, ACROSS = tile::ACROSS, SHARERS = UP * ACROSS;
	static constexpr int FILLERS = UP + ACROSS - 1; // blocks that load something for one
	static constexpr bool SPLIT = SPLITS > 1, ODD = tile::ODD;
	static constexpr bool TURNED = tile::TURNED, STACKED = tile::STACKED, CLASSES = tile::CLASSES;
	using classes = row_classes<CLASSES>;
	static constexpr int SLABS = tile::SLABS, DEPTH = BK * SLABS; // of a step along K
	static constexpr int MOST_CLASSES = CLASSES ? UNIT : 1;
	static constexpr int HALVES = tile::HALVES, MOST = tile::MOST_STAGES;
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
	static_assert(CONSUMERS <= 2, "registers");
	static_assert(!SPLIT || BM * BN * 4 <= staging_offset, "the stages have room for all sums");
};

#endif
