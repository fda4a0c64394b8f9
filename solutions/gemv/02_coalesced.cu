/* Still a thread a row, but the block reads A in whole lines.
 *
 * Idea: if A lay column by column, the lanes of a warp, which want elements of
 * one column, would read neighbours. A is row-major; so the block turns it
 * round: it reads a tile with lanes along the rows, a 128-byte line a load,
 * stores it in shared memory, and there each thread walks along its own row. The
 * piece of x that belongs to the tile is kept there too.
 *
 * Changes from 01_thread_a_row: lanes run along a row when they load. Rows of
 * the tile are an odd number of words apart, so that 32 lanes in 32 rows meet
 * 32 different banks.
 *
 * Arithmetic intensity: 0.5 FLOP per byte. Every byte of A is now fetched once
 * and used whole; still only M / 128 blocks work, too few for 132 SMs when
 * M is below 16896, and each waits for its tile at a barrier.
 *
 * Bound by latency, says `explain` (H200, 16384x16384): a block waits 512 times at a barrier for a
 * tile that nothing was loaded ahead of, 1.08 ms of 1.13; memory takes 0.25. Measured
 * is 2.0 ms, slower than 01: a tile of 16 KB takes 4 us, twice what `explain` has for a thread's
 * 32 loads. 01 has as few warps, four an SM, but no barriers.
 *
 * reached: 527 GB/s, 12% of cuBLAS (NVIDIA H200, 16384x16384) */
#include "epilogue.cuh"

constexpr int ROWS = 128; // of a block, one for each thread
constexpr int COLUMNS = 32;
constexpr int WARPS = ROWS / 32;

static __global__ void __launch_bounds__(ROWS)
	gemv_coalesced(const float *A, const float *x, int M, int N, epilogue<float> out)
{
	__shared__ float tile[ROWS][COLUMNS + 1];
	__shared__ float tile_x[COLUMNS];

	int row0 = blockIdx.x * ROWS;
	int warp = threadIdx.x / 32;
	int lane = threadIdx.x % 32;
	float sum = 0.0f;
	for (int column0 = 0; column0 < N; column0 += COLUMNS) {
		int column = column0 + lane;
#pragma unroll
		for (int r = 0; r < ROWS; r += WARPS) {
			bool inside = row0 + r + warp < M && column < N;
			tile[r + warp][lane] = inside ? A[(size_t)(row0 + r + warp) * N + column] : 0.0f;
		}
		if (warp == 0)
			tile_x[lane] = column < N ? x[column] : 0.0f;
		__syncthreads();
#pragma unroll
		for (int j = 0; j < COLUMNS; j++)
			sum += tile[threadIdx.x][j] * tile_x[j];
		__syncthreads();
	}
	out.by_lanes().store(row0 + threadIdx.x, 0, sum);
}

extern "C" void solve(const float *A, const float *x, float *y, int M, int N)
{
	gemv_coalesced<<<(M + ROWS - 1) / ROWS, ROWS>>>(A, x, M, N, epilogue_make(y, M, 1));
}
