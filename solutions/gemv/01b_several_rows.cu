/* y = A*x, four rows a thread.
 *
 * Idea: in 01 a thread loads an element of x for each element of A. All threads
 * load the same one, so that L1 serves it once for a warp; but it takes an instruction for each
 * of A's. A thread that walks along four rows at once loads x once for all
 * four, and has four independent loads of A in flight in place of one.
 *
 * Changes from 01_thread_a_row: ROWS sums and ROWS rows of A a thread, one below
 * the other.
 *
 * Arithmetic intensity: 0.5 FLOP per byte of A, as before. Of x a thread loads a quarter
 * as much.
 *
 * Bound by latency, says `explain` (H200, 16384x16384): 2562 us, 1025 for 01. There are a
 * quarter of the threads now, one warp for each of 128 multiprocessors, which wait for
 * L2 one load after the other; four loads at once do not make up for it, as each
 * touches 26 sectors (16 before): L1 keeps less of four rows than of one. So it
 * loses here, 2678 us predicted for 1408, and pays only together with several
 * threads a row (04), or where M is far larger.
 *
 * reached: not measured */
#include "epilogue.cuh"

constexpr int THREADS = 32; // small blocks: M / ROWS threads reach as many SMs as they can
constexpr int ROWS = 4;

static __global__ void gemv_several_rows(const float *A, const float *x, int M, int N,
										 epilogue<float> out)
{
	int row = (blockIdx.x * THREADS + threadIdx.x) * ROWS;
	if (row >= M)
		return;
	const float *a[ROWS];
#pragma unroll
	for (int r = 0; r < ROWS; r++)
		a[r] = A + (size_t)min(row + r, M - 1) * N; // beyond M: a sum that nobody stores
	float sum[ROWS] = {};
	for (int j = 0; j < N; j++) {
		float v = x[j];
#pragma unroll
		for (int r = 0; r < ROWS; r++)
			sum[r] += a[r][j] * v;
	}
#pragma unroll
	for (int r = 0; r < ROWS; r++)
		out.by_lanes().store(row + r, 0, sum[r]);
}

extern "C" void solve(const float *A, const float *x, float *y, int M, int N)
{
	constexpr int ROWS_A_BLOCK = THREADS * ROWS;
	gemv_several_rows<<<(M + ROWS_A_BLOCK - 1) / ROWS_A_BLOCK, THREADS>>>(A, x, M, N,
																		  epilogue_make(y, M, 1));
}
