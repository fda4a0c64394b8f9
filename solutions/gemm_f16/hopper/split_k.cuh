/* Split-K over distributed shared memory. Each block of a cluster has partial sums of the whole
 * tile. Chunks of 32 columns are dealt out: chunk i belongs to the block of rank i % split, which
 * reduces and stores it. The other blocks push their partial sums of the chunk into its shared
 * memory. Sums leave from the stages, which are free by then, as such blocks have one tile each; at
 * the owner they have room of their own. */
#ifndef HOPPER_SPLIT_K_CUH
#define HOPPER_SPLIT_K_CUH

#include "scheduler.cuh"

namespace hopper
{
constexpr int WARP_CHUNK_BYTES = CHUNK_BYTES / 4;
constexpr int QUADS_BYTES = 32 * 16; // four sums of each lane

/* A lane's sums of a chunk into shared memory, and added from there. */
__device__ __forceinline__ void chunk_store(const float *sum, uint32_t to)
{
#pragma unroll
	for (int j = 0; j < CHUNK_SUMS; j += 4)
		shared_store(to + j / 4 * QUADS_BYTES,
					 make_uint4(__float_as_uint(sum[j]), __float_as_uint(sum[j + 1]),
								__float_as_uint(sum[j + 2]), __float_as_uint(sum[j + 3])));
}
__device__ __forceinline__ void chunk_add(float *sum, uint32_t from)
{
#pragma unroll
	for (int j = 0; j < CHUNK_SUMS; j += 4) {
		uint4 x = shared_load(from + j / 4 * QUADS_BYTES);
		sum[j] += __uint_as_float(x.x);
		sum[j + 1] += __uint_as_float(x.y);
		sum[j + 2] += __uint_as_float(x.z);
		sum[j + 3] += __uint_as_float(x.w);
	}
}

/* Adds the other blocks' partial sums to those of the chunks that this block owns. A warp exchanges
 * with the warps of the same rows in the other blocks; its mbarrier counts the bytes that arrive.
 * No block may end before all are through with this.
 *
 * At its owner, a chunk of sender s lies in slot (d - 1) * most_chunks + number, where
 * d = (s - owner) mod split is from 1 to split - 1, and `number` counts the owner's chunks. */
template <class config>
__device__ __forceinline__ void split_k_reduce(const shared_layout<config> &shared, divisor split,
											   float (&sum)[config::SUMS], int consumer)
{
	constexpr int CHUNKS = config::CHUNKS;
	int warp = threadIdx.x / 32, lane = threadIdx.x % 32, rank = schedule<config>::split_rank();
	uint32_t of_warp = warp % 4 * WARP_CHUNK_BYTES;
	uint32_t send = shared.base + consumer * CHUNKS * CHUNK_BYTES + of_warp;
	uint32_t receive =
		shared.base + config::RECEIVED_OFFSET + consumer * config::RECEIVED_BYTES + of_warp;
	uint32_t barrier = shared.full + 8 * (config::SUM_BARRIERS + warp);
	int most_chunks = split.quotient(CHUNKS + split.value - 1); // of an owner
	int own_chunks = split.quotient(CHUNKS - rank + split.value - 1);

	named_barrier(1, config::CONSUMERS * WARPGROUP); // all consumers have read the stages
#pragma unroll
	for (int i = 0; i < CHUNKS; i++)
		if (split.remainder(i) != rank)
			chunk_store(&sum[i * CHUNK_SUMS], send + i * CHUNK_BYTES + lane * 16);
	if (lane == 0)
		mbarrier_expect(barrier, (split.value - 1) * own_chunks * WARP_CHUNK_BYTES);
	fence_async_shared();
	__syncwarp();
	int owner = split.remainder(lane); // of chunk number `lane`
	int d = rank - owner + (rank < owner ? split.value : 0);
	if (lane < CHUNKS && owner != rank) {
		int slot = (d - 1) * most_chunks + split.quotient(lane);
		bulk_push(cluster_address(receive + slot * CHUNK_BYTES, owner), send + lane * CHUNK_BYTES,
				  WARP_CHUNK_BYTES, cluster_address(barrier, owner));
	}
	mbarrier_wait(barrier, 0);
#pragma unroll
	for (int i = 0; i < CHUNKS; i++)
		if (split.remainder(i) == rank) {
			uint32_t from = receive + split.quotient(i) * CHUNK_BYTES + lane * 16;
#pragma unroll 2
			for (int other = 1; other < split.value; other++, from += most_chunks * CHUNK_BYTES)
				chunk_add(&sum[i * CHUNK_SUMS], from);
		}
}
} // namespace hopper

#endif
