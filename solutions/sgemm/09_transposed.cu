/* A stands transposed in shared memory.
 *
 * Idea: the inner loop reads a column of the tile of A. Stored as it came, that
 * column is spread over the rows, and every value costs an instruction. Stored
 * with rows and columns exchanged, four values that a thread needs lie side by
 * side and come with one.
 *
 * Changes from 09_warp_subdivided: load_tile_transposed writes the four floats
 * that it fetched into four rows of the tile; a thread's rows of C are runs of
 * four, as its columns are. A row of the transposed tile is 132 words: the two
 * runs of 16 rows that a warp writes at once, four rows of the tile apart, fall
 * 16 banks apart, and no two lanes meet in a bank.
 *
 * Arithmetic intensity: 32 FLOP per byte of global memory and 16 per byte that
 * leaves shared memory, as before. For each k a thread issues 6 loads for 128
 * FMAs (12 before, as written), which leaves 95% of the issue slots to the FMAs.
 * nvcc 13.0 already had 08's reads of A joined along k, with four steps' values
 * in registers; so what this step gains is probably those registers (199 instead
 * of 255), to have loads in flight in.
 *
 * On an H200, 74% of cuBLAS where the source has 94%: instructions no longer
 * limit it, but a block still waits for each tile with nothing in flight, and
 * there are 8 warps an SM to hide that. 10 hides it.
 *
 * reached: 38 TFLOP/s, 73% of cuBLAS (NVIDIA H100 80GB HBM3, 4096^3) */
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
constexpr int LD_A = BLOCK_M + 4; // of a row of the transposed tile; see above

static_assert(LANES_M * LANES_N == 32, "the lanes of a warp tile a sub-tile");
static_assert(WARP_M % SUB_M == 0 && WARP_N % SUB_N == 0, "sub-tiles tile the warp's tile");

template <bool VECTOR>
static __global__ void __launch_bounds__(THREADS, 2)
	gemm_transposed(const float *A, const float *B, int M, int N, int K, epilogue<float> out)
{
	__shared__ alignas(16) float tile_a[BLOCK_K * LD_A];
	__shared__ alignas(16) float tile_b[BLOCK_K * BLOCK_N];

	int row0 = blockIdx.y * BLOCK_M;
	int column0 = blockIdx.x * BLOCK_N;
	int warp = threadIdx.x / 32;
	int lane = threadIdx.x % 32;
	/* This thread's first output in the tile. Its rows and columns are runs of V. */
	int row = warp / WARPS_N * WARP_M + lane / LANES_N * V;
	int column = warp % WARPS_N * WARP_N + lane % LANES_N * V;

	float sum[COUNT_M][COUNT_N][V][V] = {};
	for (int k0 = 0; k0 < K; k0 += BLOCK_K) {
		load_tile_transposed<BLOCK_M, BLOCK_K, LD_A, THREADS, VECTOR>(tile_a, A, M, K, row0, k0);
		load_tile<BLOCK_K, BLOCK_N, BLOCK_N, THREADS, VECTOR>(tile_b, B, K, N, k0, column0);
		__syncthreads();

#pragma unroll
		for (int k = 0; k < BLOCK_K; k++) {
			epilogue_vector<float, V> a[COUNT_M], b[COUNT_N];
#pragma unroll
			for (int m = 0; m < COUNT_M; m++)
				a[m] = *(const epilogue_vector<float, V> *)&tile_a[k * LD_A + row + m * SUB_M];
#pragma unroll
			for (int n = 0; n < COUNT_N; n++)
				b[n] =
					*(const epilogue_vector<float, V> *)&tile_b[k * BLOCK_N + column + n * SUB_N];
#pragma unroll
			for (int m = 0; m < COUNT_M; m++)
#pragma unroll
				for (int n = 0; n < COUNT_N; n++)
#pragma unroll
					for (int i = 0; i < V; i++)
#pragma unroll
						for (int j = 0; j < V; j++)
							sum[m][n][i][j] += a[m].at[i] * b[n].at[j];
		}
		__syncthreads();
	}

#pragma unroll
	for (int m = 0; m < COUNT_M; m++)
#pragma unroll
		for (int i = 0; i < V; i++)
#pragma unroll
			for (int n = 0; n < COUNT_N; n++)
				out.store(row0 + row + m * SUB_M + i, column0 + column + n * SUB_N, sum[m][n][i]);
}

extern "C" void solve(const float *A, const float *B, float *C, int M, int N, int K, float alpha,
					  float beta)
{
	dim3 grid((N + BLOCK_N - 1) / BLOCK_N, (M + BLOCK_M - 1) / BLOCK_M);
	epilogue<float> out = epilogue_make(C, M, N, alpha, beta);
	if (load_vector(A, K) && load_vector(B, N))
		gemm_transposed<true><<<grid, THREADS>>>(A, B, M, N, K, out);
	else
		gemm_transposed<false><<<grid, THREADS>>>(A, B, M, N, K, out);
}
