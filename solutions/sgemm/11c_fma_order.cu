/* The FMAs of a thread in an order that saves reads of registers.
 *
 * Idea: an FMA of three registers takes two issue slots on Hopper, as does one with
 * two registers of one bank (odd, even); one operand can come from the reuse
 * cache, if the FMA before had it in the same place. So FMAs walk a thread's 8x16
 * outputs down one column and up the next: each step changes one operand and
 * keeps the other. lanes.cuh has the order, NOTES.md ("Register ports") how that
 * was found.
 *
 * Changes from 11b_lane_map: the loops around the FMA, nothing else.
 *
 * Arithmetic intensity: as before.
 *
 * Bound by issue slots: 1.19 an FMA for 1.37 before, counted in SASS
 * (tools/sass-slots, nvcc 13.0, B by 16 bytes): 76 of 1024 FMAs have three
 * registers, 255 before. `explain` reads PTX, in which the order makes no
 * difference: 2531 us (H200, 4096^3), as before.
 *
 * reached: not measured */
#include "async.cuh"
#include "epilogue.cuh"
#include "lanes.cuh"
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

static_assert(BLOCK_K % 2 == 0, "fragments change places an even number of times");
static_assert(LANES_M * LANES_N == 32, "the lanes of a warp tile a sub-tile");
static_assert(WARP_M % SUB_M == 0 && WARP_N % SUB_N == 0, "sub-tiles tile the warp's tile");

struct lanes {
	static constexpr int LANES_M = ::LANES_M, LANES_N = ::LANES_N;
};

/* VECTOR_B: floats of B that one copy moves, 4 or 1. */
template <int VECTOR_B>
static __global__ void __launch_bounds__(THREADS, 2)
	gemm_fma_order(const float *A, const float *B, int M, int N, int K, epilogue<float> out)
{
	__shared__ alignas(16) float tile_a[2][BLOCK_K * LD_A];
	__shared__ alignas(16) float tile_b[2][BLOCK_K * BLOCK_N];

	int row0 = blockIdx.y * BLOCK_M;
	int column0 = blockIdx.x * BLOCK_N;
	int warp = threadIdx.x / 32;
	int lane = threadIdx.x % 32;
	int row = warp / WARPS_N * WARP_M + lane_row<lanes>(lane) * V;
	int column = warp % WARPS_N * WARP_N + lane_column<lanes>(lane) * V;

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
	epilogue_vector<float, V> a[2][COUNT_M], b[2][COUNT_N]; // of this k, and of the next one
	auto read = [&](int to, int buffer, int k) {
#pragma unroll
		for (int m = 0; m < COUNT_M; m++)
			a[to][m] =
				*(const epilogue_vector<float, V> *)&tile_a[buffer][k * LD_A + row + m * SUB_M];
#pragma unroll
		for (int n = 0; n < COUNT_N; n++)
			b[to][n] = *(
				const epilogue_vector<float, V> *)&tile_b[buffer][k * BLOCK_N + column + n * SUB_N];
	};
	read(0, 0, 0);
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
			if (k == BLOCK_K - 1) {
				/* The next tiles are there, for everybody; and everybody has read
				 * the last of the present ones, which copies may now overwrite. */
				__pipeline_wait_prior(0);
				__syncthreads();
				current ^= 1;
			}
			if (k < BLOCK_K - 1 || tile + 1 < tiles)
				read((k + 1) % 2, current, (k + 1) % BLOCK_K);
#pragma unroll
			for (int column = 0; column < COUNT_N * V; column++)
#pragma unroll
				for (int step = 0; step < COUNT_M * V; step++) {
					int n = column / V, j = column % V;
					int row = evens_first<V>(snake(column, step, COUNT_M * V));
					int m = row / V, i = row % V;
					sum[m][i][n][j] += a[k % 2][m].at[i] * b[k % 2][n].at[j];
				}
		}
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
		gemm_fma_order<4><<<grid, THREADS>>>(A, B, M, N, K, out);
	else
		gemm_fma_order<1><<<grid, THREADS>>>(A, B, M, N, K, out);
}
