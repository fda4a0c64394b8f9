/* Copies a row-major matrix into rows that TMA can address: the leading
 * dimension becomes a multiple of 64 elements (128 bytes), the values stay.
 *
 * A thread makes 8 elements (16 bytes) of a padded row. Their source starts at
 * any even address: the thread reads the two aligned 16-byte words around it
 * and shifts them together. Memory outside of the matrix is never read: at its
 * two ends single elements are. Padding is left as it is, because the tensor
 * map has the true row length and TMA fills what lies beyond with zeros. */
#ifndef GEMMJUDGE_HOPPER_REPACK_CUH
#define GEMMJUDGE_HOPPER_REPACK_CUH

#include "ptx.cuh"
#include "words.cuh"

constexpr int REPACK_THREADS = 256;

struct repack_job {
	odd_matrix from; // rows = 0: nothing to do
	uint16_t *to;
	int padded; // leading dimension of `to`, a multiple of 8
};

/* A warp copies a row: the shift is the same for all of it, its ends excepted. */
__device__ __forceinline__ void repack_row(const repack_job &job, int row)
{
	constexpr int DEEP = 4; // units of a lane that are under way at once
	const uint16_t *from = job.from.data + (size_t)row * job.from.columns;
	uint4 *to = (uint4 *)(job.to + (size_t)row * job.padded);
	int units = (job.from.columns + 7) / 8;
	for (int first = threadIdx.x % 32; first < units; first += 32 * DEEP) {
		uint4 low[DEEP], high[DEEP];
		uint32_t shift[DEEP];
#pragma unroll
		for (int i = 0; i < DEEP; i++) {
			int column = (first + 32 * i) * 8;
			unit_load(job.from, row, column, job.from.columns - column, from + column, low[i],
					  high[i], shift[i]);
		}
#pragma unroll
		for (int i = 0; i < DEEP; i++)
			if (first + 32 * i < units)
				to[first + 32 * i] = shift_together(low[i], high[i], shift[i]);
	}
}

/* Both operands in one launch; a job without rows costs nothing. */
static __global__ void __launch_bounds__(REPACK_THREADS) repack(repack_job a, repack_job b)
{
	dependents_launch();
	int warp = (blockIdx.x * REPACK_THREADS + threadIdx.x) / 32;
	int warps = gridDim.x * REPACK_THREADS / 32;
	for (int row = warp; row < a.from.rows + b.from.rows; row += warps) {
		if (row < a.from.rows)
			repack_row(a, row);
		else
			repack_row(b, row - a.from.rows);
	}
}

#endif
