/* Asynchronous copies (cp.async) of the tiles of A and B. Steps 10 to
 * 11c, tile_sizes, slice_k and multiply.cuh share them.
 *
 * The tile of A is transposed on its way: cp.async can move single floats, so
 * every lane names its own place. The tile of B goes as it lies, V floats a copy
 * (4 where rows of B are aligned, else 1).
 *
 * Rows and columns beyond the edge of C read what lies inside instead: they
 * give outputs that nobody stores. Beyond K, zeros are written instead of copies
 * (in both tiles, as 0 * NaN is not 0). The tile with this remainder is the
 * *first* one: it holds k < K - (tiles - 1) * BLOCK_K, and all others are whole
 * and need no test. */
#ifndef GEMMJUDGE_SGEMM_ASYNC_CUH
#define GEMMJUDGE_SGEMM_ASYNC_CUH

#include <cuda_pipeline.h>
#include <cuda_runtime.h>

/* Where this thread's copies of a tile come from, relative to the tile's corner
 * in global memory (of B: to its first row, in the matrix's first column), and where
 * they go. Both stay the same for all tiles. */
template <int BLOCK_M, int BLOCK_K, int LD, int THREADS> struct async_tile_a {
	static constexpr int COUNT = BLOCK_M * BLOCK_K / THREADS;
	/* A warp copies 4 rows of 8 columns: whole sectors of 32 bytes, and with rows
	 * of the tile 4 banks apart, 32 different banks. */
	static constexpr int GROUP = 8;
	static constexpr int ROWS_AT_ONCE = THREADS / GROUP;
	static_assert(LD % 32 == 4 && BLOCK_K % GROUP == 0, "no bank conflicts when stored");
	static_assert(BLOCK_M % ROWS_AT_ONCE == 0, "a column group takes whole rounds");

	unsigned from[COUNT];
	int to, k;

	/* `rows` is how many rows of the matrix there are from the tile's first on; `thread`: of those
	 * that copy. */
	__device__ __forceinline__ async_tile_a(int rows, int ld, unsigned thread = threadIdx.x)
	{
		int r = thread / GROUP;
		k = thread % GROUP;
		to = k * LD + r;
#pragma unroll
		for (int i = 0; i < COUNT; i++)
			from[i] = (unsigned)min(r + row_of(i), rows - 1) * ld + k + column_of(i);
	}
	static constexpr __device__ int row_of(int i)
	{
		return i * ROWS_AT_ONCE % BLOCK_M;
	}
	static constexpr __device__ int column_of(int i)
	{
		return i * ROWS_AT_ONCE / BLOCK_M * GROUP;
	}
	__device__ __forceinline__ void copy(float *tile, const float *corner) const
	{
#pragma unroll
		for (int i = 0; i < COUNT; i++)
			__pipeline_memcpy_async(&tile[to + column_of(i) * LD + row_of(i)], corner + from[i], 4);
	}
	/* The first tile, of which only `depth` columns are copied. */
	__device__ __forceinline__ void copy_first(float *tile, const float *corner, int depth) const
	{
#pragma unroll
		for (int i = 0; i < COUNT; i++) {
			bool inside = k + column_of(i) < depth;
			__pipeline_memcpy_async(&tile[to + column_of(i) * LD + row_of(i)],
									inside ? corner + from[i] : corner, 4, inside ? 0 : 4);
		}
	}
};

/* The column of the matrix to read for column c of a tile that begins at column0: one inside where
 * that lies beyond the last. Copies of single floats take the column 32, 64, ... before it, or
 * begin anew where there are less than 32, so that a warp still reads neighbours: copies of one
 * float to 32 places seem to be made one by one, and a tile with few columns inside took half as
 * long again (NOTES.md, "ffma.cu"). */
template <int V> static __device__ __forceinline__ int column_inside(int c, int column0, int N)
{
	c += column0;
	if (V > 1)
		return min(c, N - V);
	if (N < 32)
		return c % N;
	return c < N ? c : c - ((c - N) / 32 + 1) * 32;
}

template <int BLOCK_K, int BLOCK_N, int THREADS, int V> struct async_tile_b {
	static constexpr int COUNT = BLOCK_K * BLOCK_N / V / THREADS;
	static constexpr int CHUNKS = BLOCK_N / V; // of a row
	static_assert(CHUNKS % THREADS == 0 || THREADS % CHUNKS == 0, "rounds of equal form");

	unsigned from[COUNT];
	int to, k;

	/* The matrix has N columns, a multiple of V; the tile's first is column0. */
	__device__ __forceinline__ async_tile_b(int column0, int N, int ld,
											unsigned thread = threadIdx.x)
	{
		k = thread / CHUNKS;
		to = thread * V;
#pragma unroll
		for (int i = 0; i < COUNT; i++) {
			int c = ((int)thread + i * THREADS) % CHUNKS * V;
			from[i] = (unsigned)(k + row_of(i)) * ld + column_inside<V>(c, column0, N);
		}
	}
	static constexpr __device__ int row_of(int i)
	{
		return i * THREADS / CHUNKS;
	}
	__device__ __forceinline__ void copy(float *tile, const float *corner) const
	{
#pragma unroll
		for (int i = 0; i < COUNT; i++)
			__pipeline_memcpy_async(&tile[to + i * THREADS * V], corner + from[i], 4 * V);
	}
	__device__ __forceinline__ void copy_first(float *tile, const float *corner, int depth) const
	{
#pragma unroll
		for (int i = 0; i < COUNT; i++) {
			bool inside = k + row_of(i) < depth;
			__pipeline_memcpy_async(&tile[to + i * THREADS * V], inside ? corner + from[i] : corner,
									4 * V, inside ? 0 : 4 * V);
		}
	}
};

#endif
