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

constexpr int PIECE_UNITS = 4; // of a lane: a piece of a row is 128 units, 1024 elements

/* A warp's piece of a row on its way. */
struct repack_piece {
	uint4 low[PIECE_UNITS], high[PIECE_UNITS];
	uint32_t shift;
	uint4 *to;
	int units; // of the row that are copied, from the lane's first on
	bool lead; // the lane's first is left out
};

static __device__ __forceinline__ int repack_pieces(const repack_job &job)
{
	return (job.from.columns + 32 * PIECE_UNITS * 8 - 1) / (32 * PIECE_UNITS * 8);
}

/* Units of a row whose words all lie in the matrix; in the last row, those that
 * have another one behind them. (The very first one's may not: `lead`.) */
static __device__ __forceinline__ int repack_units(const repack_job &job, int row)
{
	return row < job.from.rows - 1 ? (job.from.columns + 7) / 8 : job.from.columns / 8 - 1;
}

__device__ __forceinline__ void piece_load(repack_piece &piece, const repack_job &job, int number)
{
	int pieces = repack_pieces(job), row = number / pieces;
	int first = (number - row * pieces) * 32 * PIECE_UNITS + threadIdx.x % 32;
	const char *from = (const char *)(job.from.data + (size_t)row * job.from.columns);
	piece.shift = (uintptr_t)from % 16;
	piece.to = (uint4 *)(job.to + (size_t)row * job.padded) + first;
	piece.units = repack_units(job, row) - first;
	piece.lead = row == 0 && first == 0 && piece.shift != 0;
	from += (long long)first * 16 - piece.shift;
#pragma unroll
	for (int i = 0; i < PIECE_UNITS; i++) {
		bool wanted = 32 * i < piece.units && !(i == 0 && piece.lead);
		piece.low[i] = word_load(from + i * 512, wanted);
		piece.high[i] = word_load(from + i * 512 + 16, wanted && piece.shift != 0);
	}
}

__device__ __forceinline__ void piece_store(const repack_piece &piece)
{
#pragma unroll
	for (int i = 0; i < PIECE_UNITS; i++)
		if (32 * i < piece.units && !(i == 0 && piece.lead))
			piece.to[32 * i] = shift_together(piece.low[i], piece.high[i], piece.shift);
}

/* What piece_load() leaves out, an element a lane: the last row's end (15 at most) and, of a
 * matrix that starts within a word, the first unit. */
struct repack_ends {
	uint16_t last, first;
};

__device__ __forceinline__ int ends_column(const repack_job &job)
{
	return max(repack_units(job, job.from.rows - 1), 0) * 8 + threadIdx.x % 32;
}

__device__ __forceinline__ repack_ends ends_load(const repack_job &job)
{
	int lane = threadIdx.x % 32, columns = job.from.columns, column = ends_column(job);
	const uint16_t *row = job.from.data + (size_t)(job.from.rows - 1) * columns;
	return {element_load(row + column, column < columns),
			element_load(job.from.data + lane, lane < 8)};
}

__device__ __forceinline__ void ends_store(const repack_ends &ends, const repack_job &job)
{
	int lane = threadIdx.x % 32, column = ends_column(job);
	if (column < job.from.columns)
		job.to[(size_t)(job.from.rows - 1) * job.padded + column] = ends.last;
	if (lane < 8)
		job.to[lane] = ends.first;
}

/* What a kernel copies before it multiplies; a job without rows is none. `blocks` counts those
 * that have copied, in this call and all before it; it is `all` when this call's have. */
struct packing_work {
	repack_job a, b;
	unsigned long long *blocks, all;
};

/* All blocks copy, a warp TOGETHER pieces at a time. They must all be running at
 * once, which a cooperative launch promises: TMA reads what others have copied. */
template <int TOGETHER> __device__ __forceinline__ void repack(const packing_work &work)
{
	int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, warps = gridDim.x * blockDim.x / 32;
	int a = work.a.from.rows * repack_pieces(work.a), b = work.b.from.rows * repack_pieces(work.b);
	/* asked for first, as everybody waits for this warp too */
	repack_job job = warp == 0 ? work.a : work.b;
	bool has_ends = warp < 2 && job.from.rows > 0;
	repack_ends ends = {};
	if (has_ends)
		ends = ends_load(job);
#pragma unroll 1
	for (int first = warp; first < a + b; first += TOGETHER * warps) {
		repack_piece pieces[TOGETHER];
#pragma unroll
		for (int i = 0; i < TOGETHER; i++) {
			int number = first + i * warps;
			pieces[i].units = 0;
			if (number < a + b)
				piece_load(pieces[i], number < a ? work.a : work.b,
						   number < a ? number : number - a);
		}
#pragma unroll
		for (int i = 0; i < TOGETHER; i++)
			piece_store(pieces[i]);
	}
	if (has_ends)
		ends_store(ends, job);
	__syncthreads();
	if (threadIdx.x == 0) // a release is of what the barrier has made this thread's past, too
		asm volatile("red.release.gpu.global.add.u64 [%0], 1;" ::"l"(work.blocks) : "memory");
}

/* A warp waits until all blocks have copied. One number tells, as a trip to the L2 cache takes a
 * third of a microsecond, and loads that acquire go one after the other. What was written by
 * ordinary stores will be read by TMA: the fence for that belongs to the block that reads. */
__device__ __forceinline__ void repack_wait(const packing_work &work)
{
	unsigned long long blocks;
	do
		asm volatile("ld.acquire.gpu.global.u64 %0, [%1];"
					 : "=l"(blocks)
					 : "l"(work.blocks)
					 : "memory");
	while (blocks < work.all);
	fence_async();
	__syncwarp();
}

#endif
