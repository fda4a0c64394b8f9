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

struct repack_job {
	odd_matrix from; // rows = 0: nothing to do
	uint16_t *to;
	int padded; // leading dimension of `to`, a multiple of 8
};

/* A warp copies a row: the shift is the same for all of it, its ends excepted. */
__device__ __forceinline__ void repack_row(const repack_job &job, int row)
{
	constexpr int DEEP = 6; // units of a lane that are under way at once
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

/* What a kernel copies before it multiplies; a job without rows is none. `done`
 * has a place for each block, which holds `call` once that block's rows are
 * there: a number that no other call has, so that nothing need be cleared. */
struct packing_work {
	repack_job a, b;
	unsigned long long *done, call;
};

/* All blocks copy. They must all be running at once, which a cooperative launch
 * promises: TMA reads what others have copied. */
__device__ __forceinline__ void repack(const packing_work &work)
{
	int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, warps = gridDim.x * blockDim.x / 32;
	for (int row = warp; row < work.a.from.rows + work.b.from.rows; row += warps) {
		if (row < work.a.from.rows)
			repack_row(work.a, row);
		else
			repack_row(work.b, row - work.a.from.rows);
	}
	/* what was written by ordinary stores will be read by TMA */
	asm volatile("fence.proxy.async;" ::: "memory");
	__syncthreads();
	if (threadIdx.x == 0) {
		__threadfence();
		asm volatile("st.release.gpu.global.u64 [%0], %1;" ::"l"(work.done + blockIdx.x),
					 "l"(work.call)
					 : "memory");
	}
}

/* A warp waits until all blocks have copied. */
__device__ __forceinline__ void repack_wait(const packing_work &work)
{
	for (int block = threadIdx.x % 32; block < gridDim.x; block += 32) {
		unsigned long long call;
		do
			asm volatile("ld.acquire.gpu.global.u64 %0, [%1];"
						 : "=l"(call)
						 : "l"(work.done + block)
						 : "memory");
		while (call != work.call);
	}
	asm volatile("fence.proxy.async;" ::: "memory");
	__syncwarp();
}

#endif
