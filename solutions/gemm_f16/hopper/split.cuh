/* Blocks of a cluster that share a tile along K: each has sums of the whole tile, and
 * finishes every `splits`-th chunk of 32 columns. The others' sums of a chunk go to
 * its owner through distributed shared memory; the stages are free by then, as such
 * blocks have one tile each. Either the owner fetches them when it is told that they are
 * there, or they are pushed to it, into room that nobody else uses. */
#ifndef GEMMJUDGE_HOPPER_SPLIT_CUH
#define GEMMJUDGE_HOPPER_SPLIT_CUH

#include "tile.cuh"

constexpr int CHUNK_SUMS = CHUNK / 2;                        // registers of a thread
constexpr int CHUNK_SUMS_BYTES = CHUNK_SUMS * WARPGROUP * 4; // of a consumer

/* Where a consumer's sums of its first chunk lie; those of the others follow. */
template <class config> __device__ __forceinline__ uint32_t shared_sums(uint32_t base, int consumer)
{
	return base + consumer * (config::BN / CHUNK) * CHUNK_SUMS_BYTES;
}

/* What the block `ahead` places behind this one has of a chunk. */
template <int SPLITS>
__device__ __forceinline__ void other_load(float (&x)[CHUNK_SUMS], uint32_t mine, int rank,
										   int ahead, int chunk)
{
	int other = rank + ahead;
	uint32_t there = cluster_address(mine, other < SPLITS ? other : other - SPLITS);
#pragma unroll
	for (int j = 0; j < CHUNK_SUMS; j += 4) {
		float quad[4];
		cluster_load(quad, there + chunk * CHUNK_SUMS_BYTES + j * WARPGROUP * 4);
#pragma unroll
		for (int i = 0; i < 4; i++)
			x[j + i] = quad[i];
	}
}

/* Adds what the other blocks have of this one's chunks, number `first` of its own and the
 * OWN - 1 behind it; `load` gets that of the block `ahead` places behind this one. Up to four
 * loads of chunks are under way at once. */
template <class config, int SPLITS, int OWN, class Load>
__device__ __forceinline__ void others_add(float (&sum)[config::SUMS], int rank, int first,
										   Load load)
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
					load(x[k][o], ahead + o, first + k);
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

/* A warp's sums of the chunks that others own, from `mine` on: its four values each of 4
 * sums a thread, `step` bytes apart; chunks are CHUNK_SUMS_BYTES apart. */
template <class config, int SPLITS>
__device__ __forceinline__ void sums_store(const float (&sum)[config::SUMS], uint32_t mine,
										   int step, int rank)
{
#pragma unroll
	for (int i = 0; i < config::CHUNKS; i++)
		if (i % SPLITS != rank)
#pragma unroll
			for (int j = 0; j < CHUNK_SUMS; j += 4) {
				const float *from = &sum[i * CHUNK_SUMS + j];
				shared_store(mine + i * CHUNK_SUMS_BYTES + j / 4 * step,
							 make_uint4(__float_as_uint(from[0]), __float_as_uint(from[1]),
										__float_as_uint(from[2]), __float_as_uint(from[3])));
			}
}

/* Exchange between exactly SPLITS blocks. A warp hands its sums to the warps of the same rows
 * in the other blocks, by an mbarrier of theirs, and takes their sums from where they lie; so
 * no block may end before the others are through with this. */
template <class config, int SPLITS>
__device__ __forceinline__ void exchange_between(float (&sum)[config::SUMS], uint32_t mine,
												 uint32_t barrier, int rank)
{
	constexpr int OWN = (config::CHUNKS + SPLITS - 1) / SPLITS;
	constexpr int MOST = 4 / (SPLITS - 1), TOGETHER = MOST < 1 ? 1 : MOST < OWN ? MOST : OWN;
	sums_store<config, SPLITS>(sum, mine, WARPGROUP * 16, rank);
	__syncwarp();
	int lane = threadIdx.x % 32;
	if (lane < SPLITS && lane != rank)
		mbarrier_release_cluster(barrier, lane);
	mbarrier_acquire_cluster(barrier, 0);
#pragma unroll
	for (int first = 0; first < OWN; first += TOGETHER)
		others_add<config, SPLITS, TOGETHER>(
			sum, rank, first, [&](float(&x)[CHUNK_SUMS], int ahead, int own) {
				other_load<SPLITS>(x, mine, rank, ahead, own * SPLITS + rank);
			});
}

constexpr int WARP_SUMS_BYTES = CHUNK_SUMS_BYTES / 4; // of a chunk and warp: 512 for 4 of a thread

/* The same where sums are pushed: `mine` and `pushed` are this warp's places among the sums to
 * send and those that are received, chunks again CHUNK_SUMS_BYTES apart; the barrier counts the
 * bytes. The block from which they come that is `ahead` places behind this one has place
 * `ahead` - 1. */
template <class config, int SPLITS>
__device__ __forceinline__ void push_between(float (&sum)[config::SUMS], uint32_t mine,
											 uint32_t pushed, uint32_t barrier, int rank)
{
	constexpr int OWN = (config::CHUNKS + SPLITS - 1) / SPLITS;
	int lane = threadIdx.x % 32, own = (config::CHUNKS - rank + SPLITS - 1) / SPLITS;
	if (lane == 0)
		mbarrier_expect(barrier, (SPLITS - 1) * own * WARP_SUMS_BYTES);
	sums_store<config, SPLITS>(sum, mine + lane * 16, 512, rank);
	fence_async_shared();
	__syncwarp();
	int owner = lane % SPLITS, ahead = rank - owner + (rank < owner ? SPLITS : 0);
	if (lane < config::CHUNKS && owner != rank) {
		uint32_t place = ((ahead - 1) * OWN + lane / SPLITS) * CHUNK_SUMS_BYTES;
		bulk_push(cluster_address(pushed + place, owner), mine + lane * CHUNK_SUMS_BYTES,
				  WARP_SUMS_BYTES, cluster_address(barrier, owner));
	}
	mbarrier_wait(barrier, 0);
#pragma unroll
	for (int first = 0; first < OWN; first++)
		others_add<config, SPLITS, 1>(
			sum, rank, first, [&](float(&x)[CHUNK_SUMS], int ahead, int own) {
				uint32_t place = ((ahead - 1) * OWN + own) * CHUNK_SUMS_BYTES + lane * 16;
#pragma unroll
				for (int j = 0; j < CHUNK_SUMS; j += 4) {
					uint4 quad = shared_load(pushed + place + j / 4 * 512);
					x[j] = __uint_as_float(quad.x);
					x[j + 1] = __uint_as_float(quad.y);
					x[j + 2] = __uint_as_float(quad.z);
					x[j + 3] = __uint_as_float(quad.w);
				}
			});
}

template <class config, int SPLITS>
__device__ __forceinline__ void exchange_by(float (&sum)[config::SUMS], uint32_t base,
											uint32_t barrier, int consumer, int rank)
{
	int thread = threadIdx.x % WARPGROUP;
	uint32_t mine = shared_sums<config>(base, consumer);
	if constexpr (config::PUSH) {
		uint32_t warp = thread / 32 * WARP_SUMS_BYTES;
		uint32_t pushed = base + config::pushed_offset + consumer * config::pushed_bytes;
		push_between<config, SPLITS>(sum, mine + warp, pushed + warp, barrier, rank);
	} else {
		exchange_between<config, SPLITS>(sum, mine + thread * 16, barrier, rank);
	}
}

/* Adds the other blocks' sums to those that this block finishes. */
template <class config>
__device__ __forceinline__ void exchange_sums(float (&sum)[config::SUMS], uint32_t base,
											  uint32_t full, int consumer, int rank, int splits)
{
	uint32_t barrier = full + 8 * (config::sums_barriers + (int)threadIdx.x / 32);
	named_barrier(1, config::CONSUMERS * WARPGROUP); // everybody has read the stages
	if (splits == 2)
		exchange_by<config, 2>(sum, base, barrier, consumer, rank);
	else if (config::SPLITS >= 4 && splits == 4)
		exchange_by<config, 4>(sum, base, barrier, consumer, rank);
	else if (config::SPLITS >= 6 && splits == 6)
		exchange_by<config, 6>(sum, base, barrier, consumer, rank);
	else if (config::SPLITS >= 8)
		exchange_by<config, 8>(sum, base, barrier, consumer, rank);
}

#endif
