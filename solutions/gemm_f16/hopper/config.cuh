/* A tile configuration at compile time: its line of configs.def, and what follows from it, such as
 * how shared memory is laid out.
 *
 * Both operands have the 128-byte swizzle that wgmma reads without bank conflicts: A as rows of 64
 * along K (K-major), B as it lies in memory: rows of 64 columns along N, a TMA box of 64 of them
 * (N-major), or rows along K as A's are (K-major). So nobody transposes B. */
#ifndef HOPPER_CONFIG_CUH
#define HOPPER_CONFIG_CUH

namespace hopper
{
constexpr int WARPGROUP = 128;
constexpr int VECTOR = 8;   // 16-bit elements of 16 bytes, the widest access
constexpr int SLICE = 64;   // elements along K of a swizzled row of 128 bytes
constexpr int BOX = 64;     // columns of a TMA box of B
constexpr int WGMMA_M = 64; // rows of one wgmma
constexpr int CHUNK = 32;   // columns of C that one block of a split tile reduces and stores
constexpr int CHUNK_SUMS = CHUNK / 2; // accumulators of a thread, and their bytes in a warpgroup
constexpr int CHUNK_BYTES = CHUNK_SUMS * WARPGROUP * 4;
constexpr int SHARED_BYTES = 227 * 1024; // of a block, at most
constexpr int PIECE_ELEMENTS = 1024;     // of a row, that a warp of the pad copy has at once
constexpr int SPLIT_TILE = 128;          // the longest side of TMA_SPLIT's tiles
constexpr int SCRATCH_BYTES = 64;        // of a warp, for prefetching what the epilogue reads

/* How a configuration brings its operands into shared memory, and its sums into C. */
enum variant {
	TMA,             // both operands and C by TMA
	TMA_OVERLAP,     // the same; a tile's epilogue runs beside the next tile's products
	TMA_PING_PONG,   // the same as TMA; two consumers take turns, B stays there (ping_pong.cuh)
	TMA_SPLIT,       // the same; as many blocks as run at once share a tile along K (split_k.cuh)
	SWAP_AB,         // the same; multiplies the transposed operands: tile_m is any multiple of 8
	RESIDUE,         // A misaligned: a tile's rows are of one residue class, each class has a map
	PAD_COPY,        // misaligned operands are first copied into padded rows by all blocks
	PAD_COPY_B,      // B so; A by residue classes
	REGISTER_STAGED, // B misaligned: producer warpgroups load it into registers, and shift it
	SMALL,           // mma.sync straight from global memory
};

/* How B lies in memory: k x n, or n x k as the weights of a linear layer do. */
enum b_layout { B_N_MAJOR, B_K_MAJOR };

/* Whether operands are first copied into padded rows. */
constexpr bool variant_pads(variant variant)
{
	return variant == PAD_COPY || variant == PAD_COPY_B;
}
/* Whether the rows of a tile are of one residue class of A's rows. */
constexpr bool variant_by_class(variant variant)
{
	return variant == RESIDUE || variant == PAD_COPY_B || variant == REGISTER_STAGED;
}
/* Whether a variant can have B in that layout. With residue classes, a k-block begins up to 7
 * elements before A's first column, and so must that of B. Along the rows of a K-major B, TMA
 * cannot begin there, as it takes multiples of 16 bytes only; register-staged producers can. */
constexpr bool variant_takes(variant variant, b_layout layout)
{
	return layout == B_N_MAJOR || !variant_by_class(variant) || variant == REGISTER_STAGED;
}

/* Columns that leave in a k-iteration of the next tile, where an epilogue overlaps that. Few of
 * them take less time than the iteration's products, so that the tensor cores never wait; short
 * products have too few iterations for that. */
constexpr int OVERLAP_FEW = 16, OVERLAP_MANY = 32;

/* Bytes between rows of shared memory: 8 rows of 32 or of a multiple of 64 elements lie in
 * different banks. */
constexpr int padded_pitch(int elements)
{
	return elements * 2 + 16;
}

/* Rows of a matrix that start alike modulo 16 bytes: those of a residue class, every
 * `1 << shift`-th. Without CLASSES, all rows. */
template <bool CLASSES> struct residue_rows {
	int shift;

	__host__ __device__ __forceinline__ int stride(void) const
	{
		return CLASSES ? 1 << shift : 1;
	}
	__device__ __forceinline__ int residue(int row) const
	{
		return CLASSES ? row & stride() - 1 : 0;
	}
	/* The row's number in its class. */
	__device__ __forceinline__ int index(int row) const
	{
		return CLASSES ? row >> shift : row;
	}
	/* The `count`-th row below it in its class. */
	__device__ __forceinline__ int below(int row, int count) const
	{
		return row + count * stride();
	}
};

template <variant VARIANT_, int TILE_M_, int TILE_N_, int TILE_K_, int CONSUMERS_, int CLUSTER_M_,
		  int CLUSTER_N_, int MAX_SPLIT_, int MAX_STAGES_, int PRODUCERS_,
		  b_layout B_LAYOUT_ = B_N_MAJOR>
struct tile_config {
	static constexpr variant VARIANT = VARIANT_;
	static constexpr int TILE_M = TILE_M_, TILE_N = TILE_N_; // of C, a block's
	static constexpr int TILE_K = TILE_K_;                   // of a k-iteration
	static constexpr int CONSUMERS = CONSUMERS_;             // warpgroups that multiply
	static constexpr int PRODUCERS = PRODUCERS_;             // warpgroups that load
	static constexpr int THREADS = (CONSUMERS + PRODUCERS) * WARPGROUP;

	/* Blocks of a cluster either compute neighbouring tiles, those above each other sharing B by
	 * multicast and those side by side A, or split one tile along K. TMA_SPLIT's tiles are split
	 * between blocks anywhere, which exchange their sums through memory. */
	static constexpr int CLUSTER_M = CLUSTER_M_, CLUSTER_N = CLUSTER_N_;
	static constexpr int SHARERS = CLUSTER_M * CLUSTER_N;
	static constexpr int LOADERS = CLUSTER_M + CLUSTER_N - 1; // blocks that load for one
	static constexpr int MAX_SPLIT = MAX_SPLIT_;
	static constexpr bool SPLIT_K = MAX_SPLIT > 1;
	static constexpr bool BY_MEMORY = VARIANT == TMA_SPLIT, BY_CLUSTER = SPLIT_K && !BY_MEMORY;
	static constexpr bool CLUSTER = SHARERS > 1 || BY_CLUSTER;

	static constexpr bool K_MAJOR_B = B_LAYOUT_ == B_K_MAJOR;
	static constexpr bool SWAPPED = VARIANT == SWAP_AB;
	static constexpr bool OVERLAP = VARIANT == TMA_OVERLAP;
	static constexpr bool PING_PONG = VARIANT == TMA_PING_PONG;
	static constexpr bool PADS = variant_pads(VARIANT), CLASSES = variant_by_class(VARIANT);
	static constexpr bool TMA_STORE = !PADS && VARIANT != REGISTER_STAGED; // else row by row
	static constexpr int MAX_CLASSES = CLASSES ? VECTOR : 1;

	/* wgmma: 64 x WGMMA_N, SUBTILES of them a consumer. Swapped, 64 are columns of C. */
	static constexpr int WGMMA_N = SWAPPED ? TILE_M : TILE_N;
	static constexpr int CONSUMER_EXTENT = (SWAPPED ? TILE_N : TILE_M) / CONSUMERS;
	static constexpr int SUBTILES = CONSUMER_EXTENT / WGMMA_M;
	static constexpr int SUMS = WGMMA_N / 2; // registers of a thread and subtile
	static constexpr int CHUNKS = TILE_N / CHUNK;
	static constexpr int SLICES = TILE_K / SLICE;
	static constexpr int LAG = 0; // stages that are full when later consumers begin

	/* a stage: A's slices, then B's boxes, or its slices if it is K-major. Where consumers take
	 * turns, a stage has one consumer's rows of A, and B_BLOCKS k-blocks of B have places of their
	 * own behind the stages. */
	static constexpr int TURNS = PING_PONG ? 2 : 1;
	static constexpr int A_ROWS = TILE_M / TURNS;
	static constexpr int A_BYTES = A_ROWS * TILE_K * 2;
	static constexpr int B_BOXES = (TILE_N + BOX - 1) / BOX;
	static constexpr int B_BOX_BYTES = BOX * TILE_K * 2;
	static constexpr int B_BYTES = K_MAJOR_B ? TILE_N * TILE_K * 2 : B_BOXES * B_BOX_BYTES;
	static constexpr int B_BLOCKS = PING_PONG ? MAX_STAGES_ : 0;
	static constexpr int STAGE_BYTES = A_BYTES + (PING_PONG ? 0 : B_BYTES);

	/* C on its way by TMA: a warp's 16 rows of a subtile in boxes of columns. Of a split tile a
	 * block stores at most half of the boxes. Swapped, all four warps share a box of 64 columns. */
	static constexpr int C_BOX = SPLIT_K || TILE_N % BOX != 0 ? CHUNK : BOX;
	static constexpr int C_BOX_ROWS = SWAPPED ? TILE_M : 16;
	static constexpr int C_BOXES = SPLIT_K ? (TILE_N / C_BOX + 1) / 2 : TILE_N / C_BOX;
	static constexpr int C_BOX_BYTES = 16 * C_BOX * 2;
	static constexpr int C_BYTES = SWAPPED ? TILE_M * BOX * 2 / 4 : C_BOXES * C_BOX_BYTES;

	/* Of a tile that its cluster splits, each block owns CHUNKS / split chunks, rounded up at most,
	 * and receives the partial sums of these from each of the others: most_received() for the split
	 * that has most. */
	static constexpr int most_received(void)
	{
		int most = 0;
		for (int split = 2; BY_CLUSTER && split <= MAX_SPLIT; split++) {
			int received = (split - 1) * ((CHUNKS + split - 1) / split);
			most = received > most ? received : most;
		}
		return most;
	}
	static constexpr int RECEIVED_BYTES = most_received() * CHUNK_BYTES; // of a consumer

	/* full and empty of each stage; a warp's for loads of C; a warp's for partial sums. Where
	 * consumers take turns: each one's turn; B's places are empty; each of them is full. */
	static constexpr int barriers_of(int stages)
	{
		return 2 * stages + (TMA_STORE ? 4 * CONSUMERS : 0) + (BY_CLUSTER ? 4 * CONSUMERS : 0) +
			   (PING_PONG ? CONSUMERS + 1 + B_BLOCKS : 0);
	}
	static constexpr int ALIGNMENT = 1024; // of the swizzle's pattern
	static constexpr int SCRATCH = SWAPPED ? 0 : 4 * CONSUMERS * SCRATCH_BYTES;
	static constexpr int stages_beside(int store_bytes)
	{
		return (SHARED_BYTES - ALIGNMENT - store_bytes - CONSUMERS * RECEIVED_BYTES -
				barriers_of(MAX_STAGES_) * 8 - SCRATCH - B_BLOCKS * B_BYTES) /
			   STAGE_BYTES;
	}
	/* A swapped tile's subtiles each have a staging area for C where that leaves three stages;
	 * blocks that share operands need a fourth more (measured). */
	static constexpr int C_AREAS =
		SWAPPED && SHARERS == 1 && stages_beside(4 * CONSUMERS * C_BYTES * SUBTILES) >= 3 ? SUBTILES
																						  : 1;
	static constexpr int ROWS_BYTES = 16 * padded_pitch(SPLIT_K ? CHUNK : TILE_N);
	static constexpr int STORE_BYTES = 4 * CONSUMERS * (TMA_STORE ? C_BYTES * C_AREAS : ROWS_BYTES);
	static constexpr int ROOM = stages_beside(STORE_BYTES);
	static constexpr int STAGES = ROOM < MAX_STAGES_ ? ROOM : MAX_STAGES_;

	/* offsets in shared memory, after alignment */
	static constexpr int BARRIERS = barriers_of(STAGES);
	static constexpr int C_BARRIERS = 2 * STAGES, SUM_BARRIERS = BARRIERS - 4 * CONSUMERS;
	static constexpr int TURN_BARRIERS = C_BARRIERS + 4 * CONSUMERS;
	static constexpr int B_EMPTY = PING_PONG ? TURN_BARRIERS + CONSUMERS : -1;
	static constexpr int B_BARRIERS = B_EMPTY + 1;
	static constexpr int B_OFFSET = PING_PONG ? STAGES * STAGE_BYTES : A_BYTES;
	static constexpr int STORE_OFFSET = STAGES * STAGE_BYTES + B_BLOCKS * B_BYTES;
	static constexpr int RECEIVED_OFFSET = STORE_OFFSET + STORE_BYTES;
	static constexpr int BARRIER_OFFSET = RECEIVED_OFFSET + CONSUMERS * RECEIVED_BYTES;
	static constexpr int SCRATCH_OFFSET = BARRIER_OFFSET + BARRIERS * 8;
	static constexpr int BYTES = SCRATCH_OFFSET + SCRATCH + ALIGNMENT;

	static_assert(TILE_N % CHUNK == 0, "C goes in boxes of 32 or 64 columns");
	static_assert(TILE_M % 8 == 0 && TILE_M <= 256,
				  "whole groups of the swizzle's 8 rows, and one TMA box of A");
	static_assert(TILE_N <= 256, "and one of a K-major B");
	static_assert(variant_takes(VARIANT, B_LAYOUT_), "B's layout is none of the variant's");
	static_assert(CONSUMER_EXTENT % WGMMA_M == 0, "a consumer has whole instructions");
	static_assert(WGMMA_N % 8 == 0 && WGMMA_N <= 256, "what wgmma can do");
	static_assert(CONSUMERS <= 4 && SUBTILES * WGMMA_N <= 512, "accumulators fit into registers");
	static_assert(!OVERLAP || (SUBTILES == 1 && SUMS * CONSUMERS <= 192),
				  "two tiles' sums fit into registers");
	static_assert(!PING_PONG || (SHARERS == 1 && !SPLIT_K && SLICES == 1),
				  "a block has B to itself");
	static_assert(!PING_PONG || (CONSUMERS == TURNS && STAGES == B_BLOCKS),
				  "two consumers, and room for one's rows of A, of all of K");
	static_assert(!BY_CLUSTER || SHARERS == 1, "a cluster shares operands or a tile");
	static_assert(!SPLIT_K || SUBTILES == 1, "partial sums are of one subtile");
	static_assert(!BY_MEMORY || (TILE_M <= SPLIT_TILE && TILE_N <= SPLIT_TILE && CONSUMERS <= 2 &&
								 SHARERS == 1),
				  "the workspace has room for such tiles, and counters for eight warps of each");
	static_assert(!BY_CLUSTER || TILE_M * TILE_N * 4 <= STORE_OFFSET,
				  "the stages have room for all partial sums");
};
} // namespace hopper

#endif
