/* The next tiles arrive while the present ones are multiplied.
 *
 * Idea: in 06 a block waits for each pair of tiles with nothing else to do. Here
 * shared memory holds two pairs. Asynchronous copies (cp.async) into one pair are
 * started, the other pair is multiplied, and only then does the block wait for
 * the copies. They need no registers on the way, and most of their time is
 * hidden behind the FMAs.
 *
 * Changes from 06_vectorised: the second pair, copy_tile in place of load_tile,
 * and one barrier a tile instead of two.
 *
 * Arithmetic intensity: 32 FLOP per byte of global memory, as before.
 *
 * Bound by issue slots, says `explain` (H200, 4096^3): 2450 us, of which FMAs
 * fill 87% (in SASS 1.71 slots an FMA: 09 to 11c are about that). Of 06 it says 2508 us and, on top
 * of them, 1259 us in which both blocks of a multiprocessor wait for their tiles: here that is
 * hidden, 2899 us in place of 4214. Shared memory takes 1721 us, as before.
 *
 * The source has this step after warp tiles and a transposed A (our 08 to 10).
 * Without loads ahead these brought nothing on an H200 and an H100 (NOTES.md,
 * "The order of steps"), so here the wait goes first.
 *
 * reached: not measured */
#include "copy.cuh"
#include "epilogue.cuh"
#include "load.cuh"

constexpr int BLOCK_M = 128;
constexpr int BLOCK_N = 128;
constexpr int BLOCK_K = 8;
constexpr int THREAD_M = 8;
constexpr int THREAD_N = 8;
constexpr int V = 4;
constexpr int THREADS_M = BLOCK_M / THREAD_M;
constexpr int THREADS_N = BLOCK_N / THREAD_N;
constexpr int THREADS = THREADS_M * THREADS_N;
constexpr int LD_A = BLOCK_K + 4; // a multiple of 4, and the two rows that a warp reads differ

static_assert(THREAD_N % V == 0, "a thread's columns are runs of V");

template <bool VECTOR>
static __global__ void __launch_bounds__(THREADS, 2)
	gemm_async(const float *A, const float *B, int M, int N, int K, epilogue<float> out)
{
	__shared__ alignas(16) float tile_a[2][BLOCK_M * LD_A];
	__shared__ alignas(16) float tile_b[2][BLOCK_K * BLOCK_N];

	int row0 = blockIdx.y * BLOCK_M;
	int column0 = blockIdx.x * BLOCK_N;
	int ty = threadIdx.x / THREADS_N;
	int tx = threadIdx.x % THREADS_N;

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
				a[i] = tile_a[current][(ty + i * THREADS_M) * LD_A + k];
#pragma unroll
			for (int j = 0; j < THREAD_N / V; j++)
				b[j] = *(const epilogue_vector<float, V>
							 *)&tile_b[current][k * BLOCK_N + (tx + j * THREADS_N) * V];
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
			out.store(row0 + ty + i * THREADS_M, column0 + (tx + j * THREADS_N) * V, sum[i][j]);
}

extern "C" void solve(const float *A, const float *B, float *C, int M, int N, int K, float alpha,
					  float beta)
{
	dim3 grid((N + BLOCK_N - 1) / BLOCK_N, (M + BLOCK_M - 1) / BLOCK_M);
	epilogue<float> out = epilogue_make(C, M, N, alpha, beta);
	if (load_vector(A, K) && load_vector(B, N))
		gemm_async<true><<<grid, THREADS>>>(A, B, M, N, K, out);
	else
		gemm_async<false><<<grid, THREADS>>>(A, B, M, N, K, out);
}
