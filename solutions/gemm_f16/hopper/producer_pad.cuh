/* The pad copy: all blocks together copy misaligned operands into rows that TMA can address, whose
 * leading dimension is a multiple of 64 elements. A thread makes 8 elements (16 bytes) of a padded
 * row from the two aligned vectors around them. Padding stays as it is: the tensor map has the true
 * row length, and TMA fills what lies beyond it with zeros.
 */
#ifndef HOPPER_PRODUCER_PAD_CUH
#define HOPPER_PRODUCER_PAD_CUH

#include "counters.cuh"
#include "misaligned.cuh"

namespace hopper
{
struct pad_job {
	matrix_view from; // rows = 0: nothing to copy
	uint16_t *to;
	int ld; // of `to`, a multiple of 64
};

struct pad_work {
	pad_job a, b;
	uint32_t *counter; // of blocks that have copied
};

constexpr int PIECE_VECTORS = PIECE_ELEMENTS / VECTOR / 32; // of a lane

/* A warp's piece of a row, between its loads and its stores. */
struct pad_piece {
	uint4 low[PIECE_VECTORS], high[PIECE_VECTORS];
	uint32_t shift;
	uint4 *to;
	int vectors; // of the row that are copied, from the lane's first on
	bool skip;   // the lane's first is left out
};

static __device__ __forceinline__ int pieces_of(const pad_job &job)
{
	return (job.from.columns + PIECE_ELEMENTS - 1) / PIECE_ELEMENTS;
}

/* Vectors of a row whose sources all lie in the matrix; in the last row, those that have another
 * vector behind them. (The first row's first one may not: `skip`.) */
static __device__ __forceinline__ int whole_vectors(const pad_job &job, int row)
{
	return row < job.from.rows - 1 ? (job.from.columns + 7) / 8 : job.from.columns / 8 - 1;
}

__device__ __forceinline__ void piece_load(pad_piece &piece, const pad_job &job, int number)
{
	int pieces = pieces_of(job), row = number / pieces;
	int first = (number - row * pieces) * 32 * PIECE_VECTORS + threadIdx.x % 32;
	const char *from = (const char *)(job.from.data + (size_t)row * job.from.ld);
	piece.shift = (uintptr_t)from % 16;
	piece.to = (uint4 *)(job.to + (size_t)row * job.ld) + first;
	piece.vectors = whole_vectors(job, row) - first;
	piece.skip = row == 0 && first == 0 && piece.shift != 0;
	from += (long long)first * 16 - piece.shift;
#pragma unroll
	for (int i = 0; i < PIECE_VECTORS; i++) {
		bool wanted = 32 * i < piece.vectors && !(i == 0 && piece.skip);
		piece.low[i] = vector_load(from + i * 512, wanted);
		piece.high[i] = vector_load(from + i * 512 + 16, wanted && piece.shift != 0);
	}
}

__device__ __forceinline__ void piece_store(const pad_piece &piece)
{
#pragma unroll
	for (int i = 0; i < PIECE_VECTORS; i++)
		if (32 * i < piece.vectors && !(i == 0 && piece.skip))
			piece.to[32 * i] = vectors_join(piece.low[i], piece.high[i], piece.shift);
}

/* The elements that piece_load() leaves out, one a lane: the end of the last row (15 at most), and
 * the first 8 of a matrix that starts within a vector. */
struct pad_ends {
	uint16_t last, first;
};

__device__ __forceinline__ int ends_column(const pad_job &job)
{
	return max(whole_vectors(job, job.from.rows - 1), 0) * 8 + threadIdx.x % 32;
}

__device__ __forceinline__ pad_ends ends_load(const pad_job &job)
{
	int lane = threadIdx.x % 32, columns = job.from.columns, column = ends_column(job);
	const uint16_t *row = job.from.data + (size_t)(job.from.rows - 1) * job.from.ld;
	return {element_load(row + column, column < columns),
			element_load(job.from.data + lane, lane < min(8, columns))};
}

__device__ __forceinline__ void ends_store(const pad_ends &ends, const pad_job &job)
{
	int lane = threadIdx.x % 32, column = ends_column(job);
	if (column < job.from.columns)
		job.to[(size_t)(job.from.rows - 1) * job.ld + column] = ends.last;
	if (lane < min(8, job.from.columns))
		job.to[lane] = ends.first;
}

/* All blocks copy, a warp TOGETHER pieces at a time: TMA reads what others have copied. */
template <int TOGETHER> __device__ __forceinline__ void pad_copy(const pad_work &work)
{
	int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, warps = gridDim.x * blockDim.x / 32;
	int a = work.a.from.rows * pieces_of(work.a), b = work.b.from.rows * pieces_of(work.b);
	/* loaded first, as everybody waits for this warp too */
	pad_job job = warp == 0 ? work.a : work.b;
	bool has_ends = warp < 2 && job.from.rows > 0;
	pad_ends ends = {};
	if (has_ends)
		ends = ends_load(job);
#pragma unroll 1
	for (int first = warp; first < a + b; first += TOGETHER * warps) {
		pad_piece pieces[TOGETHER];
#pragma unroll
		for (int i = 0; i < TOGETHER; i++) {
			int number = first + i * warps;
			pieces[i].vectors = 0;
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
	if (threadIdx.x == 0)
		arrive(work.counter, blockIdx.x == 0, gridDim.x);
}

/* A warp waits until all blocks have copied. What ordinary stores wrote, TMA will read: the fence
 * for that belongs to the block that reads. */
__device__ __forceinline__ void pad_wait(const pad_work &work, uint32_t target)
{
	arrivals_wait(work.counter, target);
	fence_async();
	__syncwarp();
}
} // namespace hopper

#endif
