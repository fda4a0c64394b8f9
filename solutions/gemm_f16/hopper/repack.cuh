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

/* What piece_load() leaves out, element by element: the last row's end and, of a
 * matrix that starts within a word, the first unit. */
__device__ __forceinline__ void repack_end(const repack_job &job)
{
	int row = job.from.rows - 1, lane = threadIdx.x % 32;
#pragma unroll 1
	for (int i = repack_units(job, row) * 8 + lane; i < job.from.columns; i += 32)
		job.to[(size_t)row * job.padded + i] = job.from.data[(size_t)row * job.from.columns + i];
	if (lane < 8)
		job.to[lane] = job.from.data[lane];
}

/* What a kernel copies before it multiplies; a job without rows is none. `done`
 * has a place for each block, which holds `call` once that block's rows are
 * there: a number that no other call has, so that nothing need be cleared. */
struct packing_work {
	repack_job a, b;
	unsigned long long *done, call;
};

/* All blocks copy, a warp TOGETHER pieces at a time. They must all be running at
 * once, which a cooperative launch promises: TMA reads what others have copied. */
template <int TOGETHER> __device__ __forceinline__ void repack(const packing_work &work)
{
	int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, warps = gridDim.x * blockDim.x / 32;
	int a = work.a.from.rows * repack_pieces(work.a), b = work.b.from.rows * repack_pieces(work.b);
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
	if (warp == 0 && work.a.from.rows > 0)
		repack_end(work.a);
	if (warp == 1 && work.b.from.rows > 0)
		repack_end(work.b);
	/* what was written by ordinary stores will be read by TMA */
	fence_async();
	__syncthreads();
	if (threadIdx.x == 0) // a release is of what the barrier has made this thread's past, too
		asm volatile("st.release.gpu.global.u64 [%0], %1;" ::"l"(work.done + blockIdx.x),
					 "l"(work.call)
					 : "memory");
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
	fence_async();
	__syncwarp();
}

#endif
