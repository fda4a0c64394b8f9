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

constexpr int REPACK_THREADS = 256;

struct repack_job {
	const uint16_t *from;
	uint16_t *to;
	int rows, columns; // rows = 0: nothing to do
	int padded;        // leading dimension of `to`, a multiple of 8
};

/* The 16 bytes that start `shift` bytes (even, 0..14) into two words. */
__device__ __forceinline__ uint4 shift_together(uint4 low, uint4 high, uint32_t shift)
{
	uint32_t w[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
	if (shift & 8)
#pragma unroll
		for (int i = 0; i < 6; i++)
			w[i] = w[i + 2];
	if (shift & 4)
#pragma unroll
		for (int i = 0; i < 5; i++)
			w[i] = w[i + 1];
	if (shift & 2)
#pragma unroll
		for (int i = 0; i < 4; i++)
			w[i] = __funnelshift_r(w[i], w[i + 1], 16);
	return make_uint4(w[0], w[1], w[2], w[3]);
}

/* Unit number `unit` of a row: 8 elements from column 8 * unit on. */
__device__ __forceinline__ uint4 repack_read(const repack_job &job, const uint16_t *from,
											 uint32_t shift)
{
	const uint16_t *end = job.from + (size_t)job.rows * job.columns;
	const uint4 *word = (const uint4 *)((uintptr_t)from - shift);
	if ((const uint16_t *)word >= job.from && (const uint16_t *)(word + 1) <= end &&
		(shift == 0 || (const uint16_t *)(word + 2) <= end)) {
		uint4 low = __ldg(word), high = shift != 0 ? __ldg(word + 1) : low;
		return shift_together(low, high, shift);
	}
	uint16_t element[8];
#pragma unroll
	for (int i = 0; i < 8; i++)
		element[i] = from + i < end ? from[i] : 0;
	return make_uint4(
		element[0] | (uint32_t)element[1] << 16, element[2] | (uint32_t)element[3] << 16,
		element[4] | (uint32_t)element[5] << 16, element[6] | (uint32_t)element[7] << 16);
}

/* A warp copies a row: the shift is the same for all of it. */
__device__ __forceinline__ void repack_row(const repack_job &job, uint32_t row)
{
	constexpr int DEEP = 4; // units of a lane that are under way at once
	const uint16_t *from = job.from + (size_t)row * job.columns;
	uint4 *to = (uint4 *)(job.to + (size_t)row * job.padded);
	uint32_t shift = (uintptr_t)from % 16, units = (job.columns + 7) / 8;
	for (uint32_t first = threadIdx.x % 32; first < units; first += 32 * DEEP) {
		uint4 values[DEEP];
#pragma unroll
		for (int i = 0; i < DEEP; i++)
			if (first + 32 * i < units)
				values[i] = repack_read(job, from + (first + 32 * i) * 8, shift);
#pragma unroll
		for (int i = 0; i < DEEP; i++)
			if (first + 32 * i < units)
				to[first + 32 * i] = values[i];
	}
}

/* Both operands in one launch; a job without rows costs nothing. */
static __global__ void __launch_bounds__(REPACK_THREADS) repack(repack_job a, repack_job b)
{
	dependents_launch();
	uint32_t warp = (blockIdx.x * REPACK_THREADS + threadIdx.x) / 32;
	uint32_t warps = gridDim.x * REPACK_THREADS / 32;
	for (uint32_t row = warp; row < (uint32_t)(a.rows + b.rows); row += warps) {
		if (row < (uint32_t)a.rows)
			repack_row(a, row);
		else
			repack_row(b, row - a.rows);
	}
}

#endif
