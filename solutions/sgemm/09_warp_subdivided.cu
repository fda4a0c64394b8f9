/* Warp tiles cut once more, and twice the work for a thread.
 *
 * Idea: a warp walks over its tile in sub-tiles of 32x16, and a thread has a
 * 4x4 piece of each. All pieces of one row of sub-tiles need the same values of
 * A, all of one column the same of B, so that eight sub-tiles (128 outputs) cost
 * 8 + 16 words of shared memory, and each piece is a group of independent FMAs
 * that can start when its own eight operands have come.
 *
 * Changes from 08_warp_tile: 128 threads instead of 256 for the same block, each
 * with 8x16 outputs in 2x4 pieces; warp tiles of 64x64. The four lanes along N
 * read 16 neighbouring words of B instead of runs 8 words apart.
 *
 * Arithmetic intensity: 32 FLOP per byte of global memory, as before; 16 per
 * byte that leaves shared memory (10.7 before). For each k a thread issues 12
 * loads for 128 FMAs (10 for 64 before), as written; 6 (and 4 before) after nvcc
 * 13.0 has joined the reads of A along k.
 *
 * Bound by issue slots, says `explain` (H200, 4096^3): 2406 us for 2479, and 1456
 * us of shared memory for 1721; 2738 us in all for 2924. In SASS 1.50 slots an FMA, for 1.76: fewer
 * other instructions, and fewer FMAs that take two. 255 registers a thread, all there are, leave 8
 * warps a multiprocessor (16 before).
 *
 * Without loads ahead it was no faster than its step before: 32.3 TFLOP/s for
 * 33.0 on an H100, as 8 warps hide less of the wait. The source has 90.7% of
 * cuBLAS for it, on a GPU where that wait costs less.
 *
 * reached: not measured */
#include "copy.cuh"
#include "epilogue.cuh"
#include "load.cuh"

constexpr int BLOCK_M = 128;
constexpr int BLOCK_N = 128;
constexpr int BLOCK_K = 8;
constexpr int WARP_M = 64;
constexpr int WARP_N = 64;
constexpr int LANES_M = 8;
constexpr int LANES_N = 4;
constexpr int V = 4; // a thread's piece of a sub-tile is V x V
constexpr int SUB_M = LANES_M * V;
constexpr int SUB_N = LANES_N * V;
constexpr int COUNT_M = WARP_M / SUB_M; // sub-tiles of a warp
constexpr int COUNT_N = WARP_N / SUB_N;
constexpr int WARPS_N = BLOCK_N / WARP_N;
constexpr int THREADS = BLOCK_M / WARP_M * WARPS_N * 32;
constexpr int LD_A = BLOCK_K + 4; // 8 rows, 12 words apart: 8 different banks

static_assert(LANES_M * LANES_N == 32, "the lanes of a warp tile a sub-tile");
static_assert(WARP_M % SUB_M == 0 && WARP_N % SUB_N == 0, "sub-tiles tile the warp's tile");

template <bool VECTOR>
static __global__ void __launch_bounds__(THREADS, 2)
	gemm_warp_subdivided(const float *A, const float *B, int M, int N, int K, epilogue<float> out)
{
	__shared__ alignas(16) float tile_a[2][BLOCK_M * LD_A];
	__shared__ alignas(16) float tile_b[2][BLOCK_K * BLOCK_N];

	int row0 = blockIdx.y * BLOCK_M;
	int column0 = blockIdx.x * BLOCK_N;
	int warp = threadIdx.x / 32;
	int lane = threadIdx.x % 32;
	/* This thread's first output in the tile. Its rows are LANES_M apart, its
	 * columns runs of V. */
	int row = warp / WARPS_N * WARP_M + lane / LANES_N;
	int column = warp % WARPS_N * WARP_N + lane % LANES_N * V;

	auto fetch = [&](int to, int k0) {
		copy_tile<BLOCK_M, BLOCK_K, LD_A, THREADS, VECTOR>(tile_a[to], A, M, K, row0, k0);
		copy_tile<BLOCK_K, BLOCK_N, BLOCK_N, THREADS, VECTOR>(tile_b[to], B, K, N, k0, column0);
		__pipeline_commit();
	};
	float sum[COUNT_M][COUNT_N][V][V] = {};
	fetch(0, 0);
	__pipeline_wait_prior(0);
	__syncthreads();
	for (int k0 = 0, current = 0; k0 < K; k0 += BLOCK_K, current ^= 1) {
		if (k0 + BLOCK_K < K)
			fetch(current ^ 1, k0 + BLOCK_K);

#pragma unroll
		for (int k = 0; k < BLOCK_K; k++) {
			float a[COUNT_M][V];
			epilogue_vector<float, V> b[COUNT_N];
#pragma unroll
			for (int m = 0; m < COUNT_M; m++)
#pragma unroll
				for (int i = 0; i < V; i++)
					a[m][i] = tile_a[current][(row + m * SUB_M + i * LANES_M) * LD_A + k];
#pragma unroll
			for (int n = 0; n < COUNT_N; n++)
				b[n] = *(const epilogue_vector<float, V>
							 *)&tile_b[current][k * BLOCK_N + column + n * SUB_N];
#pragma unroll
			for (int m = 0; m < COUNT_M; m++)
#pragma unroll
				for (int n = 0; n < COUNT_N; n++)
#pragma unroll
					for (int i = 0; i < V; i++)
#pragma unroll
						for (int j = 0; j < V; j++)
							sum[m][n][i][j] += a[m][i] * b[n].at[j];
		}

		/* My copies have landed, and then everybody's; and nobody reads the
		 * present tiles any more, so that the next copies may overwrite them. */
		__pipeline_wait_prior(0);
		__syncthreads();
	}

#pragma unroll
	for (int m = 0; m < COUNT_M; m++)
#pragma unroll
		for (int i = 0; i < V; i++)
#pragma unroll
			for (int n = 0; n < COUNT_N; n++)
				out.store(row0 + row + m * SUB_M + i * LANES_M, column0 + column + n * SUB_N,
						  sum[m][n][i]);
}

extern "C" void solve(const float *A, const float *B, float *C, int M, int N, int K, float alpha,
					  float beta)
{
	dim3 grid((N + BLOCK_N - 1) / BLOCK_N, (M + BLOCK_M - 1) / BLOCK_M);
	epilogue<float> out = epilogue_make(C, M, N, alpha, beta);
	if (load_vector(A, K) && load_vector(B, N))
		gemm_warp_subdivided<true><<<grid, THREADS>>>(A, B, M, N, K, out);
	else
		gemm_warp_subdivided<false><<<grid, THREADS>>>(A, B, M, N, K, out);
}
