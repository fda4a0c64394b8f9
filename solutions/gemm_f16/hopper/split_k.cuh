/* Split-K over distributed shared memory: each block of a cluster has partial sums of the whole
 * tile, and reduces and stores every `split`-th chunk of 32 columns. The others push their partial
 * sums of a chunk to its owner, from the stages (free by then, as such blocks have one tile each)
 * into room that nobody else uses. */
#ifndef HOPPER_SPLIT_K_CUH
#define HOPPER_SPLIT_K_CUH

#include "scheduler.cuh"

namespace hopper
{
constexpr int WARP_CHUNK_BYTES = CHUNK_BYTES / 4;
constexpr int QUADS_BYTES = 32 * 16; // four sums of each lane

/* Where a consumer's partial sums of its first chunk lie; the other chunks follow. */
template <class config>
__device__ __forceinline__ uint32_t partial_sums(uint32_t base, int consumer)
{
	return base + consumer * config::CHUNKS * CHUNK_BYTES;
}

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
 * No block may end before all are through with this. */
template <class config>
__device__ __forceinline__ void split_k_reduce(float (&sum)[config::SUMS], uint32_t base,
											   uint32_t full, int consumer, divisor split)
{
	constexpr int CHUNKS = config::CHUNKS;
	int warp = threadIdx.x / 32, lane = threadIdx.x % 32, rank = split_rank<config>();
	uint32_t part = warp % 4 * WARP_CHUNK_BYTES;
	uint32_t mine = partial_sums<config>(base, consumer) + part;
	uint32_t pushed = base + config::PUSHED_OFFSET + consumer * config::PUSHED_BYTES + part;
	uint32_t barrier = full + 8 * (config::SUM_BARRIERS + warp);
	/* chunks of an owner, at most; what the block `ahead` ranks before the owner pushes lies from
	 * slot (ahead - 1) * `slots` on */
	int slots = split.quotient(CHUNKS + split.value - 1);
	int own = split.quotient(CHUNKS - rank + split.value - 1);

	named_barrier(1, config::CONSUMERS * WARPGROUP); // all consumers have read the stages
#pragma unroll
	for (int i = 0; i < CHUNKS; i++)
		if (split.remainder(i) != rank)
			chunk_store(&sum[i * CHUNK_SUMS], mine + i * CHUNK_BYTES + lane * 16);
	if (lane == 0)
		mbarrier_expect(barrier, (split.value - 1) * own * WARP_CHUNK_BYTES);
	fence_async_shared();
	__syncwarp();
	int owner = split.remainder(lane), ahead = rank - owner + (rank < owner ? split.value : 0);
	if (lane < CHUNKS && owner != rank) {
		int slot = (ahead - 1) * slots + split.quotient(lane);
		bulk_push(cluster_address(pushed + slot * CHUNK_BYTES, owner), mine + lane * CHUNK_BYTES,
				  WARP_CHUNK_BYTES, cluster_address(barrier, owner));
	}
	mbarrier_wait(barrier, 0);
#pragma unroll
	for (int i = 0; i < CHUNKS; i++)
		if (split.remainder(i) == rank) {
			uint32_t from = pushed + split.quotient(i) * CHUNK_BYTES + lane * 16;
#pragma unroll 2
			for (int other = 1; other < split.value; other++, from += slots * CHUNK_BYTES)
				chunk_add(&sum[i * CHUNK_SUMS], from);
		}
}
} // namespace hopper

#endif
