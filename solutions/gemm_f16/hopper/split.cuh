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

/* A warp's places in shared memory: of its own sums, of those that are pushed to it, chunks
 * CHUNK_SUMS_BYTES apart; and the mbarrier that says when the others' can be taken. */
struct sums_places {
	uint32_t mine, pushed, barrier;
};

/* Chunks that a block finishes, at most; those of the block `ahead` places behind it are pushed
 * to the places from number (ahead - 1) * OWN_CHUNKS on. */
template <class config, int SPLITS>
constexpr int OWN_CHUNKS = (config::CHUNKS + SPLITS - 1) / SPLITS;

/* What the block `ahead` places behind this one has of this one's chunk number `own`. */
template <class config, int SPLITS>
__device__ __forceinline__ void other_load(float (&x)[CHUNK_SUMS], const sums_places &at, int ahead,
										   int own)
{
	uint32_t from = at.pushed + threadIdx.x % 32 * 16 +
					((ahead - 1) * OWN_CHUNKS<config, SPLITS> + own) * CHUNK_SUMS_BYTES;
#pragma unroll
	for (int j = 0; j < CHUNK_SUMS; j += 4) {
		uint4 sums = shared_load(from + j / 4 * QUADS_BYTES);
		x[j] = __uint_as_float(sums.x);
		x[j + 1] = __uint_as_float(sums.y);
		x[j + 2] = __uint_as_float(sums.z);
		x[j + 3] = __uint_as_float(sums.w);
	}
}

/* Adds what the other blocks have of this one's chunks, number `first` of its own and the
 * OWN - 1 behind it. Up to four loads of chunks are under way at once. */
template <class config, int SPLITS, int OWN>
__device__ __forceinline__ void others_add(float (&sum)[config::SUMS], const sums_places &at,
										   int rank, int first)
{
	constexpr int CHUNKS = config::CHUNKS, TOGETHER = SPLITS - 1 < 4 ? SPLITS - 1 : 3;
	float all[OWN][CHUNK_SUMS] = {};
#pragma unroll
	for (int ahead = 1; ahead < SPLITS; ahead += TOGETHER) {
		float x[OWN][TOGETHER][CHUNK_SUMS] = {};
#pragma unroll
		for (int k = 0; k < OWN; k++)
#pragma unroll
			for (int o = 0; o < TOGETHER; o++)
				if (ahead + o < SPLITS && (first + k) * SPLITS + rank < CHUNKS)
					other_load<config, SPLITS>(x[k][o], at, ahead + o, first + k);
#pragma unroll
		for (int k = 0; k < OWN; k++)
#pragma unroll
			for (int o = 0; o < TOGETHER; o++)
#pragma unroll
				for (int j = 0; j < CHUNK_SUMS; j++)
					all[k][j] += x[k][o][j];
	}
	/* which registers are this block's depends on its rank */
#pragma unroll
	for (int k = 0; k < OWN; k++)
#pragma unroll
		for (int r = 0; r < SPLITS; r++)
#pragma unroll
			for (int j = 0; j < CHUNK_SUMS; j++)
				if ((first + k) * SPLITS + r < CHUNKS)
					sum[((first + k) * SPLITS + r) * CHUNK_SUMS + j] +=
						r == rank ? all[k][j] : 0.0f;
}

/* A warp's sums of the chunks that others own, into its own places. */
template <class config, int SPLITS>
__device__ __forceinline__ void sums_store(const float (&sum)[config::SUMS], uint32_t mine,
										   int rank)
{
	int lane = threadIdx.x % 32;
#pragma unroll
	for (int i = 0; i < config::CHUNKS; i++)
		if (i % SPLITS != rank)
#pragma unroll
			for (int j = 0; j < CHUNK_SUMS; j += 4) {
				const float *from = &sum[i * CHUNK_SUMS + j];
				shared_store(mine + i * CHUNK_SUMS_BYTES + lane * 16 + j / 4 * QUADS_BYTES,
							 make_uint4(__float_as_uint(from[0]), __float_as_uint(from[1]),
										__float_as_uint(from[2]), __float_as_uint(from[3])));
			}
}

/* Sends the warps of the same rows in the other blocks the sums of their chunks, and waits for
 * all of its own; their mbarrier counts the bytes. */
template <class config, int SPLITS>
__device__ __forceinline__ void sums_push(const sums_places &at, int rank)
{
	int lane = threadIdx.x % 32, own = (config::CHUNKS - rank + SPLITS - 1) / SPLITS;
	if (lane == 0)
		mbarrier_expect(at.barrier, (SPLITS - 1) * own * WARP_SUMS_BYTES);
	fence_async_shared();
	__syncwarp();
	int owner = lane % SPLITS, ahead = rank - owner + (rank < owner ? SPLITS : 0);
	if (lane < config::CHUNKS && owner != rank) {
		int place = (ahead - 1) * OWN_CHUNKS<config, SPLITS> + lane / SPLITS;
		bulk_push(cluster_address(at.pushed + place * CHUNK_SUMS_BYTES, owner),
				  at.mine + lane * CHUNK_SUMS_BYTES, WARP_SUMS_BYTES,
				  cluster_address(at.barrier, owner));
	}
	mbarrier_wait(at.barrier, 0);
}

/* Exchange between exactly SPLITS blocks, of which none may end before the others are through
 * with this. */
template <class config, int SPLITS>
__device__ __forceinline__ void exchange_between(float (&sum)[config::SUMS], const sums_places &at,
												 int rank)
{
	constexpr int OWN = OWN_CHUNKS<config, SPLITS>, MOST = 4 / (SPLITS - 1);
	constexpr int TOGETHER = MOST < 1 ? 1 : MOST < OWN ? MOST : OWN;
	sums_store<config, SPLITS>(sum, at.mine, rank);
	sums_push<config, SPLITS>(at, rank);
#pragma unroll
	for (int first = 0; first < OWN; first += TOGETHER)
		others_add<config, SPLITS, TOGETHER>(sum, at, rank, first);
}

/* Adds the other blocks' sums to those that this block finishes. */
template <class config>
__device__ __forceinline__ void exchange_sums(float (&sum)[config::SUMS], uint32_t base,
											  uint32_t full, int consumer, int splits)
{
	int warp = threadIdx.x / 32, rank = split_rank<config>();
	uint32_t part = warp % 4 * WARP_SUMS_BYTES;
	sums_places at = {shared_sums<config>(base, consumer) + part,
					  base + config::pushed_offset + consumer * config::pushed_bytes + part,
					  full + 8 * (config::sums_barriers + warp)};
	named_barrier(1, config::CONSUMERS * WARPGROUP); // everybody has read the stages
	if (splits == 2)
		exchange_between<config, 2>(sum, at, rank);
	else if (config::SPLITS >= 4 && splits == 4)
		exchange_between<config, 4>(sum, at, rank);
	else if (config::SPLITS >= 6 && splits == 6)
		exchange_between<config, 6>(sum, at, rank);
	else if (config::SPLITS >= 8)
		exchange_between<config, 8>(sum, at, rank);
}

#endif
