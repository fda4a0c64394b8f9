/* Each thread computes an 8x8 square of results.
 *
 * Idea: eight values of A and eight of B make an outer product of 64
 * multiplications. With the sums and both vectors in registers, 16 words of
 * shared memory are read for 64 FMAs instead of 9 for 8.
 *
 * Changes from 04_thread_tile_1d: coarsening in both directions, a 128x128 tile
 * of C with 256 threads. A thread's rows and columns lie 16 apart, so that the
 * lanes of a warp read neighbouring words of a row of B, and write neighbouring
 * words of C.
 *
 * Arithmetic intensity: 2*128*128 FLOP for 256 floats, 32 FLOP per byte of
 * global memory (16 before); 2 FLOP per byte of shared memory (0.44 before). One
 * SM would need 16 words for every 16 lanes in flight: shared memory and the FMA
 * units are now busy for about the same time.
 *
 * Bound by issue slots, says `explain` (H200, 4096^3): 3.8 ms, of which FMAs fill 56%;
 * the rest are loads of single floats and their addresses. On top of that 1.6 ms in
 * which both blocks of a multiprocessor wait for tiles; shared memory takes 2.3 ms, FMAs 2.2.
 * The sources have 63% and 66% of cuBLAS. At 1024^3 it loses to 04: 64 tiles leave more than half
 * of the 132 SMs idle.
 *
 * reached: 25.5 TFLOP/s, 49% of cuBLAS (NVIDIA H100 80GB HBM3, 4096^3) */
#include "epilogue.cuh"

constexpr int BLOCK_M = 128;
constexpr int BLOCK_N = 128;
constexpr int BLOCK_K = 8;
constexpr int THREAD_M = 8;
constexpr int THREAD_N = 8;
constexpr int THREADS_M = BLOCK_M / THREAD_M; // threads along the rows and columns of the tile
constexpr int THREADS_N = BLOCK_N / THREAD_N;
constexpr int THREADS = THREADS_M * THREADS_N;
constexpr int PAD = 4; // rows of tile_a that a warp reads at once fall into different banks

static_assert(BLOCK_M * BLOCK_K % THREADS == 0, "loading loops without a remainder");
static_assert(THREADS % BLOCK_K == 0, "a thread always loads the same column of A");
static_assert(THREADS % BLOCK_N == 0, "a thread always loads the same column of B");

static __global__ void __launch_bounds__(THREADS, 2)
	gemm_thread_tile_2d(const float *A, const float *B, int M, int N, int K, epilogue<float> out)
{
	__shared__ float tile_a[BLOCK_M][BLOCK_K + PAD];
	__shared__ float tile_b[BLOCK_K][BLOCK_N];

	int row0 = blockIdx.y * BLOCK_M;
	int column0 = blockIdx.x * BLOCK_N;
	int ty = threadIdx.x / THREADS_N;
	int tx = threadIdx.x % THREADS_N;

	float sum[THREAD_M][THREAD_N] = {};
	for (int k0 = 0; k0 < K; k0 += BLOCK_K) {
#pragma unroll
		for (int e = threadIdx.x; e < BLOCK_M * BLOCK_K; e += THREADS) {
			int r = e / BLOCK_K, k = e % BLOCK_K;
			bool inside = row0 + r < M && k0 + k < K;
			tile_a[r][k] = inside ? A[(size_t)(row0 + r) * K + k0 + k] : 0.0f;
		}
#pragma unroll
		for (int e = threadIdx.x; e < BLOCK_K * BLOCK_N; e += THREADS) {
			int k = e / BLOCK_N, c = e % BLOCK_N;
			bool inside = k0 + k < K && column0 + c < N;
			tile_b[k][c] = inside ? B[(size_t)(k0 + k) * N + column0 + c] : 0.0f;
		}
		__syncthreads();

#pragma unroll
		for (int k = 0; k < BLOCK_K; k++) {
			float a[THREAD_M], b[THREAD_N];
#pragma unroll
			for (int i = 0; i < THREAD_M; i++)
				a[i] = tile_a[ty + i * THREADS_M][k];
#pragma unroll
			for (int j = 0; j < THREAD_N; j++)
				b[j] = tile_b[k][tx + j * THREADS_N];
#pragma unroll
			for (int i = 0; i < THREAD_M; i++)
#pragma unroll
				for (int j = 0; j < THREAD_N; j++)
					sum[i][j] += a[i] * b[j];
		}
		__syncthreads();
	}

#pragma unroll
	for (int i = 0; i < THREAD_M; i++)
#pragma unroll
		for (int j = 0; j < THREAD_N; j++)
			out.by_lanes().store(row0 + ty + i * THREADS_M, column0 + tx + j * THREADS_N,
								 sum[i][j]);
}

extern "C" void solve(const float *A, const float *B, float *C, int M, int N, int K, float alpha,
					  float beta)
{
	dim3 grid((N + BLOCK_N - 1) / BLOCK_N, (M + BLOCK_M - 1) / BLOCK_M);
	gemm_thread_tile_2d<<<grid, THREADS>>>(A, B, M, N, K, epilogue_make(C, M, N, alpha, beta));
}
