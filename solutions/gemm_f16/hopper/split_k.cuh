/* Split-K. Each of the blocks that share a tile has partial sums of all of it. Chunks of 32 columns
 * are dealt out: chunk i belongs to the block number i % split, which reduces and stores it. The
 * others give it their partial sums of the chunk: the blocks of a cluster through distributed
 * shared memory, blocks anywhere through global memory, which takes longer, but lets as many share
 * a tile as run at once. A warp exchanges with the warps of the same rows. */
#ifndef HOPPER_SPLIT_K_CUH
#define HOPPER_SPLIT_K_CUH

#include "counters.cuh"
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

/* Adds the partial sums of the cluster's other blocks to those of the chunks that this block owns.
 * Sums leave from the stages, which are free by then, as such blocks have one tile each; at the
 * owner they have room of their own. A warp's mbarrier counts the bytes that arrive. No block may
 * end before all are through with this.
 *
 * At its owner, a chunk of sender s lies in slot (d - 1) * most_chunks + number, where
 * d = (s - owner) mod split is from 1 to split - 1, and `number` counts the owner's chunks. */
template <class config>
__device__ __forceinline__ void reduce_by_cluster(const schedule<config> &work,
												  const shared_layout<config> &shared,
												  float (&sum)[config::SUMS], int consumer)
{
	divisor split = work.split;
	constexpr int CHUNKS = config::CHUNKS;
	int warp = threadIdx.x / 32, lane = threadIdx.x % 32, rank = work.split_rank();
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

/* Adds up the sums of a tile that blocks anywhere share. A block's sums lie in memory chunk by
 * chunk, in a chunk warp by warp, and there as chunk_store() would have them. The order of the
 * additions is the same in every call, and so are the bits of the product. */
template <class config>
__device__ __forceinline__ void reduce_by_memory(const schedule<config> &work, int tile,
												 float (&sum)[config::SUMS])
{
	constexpr int CHUNKS = config::CHUNKS, WARPS = 4 * config::CONSUMERS;
	constexpr int VECTORS = CHUNK_SUMS / 4, CHUNK_VECTORS = WARPS * VECTORS * 32;
	int warp = threadIdx.x / 32, lane = threadIdx.x % 32, rank = work.split_rank();
	int chunk_rank = work.chunk_rank(), split = work.split.value;
	uint32_t *counter = work.sums.counters + tile * WARPS + warp;
	uint32_t target = arrivals_target(counter);
	float4 *own = (float4 *)work.sums.sums + (size_t)blockIdx.x * CHUNKS * CHUNK_VECTORS +
				  warp * VECTORS * 32 + lane;
#pragma unroll
	for (int i = 0; i < CHUNKS; i++)
		if (work.split.remainder(i) != chunk_rank)
#pragma unroll
			for (int j = 0; j < VECTORS; j++) {
				const float *from = &sum[i * CHUNK_SUMS + 4 * j];
				own[i * CHUNK_VECTORS + j * 32] = make_float4(from[0], from[1], from[2], from[3]);
			}
	__syncwarp();
	if (lane == 0)
		arrive(counter, rank == 0, split);
	if (chunk_rank >= CHUNKS) // owns none
		return;
	arrivals_wait(counter, target);
#pragma unroll
	for (int i = 0; i < CHUNKS; i++)
		if (work.split.remainder(i) == chunk_rank)
#pragma unroll 4 // loads of so many blocks' sums are in flight together
			for (int j = 1; j < split; j++) {
				int away = rank + j < split ? j : j - split;
				const float4 *from =
					own + i * CHUNK_VECTORS + away * (long long)(CHUNKS * CHUNK_VECTORS);
#pragma unroll
				for (int v = 0; v < VECTORS; v++) {
					float4 x = from[v * 32];
					float *to = &sum[i * CHUNK_SUMS + 4 * v];
					to[0] += x.x;
					to[1] += x.y;
					to[2] += x.z;
					to[3] += x.w;
				}
			}
}
} // namespace hopper

#endif
