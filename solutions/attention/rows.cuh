/* Rows of Q, K or V on their way into shared memory, by asynchronous copies. The fused steps of the
 * attention problems share it. */
#ifndef GEMMJUDGE_ATTENTION_ROWS_CUH
#define GEMMJUDGE_ATTENTION_ROWS_CUH

#include <cuda_pipeline.h>

#include "../sgemm/load.cuh"

/* Rows of a row-major matrix, from `first` on. */
struct some_rows {
	const float *matrix;
	int first, count, d; // rows before number `count`, of d columns, are in the matrix
	bool vector;         // they are read 16 bytes at a time
};

/* Begins to copy ROWS rows of D columns to shared memory, rows there LD apart, and commits the
 * copies. What lies outside of the matrix becomes 0. A thread has every few rows a chunk of four
 * columns, so that it counts on from row to row: a kernel that goes through few tiles spends much
 * of its time on whatever is computed for each copy. */
template <int ROWS, int D, int LD, int THREADS>
static __device__ __forceinline__ void rows_copy(float *to, const some_rows &from)
{
	constexpr int CHUNKS = D / 4, STEP = THREADS / CHUNKS;
	static_assert(THREADS % CHUNKS == 0 && ROWS % STEP == 0, "copying loop without a remainder");
	int r = threadIdx.x / CHUNKS, c = threadIdx.x % CHUNKS * 4, row = from.first + r;
	int inside = min(max(from.d - c, 0), 4);
	const float *source = from.matrix + (size_t)row * from.d + c;
	to += r * LD + c;
	if (from.vector) {
#pragma unroll
		for (int i = 0; i < ROWS / STEP; i++) {
			bool in = row + i * STEP < from.count && inside > 0;
			__pipeline_memcpy_async(to + i * STEP * LD, in ? source : from.matrix, 16, in ? 0 : 16);
			source += (size_t)STEP * from.d;
		}
		__pipeline_commit();
		return;
	}
#pragma unroll 1
	for (int i = 0; i < ROWS / STEP; i++) {
		int some = row + i * STEP < from.count ? inside : 0;
#pragma unroll
		for (int k = 0; k < 4; k++)
			__pipeline_memcpy_async(to + i * STEP * LD + k, k < some ? source + k : from.matrix, 4,
									k < some ? 0 : 4);
		source += (size_t)STEP * from.d;
	}
	__pipeline_commit();
}

static __device__ __forceinline__ float4 rows_read(const float *from)
{
	return *(const float4 *)from;
}

#endif
