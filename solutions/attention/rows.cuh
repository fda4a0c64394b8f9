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
 * copies. What lies outside of the matrix becomes 0. */
template <int ROWS, int D, int LD, int THREADS>
static __device__ __forceinline__ void rows_copy(float *to, const some_rows &from)
{
	constexpr int CHUNKS = D / 4;
	static_assert(ROWS * CHUNKS % THREADS == 0, "copying loop without a remainder");
#pragma unroll 4
	for (int e = threadIdx.x; e < ROWS * CHUNKS; e += THREADS) {
		int r = e / CHUNKS, c = e % CHUNKS * 4, row = from.first + r;
		int inside = row < from.count ? min(max(from.d - c, 0), 4) : 0;
		const float *source = inside > 0 ? from.matrix + (size_t)row * from.d + c : from.matrix;
		if (from.vector) {
			__pipeline_memcpy_async(&to[r * LD + c], source, 16, inside > 0 ? 0 : 16);
			continue;
		}
#pragma unroll
		for (int i = 0; i < 4; i++)
			__pipeline_memcpy_async(&to[r * LD + c + i], i < inside ? source + i : from.matrix, 4,
									i < inside ? 0 : 4);
	}
	__pipeline_commit();
}

static __device__ __forceinline__ float4 rows_read(const float *from)
{
	return *(const float4 *)from;
}

#endif
