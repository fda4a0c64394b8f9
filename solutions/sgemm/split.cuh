/* What blocks need that share a tile of C along K. Steps 11 and cosma share it. */
#ifndef GEMMJUDGE_SGEMM_SPLIT_CUH
#define GEMMJUDGE_SGEMM_SPLIT_CUH

#include "epilogue.cuh"

/* Partial sums of a split product: SPLIT_K planes like C for the reduction
 * kernel; for atomics one such plane, and for each tile of C how many blocks are
 * done with it, both 0 at the start. */
struct split_sums {
	float *sums;
	int *done;
};

/* Whether this block is the last of those that share its tile of C: it sees all their sums then. */
static __device__ bool is_last(int *done, int blocks)
{
	__shared__ bool last;
	__threadfence();
	__syncthreads();
	if (threadIdx.x == 0)
		last = atomicAdd(done, 1) == blocks - 1;
	__syncthreads();
	__threadfence();
	return last;
}

/* A block hands the sums of its tile to the epilogue, and leaves zeros if LEAVES_ZEROS. Up to 16
 * are read before anything is stored: no load passes a store to what may be the same place, and one
 * after the other each would wait for memory (64 a thread took 22 us on an H200). */
template <int TILE_M, int TILE_N, int THREADS, bool LEAVES_ZEROS>
static __device__ __forceinline__ void hand_over_sums(float *sums, int row0, int column0,
													  const epilogue<float> &out)
{
	constexpr int EACH = (TILE_M * TILE_N + THREADS - 1) / THREADS,
				  TOGETHER = EACH < 16 ? EACH : 16;
#pragma unroll 1
	for (int first = threadIdx.x; first < TILE_M * TILE_N; first += TOGETHER * THREADS) {
		auto place = [&](int i, int &row, int &column) {
			int e = first + i * THREADS;
			row = e < TILE_M * TILE_N ? row0 + e / TILE_N : out.M;
			column = column0 + e % TILE_N;
		};
		float held[TOGETHER][1];
		int row, column;
#pragma unroll
		for (int i = 0; i < TOGETHER; i++) {
			place(i, row, column);
			held[i][0] =
				row < out.M && column < out.N ? __ldcg(&sums[(size_t)row * out.N + column]) : 0.0f;
		}
#pragma unroll
		for (int i = 0; i < TOGETHER && LEAVES_ZEROS; i++) {
			place(i, row, column);
			if (row < out.M && column < out.N)
				sums[(size_t)row * out.N + column] = 0.0f;
		}
		out.store_all(out.M, held, place);
	}
}

/* A thread an element: adds up the planes. */
static __global__ void reduce(const float *sums, int planes, epilogue<float> out)
{
	int row = blockIdx.y;
	int column = blockIdx.x * blockDim.x + threadIdx.x;
	if (column >= out.N)
		return;
	float sum = 0.0f;
#pragma unroll 16 // so many loads are under way
	for (int i = 0; i < planes; i++)
		sum += sums[((size_t)i * out.M + row) * out.N + column];
	out.store(row, column, sum);
}

#endif
