/* Each thread computes a column of eight results.
 *
 * Idea: shared memory feeds an SM 32 words a cycle, but its 128 FMA lanes want
 * up to 256. A thread that keeps eight sums of one column in registers reads a
 * value of B once and uses it eight times.
 *
 * Changes from 03_blocked: a thread owns THREAD_M = 8 outputs one below the
 * other; the tile of C grows to 64x64, and shrinks along K to 8, so that
 * 512 threads load exactly one element of each operand.
 *
 * Arithmetic intensity: a block of 64x64 outputs takes 64 + 64 floats for each
 * k: 2*64*64 / 512 = 16 FLOP per byte of global memory (8 before). From shared
 * memory 16 FLOP for 9 words, 0.44 per byte; the 8 words of A are broadcasts.
 *
 * Bound by shared memory, says `explain` (H200, 4096^3): 1.2 passes for each FMA, 9.8 ms;
 * then issue slots, 5.8 ms, and the wait for tiles at two barriers for every 8 k, 5.0
 * ms. It predicts twice the time that is measured, as it counts reads of A one by one, where nvcc
 * 13.0 joins four along k: 24 reads for 64 FMAs in place of 72 (SASS). So slots and
 * waits remain. The source has 35% of cuBLAS.
 *
 * reached: 16.8 TFLOP/s, 32% of cuBLAS (NVIDIA H100 80GB HBM3, 4096^3) */
#include "epilogue.cuh"

constexpr int BLOCK_M = 64;
constexpr int BLOCK_N = 64;
constexpr int BLOCK_K = 8;
constexpr int THREAD_M = 8;
constexpr int THREADS = BLOCK_M / THREAD_M * BLOCK_N;

static_assert(BLOCK_M * BLOCK_K == THREADS && BLOCK_K * BLOCK_N == THREADS,
			  "every thread loads one element of each tile");

static __global__ void __launch_bounds__(THREADS)
	gemm_thread_tile_1d(const float *A, const float *B, int M, int N, int K, epilogue<float> out)
{
	__shared__ float tile_a[BLOCK_M][BLOCK_K];
	__shared__ float tile_b[BLOCK_K][BLOCK_N];

	int row0 = blockIdx.y * BLOCK_M;
	int column0 = blockIdx.x * BLOCK_N;
	int first_row = threadIdx.x / BLOCK_N * THREAD_M; // of this thread's outputs, in the tile
	int column = threadIdx.x % BLOCK_N;

	/* What this thread loads. */
	int a_row = threadIdx.x / BLOCK_K, a_k = threadIdx.x % BLOCK_K;
	int b_k = threadIdx.x / BLOCK_N, b_column = threadIdx.x % BLOCK_N;
	const float *a_from = A + (size_t)(row0 + a_row) * K + a_k;
	const float *b_from = B + (size_t)b_k * N + column0 + b_column;

	float sum[THREAD_M] = {};
	for (int k0 = 0; k0 < K; k0 += BLOCK_K) {
		tile_a[a_row][a_k] = row0 + a_row < M && k0 + a_k < K ? *a_from : 0.0f;
		tile_b[b_k][b_column] = k0 + b_k < K && column0 + b_column < N ? *b_from : 0.0f;
		a_from += BLOCK_K;
		b_from += (size_t)BLOCK_K * N;
		__syncthreads();

#pragma unroll
		for (int k = 0; k < BLOCK_K; k++) {
			float b = tile_b[k][column];
#pragma unroll
			for (int i = 0; i < THREAD_M; i++)
				sum[i] += tile_a[first_row + i][k] * b;
		}
		__syncthreads();
	}

#pragma unroll
	for (int i = 0; i < THREAD_M; i++)
		out.by_lanes().store(row0 + first_row + i, column0 + column, sum[i]);
}

extern "C" void solve(const float *A, const float *B, float *C, int M, int N, int K, float alpha,
					  float beta)
{
	dim3 grid((N + BLOCK_N - 1) / BLOCK_N, (M + BLOCK_M - 1) / BLOCK_M);
	gemm_thread_tile_1d<<<grid, THREADS>>>(A, B, M, N, K, epilogue_make(C, M, N, alpha, beta));
}
