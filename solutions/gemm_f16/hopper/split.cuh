/* Blocks of a cluster that share a tile along K: each has sums of the whole tile, and
 * finishes every `splits`-th chunk of 32 columns. The others' sums of a chunk are pushed
 * to its owner through distributed shared memory: from the stages, which are free by then, as
 * such blocks have one tile each, into room that nobody else uses. */
#ifndef GEMMJUDGE_HOPPER_SPLIT_CUH
#define GEMMJUDGE_HOPPER_SPLIT_CUH

#include "tile.cuh"

constexpr int WARP_SUMS_BYTES = CHUNK_SUMS_BYTES / 4; // of a consumer's four warps
constexpr int QUADS_BYTES = 32 * 16;                  // four sums of each lane

/* Where a consumer's sums of its first chunk lie; those of the others follow. Of a chunk each
 * warp's sums lie together. */
template <class config> __device__ __forceinline__ uint32_t shared_sums(uint32_t base, int consumer)
{
	return base + consumer * config::CHUNKS * CHUNK_SUMS_BYTES;
}

/* A lane's sums of a chunk into shared memory, and added to from there. */
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

/* Adds the other blocks' sums to those that this block finishes. A warp exchanges with those
 * of the same rows in the other blocks, and its mbarrier counts the bytes that come. No block
 * may end before all are through with this. */
template <class config>
__device__ __forceinline__ void exchange_sums(float (&sum)[config::SUMS], uint32_t base,
											  uint32_t full, int consumer, divisor splits)
{
	constexpr int CHUNKS = config::CHUNKS;
	int warp = threadIdx.x / 32, lane = threadIdx.x % 32, rank = split_rank<config>();
	uint32_t part = warp % 4 * WARP_SUMS_BYTES;
	uint32_t mine = shared_sums<config>(base, consumer) + part;
	uint32_t pushed = base + config::pushed_offset + consumer * config::pushed_bytes + part;
	uint32_t barrier = full + 8 * (config::sums_barriers + warp);
	/* chunks that a block finishes, at most; those of the block `ahead` places behind this one
	 * come to the places from number (ahead - 1) * `places` on */
	int places = splits.into(CHUNKS + splits.value - 1);
	int own = splits.into(CHUNKS - rank + splits.value - 1);

	named_barrier(1, config::CONSUMERS * WARPGROUP); // everybody has read the stages
#pragma unroll
	for (int i = 0; i < CHUNKS; i++)
		if (splits.rest(i) != rank)
			chunk_store(&sum[i * CHUNK_SUMS], mine + i * CHUNK_SUMS_BYTES + lane * 16);
	if (lane == 0)
		mbarrier_expect(barrier, (splits.value - 1) * own * WARP_SUMS_BYTES);
	fence_async_shared();
	__syncwarp();
	int owner = splits.rest(lane), ahead = rank - owner + (rank < owner ? splits.value : 0);
	if (lane < CHUNKS && owner != rank) {
		int place = (ahead - 1) * places + splits.into(lane);
		bulk_push(cluster_address(pushed + place * CHUNK_SUMS_BYTES, owner),
				  mine + lane * CHUNK_SUMS_BYTES, WARP_SUMS_BYTES, cluster_address(barrier, owner));
	}
	mbarrier_wait(barrier, 0);
#pragma unroll
	for (int i = 0; i < CHUNKS; i++)
		if (splits.rest(i) == rank) {
			uint32_t from = pushed + splits.into(i) * CHUNK_SUMS_BYTES + lane * 16;
#pragma unroll 2
			for (int other = 1; other < splits.value; other++, from += places * CHUNK_SUMS_BYTES)
				chunk_add(&sum[i * CHUNK_SUMS], from);
		}
}

#endif
