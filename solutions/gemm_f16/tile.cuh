/* Moving tiles of 16-bit elements (half or __nv_bfloat16): from global to
 * shared memory, and from wmma accumulators to C. The f16 and bf16 ladders
 * share it.
 *
 * Matrices are row-major and dense, so a row starts at a multiple of its own
 * length: when the length is a multiple of 8 elements every row can be copied
 * 16 bytes at a time, when it is even 4 bytes at a time, and when it is odd
 * only element by element. No such piece straddles the end of a row. */
#ifndef GEMM_F16_TILE_CUH
#define GEMM_F16_TILE_CUH

#include <mma.h>
#include <stdint.h>

/* Where element (row, column) of a tile lies in shared memory. STRIDE is the
 * tile's width, or more to shift each row to other banks. */
template <int STRIDE> struct tile_rows {
	static __device__ __forceinline__ int at(int row, int column)
	{
		return row * STRIDE + column;
	}
};

/* Bytes per copy that `matrix` with rows of `columns` elements allows: 16, 4 or
 * 2. (8 would be a case more for one shape in 16.) */
static inline int tile_copy_bytes(const void *matrix, int columns)
{
	uintptr_t bits = (uintptr_t)matrix | (uintptr_t)columns * 2;
	return bits % 16 == 0 ? 16 : bits % 4 == 0 ? 4 : 2;
}

/* Starts to copy BYTES to shared memory, or to write zeros there when `inside`
 * is false: `global` is then not read. */
template <int BYTES>
__device__ __forceinline__ void tile_copy_async(void *shared, const void *global, bool inside)
{
	static_assert(BYTES == 4 || BYTES == 16, "sizes that this file uses of those cp.async has");
	uint32_t to = (uint32_t)__cvta_generic_to_shared(shared);
	int bytes = inside ? BYTES : 0;
	if (BYTES == 16) // past L1: the tile will be read from shared memory
		asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(global),
					 "r"(bytes));
	else
		asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(global),
					 "r"(bytes));
}

/* The copies that this thread started since the last commit become a group. */
__device__ __forceinline__ void tile_copy_commit()
{
	asm volatile("cp.async.commit_group;" ::: "memory");
}

/* Waits until all but this thread's latest PENDING groups have landed. Other
 * threads' copies are visible only after a __syncthreads() that follows. */
template <int PENDING> __device__ __forceinline__ void tile_copy_wait()
{
	asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
}

/* The whole block copies the ROWS x COLUMNS tile at (row0, column0) of a
 * rows x columns matrix into shared memory, with zeros for what lies outside of
 * the matrix. BYTES is 16 or 4 (asynchronous) or 2 (complete for the calling
 * thread on return); the matrix must allow it. */
template <int BYTES, int ROWS, int COLUMNS, int THREADS, class Layout, class Element>
__device__ __forceinline__ void tile_copy(Element *tile, const Element *matrix, int rows,
										  int columns, int row0, int column0)
{
	static_assert(sizeof(Element) == 2, "pieces are counted in 16-bit elements");
	constexpr int PIECE = BYTES == 2 ? 2 : BYTES / 2; // elements written to the tile at once
	constexpr int PIECES = COLUMNS / PIECE;           // in a row
	constexpr int STEP = THREADS / PIECES;            // rows copied at once
	static_assert(THREADS % PIECES == 0 && ROWS % STEP == 0, "threads share the pieces evenly");

	/* A thread stays in its columns and goes down by STEP rows. */
	int r = (int)threadIdx.x / PIECES;
	int c = (int)threadIdx.x % PIECES * PIECE;
	const Element *from = matrix + (size_t)(row0 + r) * columns + column0 + c;
	int rows_left = column0 + c < columns ? rows - row0 - r : 0;
#pragma unroll(BYTES == 16 ? ROWS / STEP : 8)
	for (int n = 0; n < ROWS; n += STEP) {
		bool inside = n < rows_left;
		Element *to = tile + Layout::at(r + n, c);
		if constexpr (BYTES != 2) {
			tile_copy_async<BYTES>(to, from, inside);
		} else {
			/* Two 2-byte loads and one 4-byte store. __ldg tells the compiler
			 * that the stores do not change what later loads read. */
			const unsigned short *bits = (const unsigned short *)from;
			uint32_t low = inside ? __ldg(bits) : 0;
			uint32_t high = inside && column0 + c + 1 < columns ? __ldg(bits + 1) : 0;
			*(uint32_t *)to = low | high << 16;
		}
		from += (size_t)STEP * columns;
	}
}

/* As tile_copy(), with the bytes per copy known only at run time. */
template <int ROWS, int COLUMNS, int THREADS, class Layout, class Element>
__device__ __forceinline__ void tile_copy_any(int bytes, Element *tile, const Element *matrix,
											  int rows, int columns, int row0, int column0)
{
	if (bytes == 16)
		tile_copy<16, ROWS, COLUMNS, THREADS, Layout>(tile, matrix, rows, columns, row0, column0);
	else if (bytes == 4)
		tile_copy<4, ROWS, COLUMNS, THREADS, Layout>(tile, matrix, rows, columns, row0, column0);
	else
		tile_copy<2, ROWS, COLUMNS, THREADS, Layout>(tile, matrix, rows, columns, row0, column0);
}

typedef nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float> tile_accumulator;

/* Floats of shared memory that a warp needs for tile_store(). */
constexpr int TILE_STORE_STRIDE = 20;
constexpr int TILE_STORE_FLOATS = 16 * TILE_STORE_STRIDE;
static_assert(TILE_STORE_STRIDE % 4 == 0, "wmma stores and float4 loads need 16-byte rows");

/* One warp stores the 16x16 accumulator whose corner is C[row][column]. Which
 * lane holds which element of a fragment is not specified, so the values go
 * through `slot`, this warp's own piece of shared memory. */
template <class Epilogue>
__device__ __forceinline__ void tile_store(const Epilogue &out, float *slot,
										   const tile_accumulator &sum, int row, int column)
{
	int r = threadIdx.x % 32 / 2;
	int c = threadIdx.x % 2 * 8;
	nvcuda::wmma::store_matrix_sync(slot, sum, TILE_STORE_STRIDE, nvcuda::wmma::mem_row_major);
	__syncwarp();
	const float4 *from = (const float4 *)(slot + r * TILE_STORE_STRIDE + c);
	float4 left = from[0], right = from[1];
	float values[8] = {left.x, left.y, left.z, left.w, right.x, right.y, right.z, right.w};
	out.store(row + r, column + c, values);
	__syncwarp(); // the slot may be written again
}

#endif
