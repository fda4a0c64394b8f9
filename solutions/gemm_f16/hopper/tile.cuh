/* What the kernels that multiply tiles by wgmma (tma.cuh, shifted.cuh) have in common: which
 * tiles there are, whose they are, and where they lie in C. */
#ifndef GEMMJUDGE_HOPPER_TILE_CUH
#define GEMMJUDGE_HOPPER_TILE_CUH

#include "config.cuh"
#include "ptx.cuh"

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
