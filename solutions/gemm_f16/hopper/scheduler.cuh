/* The tile scheduler: which tiles there are, which block computes them, and where they lie in C.
 * A persistent cluster takes every tile whose number is its own modulo the number of clusters, or a
 * run of consecutive ones where B stays in shared memory. */
#ifndef HOPPER_SCHEDULER_CUH
#define HOPPER_SCHEDULER_CUH

#include "config.cuh"
#include "ptx.cuh"

namespace hopper
{
/* Division of numbers below 65536 by such a one that the host knows: a multiplication by
 * floor(2^32 / value) + 1, whose error is below the quotient's last unit. */
struct divisor {
	int value;
	uint32_t magic;

	__device__ __forceinline__ int quotient(int number) const
	{
		return value == 1 ? number : (int)__umulhi(number, magic);
	}
	__device__ __forceinline__ int remainder(int number) const
	{
		return number - quotient(number) * value;
	}
};

struct tile_origin {
	int row, column; // in C
};

struct cluster_coordinate {
	int m, n;
};

struct k_range {
	int begin, end; // k-iterations, from `begin` to before `end`
};

/* Room in the caller's workspace where TMA_SPLIT's blocks exchange partial sums. */
struct exchange {
	uint32_t *counters; // a warp's, of each block of a tile: see arrivals_target()
	float *sums;        // a tile of them for each block
};

/* Where a warp or warpgroup is in the ring of stages. */
template <class config> struct ring {
	int stage;
	uint32_t phase;

	__device__ __forceinline__ void next(void)
	{
		if (++stage == config::STAGES) {
			stage = 0;
			phase ^= 1;
		}
	}
	/* Leaves out that many stages, all of them at most. */
	__device__ __forceinline__ void skip(int count)
	{
		stage += count;
		if (stage >= config::STAGES) {
			stage -= config::STAGES;
			phase ^= 1;
		}
	}
};

/* The product as the kernel sees it. A tile here is a cluster's: CLUSTER_M x CLUSTER_N tiles of
 * blocks. */
template <class config> struct schedule {
	int M, N, K;
	int lda, ldc;             // elements between rows
	int tiles;                // of this launch, below 65536
	int first_m, first_n;     // rows and columns of tiles before them
	divisor split;            // blocks that share a tile along K
	int k_iterations, k_left; // of each of them; the first `k_left` have one more
	int group;                // rows of tiles that are walked through together, for the L2 cache
	int last_group;           // the group that has fewer rows, or -1
	divisor group_tiles;      // tiles of a whole group
	divisor rows, last_rows;  // rows of tiles in a group, in the last one
	bool reads_c;             // beta is not 0
	residue_rows<config::CLASSES> row_class;
	int base_skew; // of A's base; 0 where rows have no classes
	exchange sums; // of TMA_SPLIT's blocks
	int run;       // consecutive tiles of each block, where B stays in shared memory

	/* Number and count of the clusters, or of the blocks where there are none. */
	static __device__ __forceinline__ int cluster_id(void)
	{
		return config::CLUSTER ? cluster_number() : (int)blockIdx.x;
	}
	static __device__ __forceinline__ int cluster_total(void)
	{
		return config::CLUSTER ? cluster_count() : (int)gridDim.x;
	}

	/* The block's coordinate in its cluster. */
	static __device__ __forceinline__ cluster_coordinate coordinate(void)
	{
		int block = config::SHARERS > 1 ? (int)cluster_rank() : 0;
		return {block % config::CLUSTER_M, block / config::CLUSTER_M};
	}

	/* The tiles of this cluster: the first one, how far it is to the next, and where they end. */
	__device__ __forceinline__ int first_tile(void) const
	{
		return config::BY_MEMORY   ? split.quotient(cluster_id())
			   : config::PING_PONG ? cluster_id() * run
								   : cluster_id();
	}
	static __device__ __forceinline__ int tile_step(void)
	{
		return config::PING_PONG ? 1 : cluster_total();
	}
	__device__ __forceinline__ int tiles_end(void) const
	{
		return config::PING_PONG ? min(tiles, first_tile() + run) : tiles;
	}

	/* The block's number among those that share a tile along K, and its k-iterations. */
	__device__ __forceinline__ int split_rank(void) const
	{
		if (config::BY_MEMORY)
			return split.remainder(cluster_id());
		return config::BY_CLUSTER ? (int)cluster_rank() : 0;
	}
	/* The number that says which chunks of a warp's rows are this block's (split_k.cuh). BY_MEMORY
	 * warps begin to count at different blocks: so each block has a part of the tile, even where
	 * more share it than there are chunks. */
	__device__ __forceinline__ int chunk_rank(void) const
	{
		int shift = config::BY_MEMORY ? (int)threadIdx.x / 32 * config::CHUNKS : 0;
		return config::BY_MEMORY ? split.remainder(split_rank() + shift) : split_rank();
	}
	__device__ __forceinline__ k_range own_k(void) const
	{
		int rank = split_rank(), begin = rank * k_iterations + min(rank, k_left);
		return {begin, begin + k_iterations + (rank < k_left)};
	}

	/* Elements between a 16-byte boundary and the beginning of A's rows of this row's class. */
	__device__ __forceinline__ int row_skew(int row) const
	{
		if (!config::CLASSES)
			return 0;
		uint32_t residue = row_class.residue(row), distance = lda;
		return (int)((residue * distance + base_skew) % VECTOR);
	}

	/* Where this block's part of a tile begins. Tiles are walked down a group of rows before going
	 * right, so that blocks at work share operands in the L2 cache. The rows of a tile are those
	 * below its first one in that one's residue class. */
	__device__ __forceinline__ tile_origin origin(int tile) const
	{
		int number = group_tiles.quotient(tile), within = tile - number * group_tiles.value;
		divisor height = number == last_group ? last_rows : rows;
		int n = height.quotient(within), m = number * group + (within - n * height.value);
		m += first_m;
		n += first_n;
		cluster_coordinate here = coordinate();
		int row = (row_class.index(m) * config::CLUSTER_M + here.m) * config::TILE_M;
		return {row_class.below(row_class.residue(m), row),
				(n * config::CLUSTER_N + here.n) * config::TILE_N};
	}

	/* Where a subtile of a consumer's part of that begins; swapped, all four warps', else this
	 * warp's. */
	__device__ __forceinline__ tile_origin part(tile_origin tile, int consumer, int subtile) const
	{
		int own = consumer * config::CONSUMER_EXTENT + WGMMA_M * subtile;
		if (config::SWAPPED)
			return {tile.row, tile.column + own};
		return {row_class.below(tile.row, own + (int)threadIdx.x % WARPGROUP / 32 * 16),
				tile.column};
	}
};

/* A block's shared memory, aligned to the swizzle's pattern: addresses of the first stage and of
 * the first stage's barriers. Those of other stages follow 8 bytes apart. */
template <class config> struct shared_layout {
	uint32_t base, full, empty;

	__device__ __forceinline__ shared_layout(void)
	{
		extern __shared__ char shared_raw[];
		constexpr uint32_t ALIGNMENT = config::ALIGNMENT;
		base = (shared_address(shared_raw) + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
		base = __shfl_sync(0xFFFFFFFF, base, 0);
		full = base + config::BARRIER_OFFSET;
		empty = full + 8 * config::STAGES;
	}
};
} // namespace hopper

#endif
