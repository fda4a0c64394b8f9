/* Tiles for warps: the lanes of a warp share what they read.
 *
 * Idea: a warp issues a load of shared memory for its 32 lanes together, and
 * lanes that want the same word share it. What one warp reads for a step along
 * k is therefore the height plus the width of the part of C that it computes,
 * and the nearer that part is to a square, the less it reads.
 *
 * Changes from 07_async_double_buffer: 32 consecutive threads no longer make a
 * strip of 2x16 threads (16 x 128 outputs, 144 words for each k), but a warp tile
 * of 64x32 outputs with its lanes as 8x4 (96 words). The eight warps tile the
 * block as 2x4.
 *
 * Arithmetic intensity: 32 FLOP per byte of global memory, as before. Of the
 * words that leave shared memory, 2*64*32 / 384 = 10.7 FLOP per byte (7.1
 * before).
 *
 * Bound by issue slots, says `explain` (H200, 4096^3): 2479 us, as before, and
 * 1721 us of shared memory, as before, too. Fewer words do not mean fewer passes:
 * 16 bytes a lane take at least two passes for a warp, whoever shares them.
 * Passes are saved by 09 (more outputs a thread) and 11b (which lanes share). In SASS
 * 1.76 slots an FMA, 1.71 before.
 * Stores take more: a warp's 32 columns are one line of C, so a store has 8
 * rows, 32 sectors (16 before).
 *
 * Without loads ahead it was no faster than 06, either: 33.0 TFLOP/s for 33.1 on
 * an H100. The source has 82.7% of cuBLAS for it, and 82.6% for the step before.
 *
 * reached: not measured */
#include "copy.cuh"
#include "epilogue.cuh"
#include "load.cuh"

constexpr int BLOCK_M = 128;
constexpr int BLOCK_N = 128;
constexpr int BLOCK_K = 8;
constexpr int WARP_M = 64;
constexpr int WARP_N = 32;
constexpr int THREAD_M = 8;
constexpr int THREAD_N = 8;
constexpr int V = 4;
constexpr int WARPS_N = BLOCK_N / WARP_N;
constexpr int THREADS = BLOCK_M / WARP_M * WARPS_N * 32;
constexpr int LANES_M = WARP_M / THREAD_M;
constexpr int LANES_N = WARP_N / THREAD_N;
constexpr int LD_A = BLOCK_K + 4; // 8 rows, 12 words apart: 8 different banks

static_assert(LANES_M * LANES_N == 32, "the lanes of a warp tile its part of C");

template <bool VECTOR>
static __global__ void __launch_bounds__(THREADS, 2)
	gemm_warp_tile(const float *A, const float *B, int M, int N, int K, epilogue<float> out)
{
	__shared__ alignas(16) float tile_a[2][BLOCK_M * LD_A];
	__shared__ alignas(16) float tile_b[2][BLOCK_K * BLOCK_N];

	int row0 = blockIdx.y * BLOCK_M;
	int column0 = blockIdx.x * BLOCK_N;
	int warp = threadIdx.x / 32;
	int lane = threadIdx.x % 32;
	int row = warp / WARPS_N * WARP_M + lane / LANES_N; // of the first output, in the tile
	int column = warp % WARPS_N * WARP_N + lane % LANES_N * THREAD_N;

	auto fetch = [&](int to, int k0) {
		copy_tile<BLOCK_M, BLOCK_K, LD_A, THREADS, VECTOR>(tile_a[to], A, M, K, row0, k0);
		copy_tile<BLOCK_K, BLOCK_N, BLOCK_N, THREADS, VECTOR>(tile_b[to], B, K, N, k0, column0);
		__pipeline_commit();
	};
	float sum[THREAD_M][THREAD_N / V][V] = {};
	fetch(0, 0);
	__pipeline_wait_prior(0);
	__syncthreads();
	for (int k0 = 0, current = 0; k0 < K; k0 += BLOCK_K, current ^= 1) {
		if (k0 + BLOCK_K < K)
			fetch(current ^ 1, k0 + BLOCK_K);

#pragma unroll
		for (int k = 0; k < BLOCK_K; k++) {
			float a[THREAD_M];
			epilogue_vector<float, V> b[THREAD_N / V];
#pragma unroll
			for (int i = 0; i < THREAD_M; i++)
				a[i] = tile_a[current][(row + i * LANES_M) * LD_A + k];
#pragma unroll
			for (int j = 0; j < THREAD_N / V; j++)
				b[j] = *(const epilogue_vector<float, V> *)&tile_b[current]
																  [k * BLOCK_N + column + j * V];
#pragma unroll
			for (int i = 0; i < THREAD_M; i++)
#pragma unroll
				for (int j = 0; j < THREAD_N / V; j++)
#pragma unroll
					for (int v = 0; v < V; v++)
						sum[i][j][v] += a[i] * b[j].at[v];
		}

		/* My copies have landed, and then everybody's; and nobody reads the
		 * present tiles any more, so that the next copies may overwrite them. */
		__pipeline_wait_prior(0);
		__syncthreads();
	}

#pragma unroll
	for (int i = 0; i < THREAD_M; i++)
#pragma unroll
		for (int j = 0; j < THREAD_N / V; j++)
			out.store(row0 + row + i * LANES_M, column0 + column + j * V, sum[i][j]);
}

extern "C" void solve(const float *A, const float *B, float *C, int M, int N, int K, float alpha,
					  float beta)
{
	dim3 grid((N + BLOCK_N - 1) / BLOCK_N, (M + BLOCK_M - 1) / BLOCK_M);
	epilogue<float> out = epilogue_make(C, M, N, alpha, beta);
	if (load_vector(A, K) && load_vector(B, N))
		gemm_warp_tile<true><<<grid, THREADS>>>(A, B, M, N, K, out);
	else
		gemm_warp_tile<false><<<grid, THREADS>>>(A, B, M, N, K, out);
}
