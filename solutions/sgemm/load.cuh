/* From global memory into a tile in shared memory, sixteen bytes at a time
 * where the matrix allows it. Step 06 has this loop, copy.cuh the same by
 * asynchronous copies.
 *
 * A matrix with a row length divisible by 4 and an aligned base is read as
 * float4 (VECTOR); any other a float at a time. Elements outside of the matrix
 * become 0, which adds nothing to a sum: a chunk of four lies in it or outside
 * of it as a whole, since its first column and the row length are multiples of
 * 4. */
#ifndef GEMMJUDGE_SGEMM_LOAD_CUH
#define GEMMJUDGE_SGEMM_LOAD_CUH

#include <cuda_runtime.h>
#include <stdint.h>

/* Whether a matrix with this row length can be read as float4. */
static inline __host__ __device__ bool load_vector(const float *matrix, int length)
{
	return length % 4 == 0 && (uintptr_t)matrix % 16 == 0;
}

/* A tile of ROWS x COLUMNS whose corner is (row0, column0) of the rows x columns
 * matrix; row r of the tile starts at tile[r * LD]. */
template <int ROWS, int COLUMNS, int LD, int THREADS, bool VECTOR>
static __device__ __forceinline__ void load_tile(float *tile, const float *matrix, int rows,
												 int columns, int row0, int column0)
{
	constexpr int V = VECTOR ? 4 : 1;
	static_assert(COLUMNS % 4 == 0 && LD % 4 == 0, "rows of the tile keep float4 aligned");
	static_assert(ROWS * COLUMNS % (THREADS * V) == 0, "loading loop without a remainder");

#pragma unroll
	for (int i = 0; i < ROWS * COLUMNS / V / THREADS; i++) {
		int e = (i * THREADS + (int)threadIdx.x) * V;
		int r = e / COLUMNS, c = e % COLUMNS;
		bool inside = row0 + r < rows && column0 + c < columns;
		const float *from = matrix + (size_t)(row0 + r) * columns + column0 + c;
		if (VECTOR)
			*(float4 *)&tile[r * LD + c] =
				inside ? *(const float4 *)from : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
		else
			tile[r * LD + c] = inside ? *from : 0.0f;
	}
}

#endif
