/* The tile scheduler: which tiles there are, which block computes them, and where they lie in C.
 * A persistent cluster takes every tile whose number is its own modulo the number of clusters. */
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

/* The product as the kernel sees it. A tile here is a cluster's: CLUSTER_M x CLUSTER_N tiles of
 * blocks. */
struct schedule {
	int M, N, K;
	int lda, ldc;             // elements between rows
	int tiles;                // below 65536: of this launch
	int first_m, first_n;     // rows and columns of tiles before them
	divisor split;            // blocks that share a tile along K
	int k_iterations, k_left; // of each of them; the first `k_left` have one more
	int group;                // rows of tiles that are walked through together, for the L2 cache
	int last_group;           // the group that has fewer rows, or -1
	divisor group_tiles;      // tiles of a whole group
	divisor rows, last_rows;  // rows of tiles in a group, in the last one
	bool reads_c;             // beta is not 0
	int class_shift;          // of residue_rows
	int base_skew;            // of A's base; 0 where rows have no classes
};

struct tile_origin {
	int row, column; // in C; rows are those below `row` in its residue class
};

/* Where a warp or warpgroup is in the ring of stages. */
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

/* Number and count of the clusters, or of the blocks where there are none. */
template <class config> __device__ __forceinline__ int cluster_id(void)
{
	return config::CLUSTER ? cluster_number() : (int)blockIdx.x;
}
template <class config> __device__ __forceinline__ int cluster_total(void)
{
	return config::CLUSTER ? cluster_count() : (int)gridDim.x;
}

/* The block's coordinate in its cluster. */
struct cluster_coordinate {
	int m, n;
};
template <class config> __device__ __forceinline__ cluster_coordinate coordinate_in_cluster(void)
{
	int block = config::SHARERS > 1 ? (int)cluster_rank() : 0;
	return {block % config::CLUSTER_M, block / config::CLUSTER_M};
}

/* The block's number among those that share a tile along K. */
template <class config> __device__ __forceinline__ int split_rank(void)
{
	return config::SPLIT_K ? (int)cluster_rank() : 0;
}

/* The block's k-iterations, from `begin` to before `end`. */
template <class config>
__device__ __forceinline__ void k_range(const schedule &work, int &begin, int &end)
{
	int rank = split_rank<config>();
	begin = rank * work.k_iterations + min(rank, work.k_left);
	end = begin + work.k_iterations + (rank < work.k_left);
}

template <class config>
__device__ __forceinline__ typename config::row_class row_class_of(const schedule &work)
{
	return {work.class_shift};
}

/* Elements between a 16-byte boundary and the beginning of A's rows of this class. */
template <class config> __device__ __forceinline__ int row_skew(const schedule &work, int row)
{
	if (!config::CLASSES)
		return 0;
	uint32_t residue = row_class_of<config>(work).residue(row), lda = work.lda;
	return (int)((residue * lda + work.base_skew) % VECTOR);
}

/* This block's part of tile number `index`. Tiles are walked down a group of rows before going
 * right, so that blocks at work share operands in the L2 cache. */
template <class config>
__device__ __forceinline__ tile_origin block_tile(const schedule &work, int index)
{
	int group = work.group_tiles.quotient(index), within = index - group * work.group_tiles.value;
	divisor rows = group == work.last_group ? work.last_rows : work.rows;
	int n = rows.quotient(within), m = group * work.group + (within - n * rows.value);
	m += work.first_m;
	n += work.first_n;
	cluster_coordinate here = coordinate_in_cluster<config>();
	auto row_class = row_class_of<config>(work);
	int row = (row_class.index(m) * config::CLUSTER_M + here.m) * config::TILE_M;
	return {row_class.below(row_class.residue(m), row),
			(n * config::CLUSTER_N + here.n) * config::TILE_N};
}
} // namespace hopper

#endif
