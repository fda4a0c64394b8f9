/* The digest of digest.h by a GPU, as quickly as it can be had: nobody is to gain much by doing it
 * otherwise. */
#ifndef GEMMJUDGE_DEVICE_DIGEST_CUDA_CUH
#define GEMMJUDGE_DEVICE_DIGEST_CUDA_CUH

#include <cuda_runtime.h>

#include "base/digest.h"

namespace digest_cuda
{

/* What the kernel tells the host, in memory that both see. */
struct told {
	struct digest digest;
	uint32_t sequence; /* of the launch that is done */
};

/* Memory of one user of the kernel; launches of his must follow one another. */
struct workspace {
	struct digest *levels; /* device; digests of all levels */
	uint64_t capacity;     /* in digests */
	unsigned *ticket;      /* device; 0 between launches */
	told *host;            /* mapped host memory */
	uint32_t sequence;
};

/* A whole piece by one load, where its address allows that. */
__device__ inline struct digest load_piece(const uint8_t *from, uint64_t bytes, uint64_t index)
{
	const uint8_t *at = from + index * sizeof(struct digest);
	if ((index + 1) * sizeof(struct digest) > bytes ||
		reinterpret_cast<uintptr_t>(at) % sizeof(struct digest) != 0)
		return digest_piece(from, bytes, index);
	uint4 four = *reinterpret_cast<const uint4 *>(at);
	return {{four.x, four.y, four.z, four.w}};
}

/* One tile by the whole block. */
__device__ inline void tile(const uint8_t *from, uint64_t bytes, uint32_t index, uint32_t level,
							struct digest *nodes, struct digest *out)
{
	struct digest pieces[DIGEST_PIECES];
	uint32_t leaf = threadIdx.x;
	uint64_t first = static_cast<uint64_t>(index) * DIGEST_LEAVES * DIGEST_PIECES;
#pragma unroll
	for (int i = 0; i < DIGEST_PIECES; i++)
		pieces[i] = load_piece(from, bytes, first + i * DIGEST_LEAVES + leaf);
	nodes[leaf] = digest_leaf(pieces, index, level, leaf);
	__syncthreads();
	uint32_t height = 1;
	for (int count = DIGEST_LEAVES; count > 1; height++) {
		int parents = (count + 3) / 4;
		struct digest parent;
		if (static_cast<int>(leaf) < parents)
			parent = digest_parent(&nodes[4 * leaf], count - 4 * static_cast<int>(leaf), index,
								   level, leaf, height);
		__syncthreads();
		if (static_cast<int>(leaf) < parents)
			nodes[leaf] = parent;
		__syncthreads();
		count = parents;
	}
	if (leaf == 0)
		*out = nodes[0];
}

/* A block a tile; the last one that ends goes on with the levels above. */
__global__ void __launch_bounds__(DIGEST_LEAVES)
	digest_kernel(const uint8_t *from, uint64_t bytes, struct digest *levels, unsigned *ticket,
				  volatile told *host, uint32_t sequence)
{
	__shared__ struct digest nodes[DIGEST_LEAVES];
	__shared__ bool last;
	uint32_t count = gridDim.x;
	tile(from, bytes, blockIdx.x, 0, nodes, &levels[blockIdx.x]);
	if (threadIdx.x == 0) {
		__threadfence();
		last = atomicInc(ticket, count - 1) == count - 1; /* which makes it 0 again */
	}
	__syncthreads();
	if (!last)
		return;
	__threadfence();
	for (uint32_t level = 1; count > 1; level++) {
		uint64_t below = count * sizeof(struct digest);
		uint32_t tiles = static_cast<uint32_t>(digest_tiles(below));
		for (uint32_t i = 0; i < tiles; i++)
			tile(reinterpret_cast<const uint8_t *>(levels), below, i, level, nodes,
				 &levels[count + i]);
		__syncthreads();
		levels += count;
		count = tiles;
	}
	if (threadIdx.x != 0)
		return;
	for (int i = 0; i < 4; i++)
		host->digest.word[i] = levels[0].word[i];
	__threadfence_system();
	host->sequence = sequence;
}

/* Room for outputs of so many bytes. */
inline cudaError_t reserve(workspace *space, uint64_t bytes)
{
	uint64_t needed = digest_tiles(bytes);
	needed += needed / 64 + 16; /* the levels above: each has a 1024th of the one below */
	cudaError_t code = cudaSuccess;
	if (space->ticket == nullptr) {
		code = cudaMalloc(&space->ticket, sizeof *space->ticket);
		if (code == cudaSuccess)
			code = cudaMemset(space->ticket, 0, sizeof *space->ticket);
		if (code == cudaSuccess)
			code = cudaHostAlloc(&space->host, sizeof *space->host, cudaHostAllocMapped);
		if (code == cudaSuccess)
			space->host->sequence = 0;
	}
	if (code != cudaSuccess || needed <= space->capacity)
		return code;
	cudaFree(space->levels);
	space->capacity = 0;
	code = cudaMalloc(&space->levels, needed * sizeof *space->levels);
	if (code == cudaSuccess)
		space->capacity = needed;
	return code;
}

/* Starts it on the default stream; the digest is there when wait() says so. */
inline cudaError_t start(workspace *space, const void *from, uint64_t bytes)
{
	unsigned tiles = static_cast<unsigned>(digest_tiles(bytes));
	digest_kernel<<<tiles, DIGEST_LEAVES>>>(static_cast<const uint8_t *>(from), bytes,
											space->levels, space->ticket, space->host,
											++space->sequence);
	return cudaGetLastError();
}

#define DIGEST_LOOKS 100000 /* some tenths of a millisecond between two questions to the device */

/* By looking at the host's memory, which tells sooner than the driver does. */
inline cudaError_t wait(workspace *space, struct digest *out)
{
	volatile told *host = space->host;
	bool ended = false;
	while (host->sequence != space->sequence) {
		for (int i = 0; i < DIGEST_LOOKS && host->sequence != space->sequence; i++)
			;
		if (host->sequence == space->sequence)
			break;
		cudaError_t code = cudaStreamQuery(nullptr);
		if (code == cudaSuccess && ended)
			return cudaErrorUnknown; /* done, and nothing was told */
		ended = code == cudaSuccess;
		if (code != cudaSuccess && code != cudaErrorNotReady)
			return code;
	}
	for (int i = 0; i < 4; i++)
		out->word[i] = host->digest.word[i];
	return cudaSuccess;
}

inline void release(workspace *space)
{
	cudaFree(space->levels);
	cudaFree(space->ticket);
	cudaFreeHost(space->host);
	*space = {};
}

} // namespace digest_cuda

#endif
