/* Several rows a thread, and several threads a row.
 *
 * Idea: a thread that works on four rows at once loads a piece of x once for
 * all four, and has four times as many independent loads of A in flight; what
 * keeps the memory of an H200 busy is bytes in flight, about 40 KB for each SM.
 *
 * Changes from 03_warp_a_row: a warp takes four rows, unless there are too
 * few of them to occupy all SMs: then eight warps share one row and add up
 * through shared memory.
 *
 * Arithmetic intensity: 0.5 FLOP per byte of A. x costs L1 a quarter of A's
 * bytes (as many as A before).
 *
 * Bound by memory, says `explain` (H200, 16384x16384): 251 us of 272. L1 looks up
 * 41 us' worth of lines, 66 before: x is loaded a quarter as often.
 *
 * reached: 4389 GB/s, 103% of cuBLAS (NVIDIA H200, 16384x16384) */

// tune THREADS = 256 : 64 128 256 512
// tune ENOUGH_ROWS = 8192 : 1 1048576 8192
// tune ROWS_A_WARP = 4 : 1 2 4 8
// tune WARPS_A_ROW = 8 : 1 2 4 8 16
// tune where WARPS_A_ROW * 32 <= THREADS
// tune let MANY = M >= ENOUGH_ROWS
// tune where MANY ? WARPS_A_ROW == min(8, THREADS / 32) : ROWS_A_WARP == 4
// tune let ROWS_A_BLOCK = MANY ? THREADS / 32 * ROWS_A_WARP : THREADS / 32 / WARPS_A_ROW
// tune role threads = THREADS
// tune role blocks = ceil_div(M, ROWS_A_BLOCK)
// tune role registers = 24 + (MANY ? ROWS_A_WARP : 1) * 20
// tune role unit = 0

#include "epilogue.cuh"

#ifndef THREADS // of a block
#define THREADS 256
#endif
#ifndef ENOUGH_ROWS // for a warp to every ROWS_A_WARP of them
#define ENOUGH_ROWS 8192
#endif
#ifndef ROWS_A_WARP
#define ROWS_A_WARP 4
#endif
#ifndef WARPS_A_ROW // where rows are too few
#define WARPS_A_ROW 8
#endif

/* ROWS: of each group of WARPS warps. V: floats a load, 4 where rows are aligned. */
template <int ROWS, int WARPS, int V>
static __global__ void __launch_bounds__(THREADS)
	gemv_rows_a_thread(const float *A, const float *x, int M, int N, epilogue<float> out)
{
	constexpr int GROUP = WARPS * 32; // threads
	constexpr int GROUPS = THREADS / GROUP;
	typedef epilogue_vector<float, V> vector;
	static_assert(THREADS % GROUP == 0, "a block is whole groups");
	static_assert(WARPS == 1 || ROWS == 1, "one partial sum for each warp in shared memory");

	int thread = threadIdx.x % GROUP;
	int row0 = (blockIdx.x * GROUPS + threadIdx.x / GROUP) * ROWS;
	const float *a[ROWS];
#pragma unroll
	for (int r = 0; r < ROWS; r++)
		a[r] = A + (size_t)min(row0 + r, M - 1) * N; // beyond M: a sum that nobody stores

	float sum[ROWS] = {};
#pragma unroll 4
	for (int j = thread * V; j < N; j += GROUP * V) {
		vector u[ROWS];
#pragma unroll
		for (int r = 0; r < ROWS; r++) {
			if constexpr (V == 4) {
				float4 four = __ldcs((const float4 *)&a[r][j]);
				u[r] = {four.x, four.y, four.z, four.w};
			} else {
				u[r] = {__ldcs(&a[r][j])};
			}
		}
		vector v = *(const vector *)&x[j];
#pragma unroll
		for (int r = 0; r < ROWS; r++)
#pragma unroll
			for (int i = 0; i < V; i++)
				sum[r] += u[r].at[i] * v.at[i];
	}

#pragma unroll
	for (int r = 0; r < ROWS; r++)
#pragma unroll
		for (int distance = 16; distance > 0; distance /= 2)
			sum[r] += __shfl_xor_sync(0xffffffffu, sum[r], distance);

	if (WARPS > 1) {
		__shared__ float partial[THREADS / 32];
		if (threadIdx.x % 32 == 0)
			partial[threadIdx.x / 32] = sum[0];
		__syncthreads();
		sum[0] = 0.0f;
		for (int w = 0; w < WARPS; w++)
			sum[0] += partial[threadIdx.x / GROUP * WARPS + w];
	}
	if (thread == 0)
#pragma unroll
		for (int r = 0; r < ROWS; r++)
			out.by_lanes().store(row0 + r, 0, sum[r]);
}

template <int ROWS, int WARPS>
static void launch(const float *A, const float *x, int M, int N, epilogue<float> out)
{
	constexpr int ROWS_A_BLOCK = THREADS / (WARPS * 32) * ROWS;
	int blocks = (M + ROWS_A_BLOCK - 1) / ROWS_A_BLOCK;
	if (N % 4 == 0 && (uintptr_t)A % 16 == 0 && (uintptr_t)x % 16 == 0)
		gemv_rows_a_thread<ROWS, WARPS, 4><<<blocks, THREADS>>>(A, x, M, N, out);
	else
		gemv_rows_a_thread<ROWS, WARPS, 1><<<blocks, THREADS>>>(A, x, M, N, out);
}

extern "C" void solve(const float *A, const float *x, float *y, int M, int N)
{
	epilogue<float> out = epilogue_make(y, M, 1);
	if (M >= ENOUGH_ROWS)
		launch<ROWS_A_WARP, 1>(A, x, M, N, out);
	else
		launch<1, WARPS_A_ROW>(A, x, M, N, out);
}
