/* Two consumers that take turns ("ping-pong"): while one multiplies, the other finishes and stores.
 * Each has 64 rows of the block's tile to itself, of all of K, and A comes for one after the other.
 * A block has a run of tiles, most of them of the same columns, and these columns of B stay in
 * shared memory for all of K. So little is loaded, neither from the L2 cache nor into shared
 * memory, which bound products of a short K otherwise. */
#ifndef HOPPER_PING_PONG_CUH
#define HOPPER_PING_PONG_CUH

#include "scheduler.cuh"

namespace hopper
{
/* A consumer's turns, and B as it knows it. Of other variants none of this does anything. */
template <class config> struct consumer_turns {
	uint32_t full; // the first stage's barrier
	int consumer;
	uint32_t turn_phase, b_phase = 1;
	int column = -1;    // of the B that is there
	bool fresh = false; // it came for this tile
	int k = 0;          // k-block

	__device__ __forceinline__ consumer_turns(const shared_layout<config> &shared, int consumer)
		: full(shared.full), consumer(consumer), turn_phase(consumer == 0)
	{
	}

	/* Begins a tile of the columns from `tile_column` on, and waits for the turn: until the other
	 * consumer has issued its products, except for the first one's first tile. */
	__device__ __forceinline__ void take(int tile_column)
	{
		if (!config::PING_PONG)
			return;
		fresh = tile_column != column;
		b_phase ^= fresh;
		column = tile_column;
		k = 0;
		mbarrier_wait(full + 8 * (config::TURN_BARRIERS + consumer), turn_phase);
		turn_phase ^= 1;
	}

	__device__ __forceinline__ void pass(void) const
	{
		if (config::PING_PONG && threadIdx.x % WARPGROUP == 0)
			mbarrier_arrive(full + 8 * (config::TURN_BARRIERS + 1 - consumer));
	}

	/* Waits for the k-block of B. */
	__device__ __forceinline__ void b_wait(void) const
	{
		if (config::PING_PONG)
			mbarrier_wait_unless(!fresh, full + 8 * (config::B_BARRIERS + k), b_phase);
	}

	/* All products with these columns of B are done. */
	__device__ __forceinline__ void leave_b(void) const
	{
		if (threadIdx.x % WARPGROUP == 0)
			mbarrier_arrive(full + 8 * config::B_EMPTY);
	}
};
} // namespace hopper

#endif
