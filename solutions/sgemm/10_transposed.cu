/* A stands transposed in shared memory.
 *
 * Idea: the inner loop reads a column of the tile of A. Stored as it came, that
 * column is spread over the rows, and every value costs an instruction. Stored
 * with rows and columns exchanged, four values that a thread needs lie side by
 * side and come with one.
 *
 * Changes from 09_warp_subdivided: A is transposed by copying single floats,
 * eight instructions a thread and tile beside 1024 FMAs, which also makes an odd
 * K as good as any other (async.cuh); a thread's rows of C are runs of four, as
 * its columns are. A row of the transposed tile is 132 words: the 4 rows and 8
 * columns that a warp copies at once fall into 32 different banks. The copies'
 * places are computed once; what is left over along K is the first tile, so
 * that all others need no test. Nearly all lines that are added are async.cuh's.
 *
 * Arithmetic intensity: 32 FLOP per byte of global memory and 16 per byte that
 * leaves shared memory, as before. For each k a thread issues 6 loads for 128
 * FMAs (12 before, as written).
 *
 * Bound by issue slots, says `explain` (H200, 4096^3): 2371 us, 89% of them FMAs
 * (2406 and 88% before). nvcc 13.0 already had 09's reads of A joined along k, with
 * four steps' values in registers, 255 of them; now it has 197, and a freer choice of their
 * banks: 1.32 slots an FMA in SASS, for 1.50. That is also room for the fragments
 * of 11.
 *
 * The source has 93.8% of cuBLAS for A transposed, 95.6% with loads ahead.
 *
 * reached: 45.3 TFLOP/s, 87% of cuBLAS (NVIDIA H100 80GB HBM3, 4096^3) */
#include "async.cuh"
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
constexpr int LD_A = BLOCK_M + 4;

static_assert(LANES_M * LANES_N == 32, "the lanes of a warp tile a sub-tile");
static_assert(WARP_M % SUB_M == 0 && WARP_N % SUB_N == 0, "sub-tiles tile the warp's tile");

/* VECTOR_B: floats of B that one copy moves, 4 or 1. */
template <int VECTOR_B>
static __global__ void __launch_bounds__(THREADS, 2)
	gemm_transposed(const float *A, const float *B, int M, int N, int K, epilogue<float> out)
{
	__shared__ alignas(16) float tile_a[2][BLOCK_K * LD_A];
	__shared__ alignas(16) float tile_b[2][BLOCK_K * BLOCK_N];

	int row0 = blockIdx.y * BLOCK_M;
	int column0 = blockIdx.x * BLOCK_N;
	int warp = threadIdx.x / 32;
	int lane = threadIdx.x % 32;
	int row = warp / WARPS_N * WARP_M + lane / LANES_N * V;
	int column = warp % WARPS_N * WARP_N + lane % LANES_N * V;

	async_tile_a<BLOCK_M, BLOCK_K, LD_A, THREADS> copies_a(M - row0, K);
	async_tile_b<BLOCK_K, BLOCK_N, THREADS, VECTOR_B> copies_b(column0, N, N);
	const float *a_from = A + (size_t)row0 * K; // where the next tiles are (async.cuh)
	const float *b_from = B;
	int tiles = (K + BLOCK_K - 1) / BLOCK_K;
	int depth = K - (tiles - 1) * BLOCK_K; // of the first tile

	copies_a.copy_first(tile_a[0], a_from, depth);
	copies_b.copy_first(tile_b[0], b_from, depth);
	__pipeline_commit();
	a_from += depth;
	b_from += (size_t)depth * N;
	__pipeline_wait_prior(0);
	__syncthreads();

	float sum[COUNT_M][V][COUNT_N][V] = {};
	for (int tile = 0; tile < tiles; tile++) {
		int current = tile % 2;
		if (tile + 1 < tiles) {
			copies_a.copy(tile_a[current ^ 1], a_from);
			copies_b.copy(tile_b[current ^ 1], b_from);
			__pipeline_commit();
			a_from += BLOCK_K;
			b_from += (size_t)BLOCK_K * N;
		}

#pragma unroll
		for (int k = 0; k < BLOCK_K; k++) {
			epilogue_vector<float, V> a[COUNT_M], b[COUNT_N];
#pragma unroll
			for (int m = 0; m < COUNT_M; m++)
				a[m] = *(
					const epilogue_vector<float, V> *)&tile_a[current][k * LD_A + row + m * SUB_M];
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
							sum[m][i][n][j] += a[m].at[i] * b[n].at[j];
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
				out.store(row0 + row + m * SUB_M + i, column0 + column + n * SUB_N, sum[m][i][n]);
}

extern "C" void solve(const float *A, const float *B, float *C, int M, int N, int K, float alpha,
					  float beta)
{
	dim3 grid((N + BLOCK_N - 1) / BLOCK_N, (M + BLOCK_M - 1) / BLOCK_M);
	epilogue<float> out = epilogue_make(C, M, N, alpha, beta);
	if (load_vector(B, N))
		gemm_transposed<4><<<grid, THREADS>>>(A, B, M, N, K, out);
	else
		gemm_transposed<1><<<grid, THREADS>>>(A, B, M, N, K, out);
}
