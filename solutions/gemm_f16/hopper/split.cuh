/* Blocks of a cluster that share a tile along K: each has sums of the whole tile, and
 * finishes every `splits`-th chunk of 32 columns. The others' sums of a chunk go to
 * its owner through distributed shared memory; the stages are free by then, as such
 * blocks have one tile each. */
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

/* Adds the other blocks' sums to those that this block finishes. A warp hands its sums to
 * the warps of the same rows in the other blocks, by an mbarrier of theirs, and takes their
 * sums from where they lie; so no block may end before the others are through with this. */
template <class config>
__device__ __forceinline__ void exchange_sums(float (&sum)[config::SUMS], uint32_t base,
											  uint32_t full, int consumer, int rank, int splits)
{
	constexpr int CHUNKS = config::BN / CHUNK, QUADS = CHUNK_SUMS / 4;
	constexpr int TOGETHER =
		config::SPLITS < 4 ? config::SPLITS - 1 : 3; // blocks that are asked at once
	uint32_t mine = shared_sums<config>(base, consumer) + threadIdx.x % WARPGROUP * 16;
	uint32_t barrier = full + 8 * (config::sums_barriers + (int)threadIdx.x / 32);
	named_barrier(1, config::CONSUMERS * WARPGROUP); // everybody has read the stages
#pragma unroll
	for (int i = 0; i < CHUNKS; i++)
		if (i % splits != rank)
#pragma unroll
			for (int j = 0; j < QUADS; j++) {
				const float *from = &sum[(i * QUADS + j) * 4];
				shared_store(mine + (i * QUADS + j) * WARPGROUP * 16,
							 make_uint4(__float_as_uint(from[0]), __float_as_uint(from[1]),
										__float_as_uint(from[2]), __float_as_uint(from[3])));
			}
	__syncwarp();
	int lane = threadIdx.x % 32;
	if (lane < splits && lane != rank)
		mbarrier_release_cluster(barrier, lane);
	mbarrier_acquire_cluster(barrier, 0);
#pragma unroll
	for (int i = 0; i < CHUNKS; i++)
		if (i % splits == rank) {
#pragma unroll
			for (int first = 1; first < config::SPLITS; first += TOGETHER) {
				float x[TOGETHER][QUADS][4] = {};
#pragma unroll
				for (int o = 0; o < TOGETHER; o++)
					if (first + o < splits) {
						int other = (rank + first + o) % splits;
						uint32_t there = cluster_address(mine, other);
#pragma unroll
						for (int j = 0; j < QUADS; j++)
							cluster_load(x[o][j], there + (i * QUADS + j) * WARPGROUP * 16);
					}
#pragma unroll
				for (int o = 0; o < TOGETHER; o++)
#pragma unroll
					for (int j = 0; j < CHUNK_SUMS; j++)
						sum[i * CHUNK_SUMS + j] += x[o][j / 4][j % 4];
			}
		}
}

#endif
