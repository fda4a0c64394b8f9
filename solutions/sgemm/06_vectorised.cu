/* Four floats an instruction.
 *
 * Idea: a load instruction moves up to 16 bytes a lane and costs one issue slot
 * whatever it moves. Global memory, shared memory and C are accessed as float4
 * wherever rows are aligned.
 *
 * Changes from 05_thread_tile_2d: a thread loads four neighbouring floats of a
 * row of A or B; its columns of C are two runs of four, 64 apart, so that a row
 * of tile_b is read with two instructions instead of eight, without bank
 * conflicts, and C is written with sixteen instead of 64. Odd row lengths keep
 * the one-float path, chosen in solve().
 *
 * Arithmetic intensity: 32 FLOP per byte of global memory, as before. For each k
 * a thread issues 10 loads from shared memory and 64 FMAs (16 and 64 before), as
 * written; nvcc 13.0 also joins four reads of A along k, which leaves 4 loads.
 *
 * On an H200, 64% of cuBLAS where the sources have 83%. That is the GPU and not
 * the code: one source's kernel for this step, run there, reaches 31.4 TFLOP/s,
 * 62%. No load is in flight while a block multiplies, and two blocks an SM do
 * not hide what each waits for.
 *
 * reached: 33.1 TFLOP/s, 63% of cuBLAS (NVIDIA H100 80GB HBM3, 4096^3) */
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
	gemm_vectorised(const float *A, const float *B, int M, int N, int K, epilogue<float> out)
{
	__shared__ alignas(16) float tile_a[BLOCK_M * LD_A];
	__shared__ alignas(16) float tile_b[BLOCK_K * BLOCK_N];

	int row0 = blockIdx.y * BLOCK_M;
	int column0 = blockIdx.x * BLOCK_N;
	int ty = threadIdx.x / THREADS_N;
	int tx = threadIdx.x % THREADS_N;

	float sum[THREAD_M][THREAD_N / V][V] = {};
	for (int k0 = 0; k0 < K; k0 += BLOCK_K) {
		load_tile<BLOCK_M, BLOCK_K, LD_A, THREADS, VECTOR>(tile_a, A, M, K, row0, k0);
		load_tile<BLOCK_K, BLOCK_N, BLOCK_N, THREADS, VECTOR>(tile_b, B, K, N, k0, column0);
		__syncthreads();

#pragma unroll
		for (int k = 0; k < BLOCK_K; k++) {
			float a[THREAD_M];
			epilogue_vector<float, V> b[THREAD_N / V];
#pragma unroll
			for (int i = 0; i < THREAD_M; i++)
				a[i] = tile_a[(ty + i * THREADS_M) * LD_A + k];
#pragma unroll
			for (int j = 0; j < THREAD_N / V; j++)
				b[j] = *(const epilogue_vector<float, V>
							 *)&tile_b[k * BLOCK_N + (tx + j * THREADS_N) * V];
#pragma unroll
			for (int i = 0; i < THREAD_M; i++)
#pragma unroll
				for (int j = 0; j < THREAD_N / V; j++)
#pragma unroll
					for (int v = 0; v < V; v++)
						sum[i][j][v] += a[i] * b[j].at[v];
		}
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
		gemm_vectorised<true><<<grid, THREADS>>>(A, B, M, N, K, out);
	else
		gemm_vectorised<false><<<grid, THREADS>>>(A, B, M, N, K, out);
}
