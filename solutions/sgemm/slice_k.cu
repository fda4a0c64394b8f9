/* The warps of a block share each sum: slice-K, for products of few tiles.
 *
 * Idea: at 1024^3 C has 64 tiles of 128x128 for 132 multiprocessors, so tiles must be
 * smaller. With 64x64 outputs for four warps, a warp has 32x32 of them: eight
 * values of A and four of B then make 32 FMAs a thread, not 24 values 128. Here
 * all four warps have the whole 64x64, with 8x16 outputs a thread as before, and
 * each takes a quarter of the k of a tile. At the end they add up through shared
 * memory. Split-K (split.cuh) is the same among blocks, through global memory.
 *
 * It stands beside the ladder: read it after 11c_fma_order. At 4096^3, where tiles are
 * many, it only costs.
 *
 * Changes from 11c_fma_order: tiles of 64x64, 16 deep, and 4 of the 16 k a warp; the
 * sums of slices.
 *
 * Arithmetic intensity: 2*64*64 FLOP for 128 floats, 16 FLOP per byte of global
 * memory; 16 per byte that leaves shared memory, as in 11c, where four warps of 32x32
 * would have 10.7.
 *
 * Bound by issue slots, says `explain` (H200, 1024^3): 41 us, 82% of them FMAs, and 47 in
 * all. 11c takes 82, as half of the GPU is idle, and 12_multistage, with 64x64 as four times
 * 32x32, 56: 73% FMAs and 29 us of shared memory, here 17. The slices of ffma.cu, which
 * measured less than was predicted, were two of 64x32: NOTES.md.
 *
 * reached: not measured */
#include "async.cuh"
#include "epilogue.cuh"
#include "lanes.cuh"
#include "load.cuh"

constexpr int BLOCK_M = 64;
constexpr int BLOCK_N = 64;
constexpr int BLOCK_K = 16;
constexpr int WARP_M = 64; // the whole tile
constexpr int WARP_N = 64;
constexpr int SLICES = 4; // warps that share a sum
constexpr int SLICE_K = BLOCK_K / SLICES;
constexpr int LANES_M = 8;
constexpr int LANES_N = 4;
constexpr int V = 4; // a thread's piece of a sub-tile is V x V
constexpr int SUB_M = LANES_M * V;
constexpr int SUB_N = LANES_N * V;
constexpr int COUNT_M = WARP_M / SUB_M; // sub-tiles of a warp
constexpr int COUNT_N = WARP_N / SUB_N;
constexpr int THREADS = SLICES * 32;
constexpr int LD_A = BLOCK_M + 4;

static_assert(SLICE_K % 2 == 0, "fragments change places an even number of times");
static_assert(LANES_M * LANES_N == 32, "the lanes of a warp tile a sub-tile");
static_assert(WARP_M % SUB_M == 0 && WARP_N % SUB_N == 0, "sub-tiles tile the warp's tile");

struct lanes {
	static constexpr int LANES_M = ::LANES_M, LANES_N = ::LANES_N;
};

/* Half of the slices' sums take the tiles' place when these are done with. */
union memory {
	struct {
		alignas(16) float a[2][BLOCK_K * LD_A], b[2][BLOCK_K * BLOCK_N];
	} tiles;
	float sums[SLICES / 2][COUNT_M * V * COUNT_N * V][32];
};

/* VECTOR_B: floats of B that one copy moves, 4 or 1. */
template <int VECTOR_B>
static __global__ void __launch_bounds__(THREADS, 2)
	gemm_slice_k(const float *A, const float *B, int M, int N, int K, epilogue<float> out)
{
	__shared__ memory shared;
	auto &tile_a = shared.tiles.a;
	auto &tile_b = shared.tiles.b;

	int row0 = blockIdx.y * BLOCK_M;
	int column0 = blockIdx.x * BLOCK_N;
	int first = threadIdx.x / 32 * SLICE_K; // of this warp's k, in a tile
	int lane = threadIdx.x % 32;
	int row = lane_row<lanes>(lane) * V;
	int column = lane_column<lanes>(lane) * V;

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
	read(0, 0, first);
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
		for (int k = 0; k < SLICE_K; k++) {
			if (k == SLICE_K - 1) {
				/* The next tiles are there, for everybody; and everybody has read
				 * the last of the present ones, which copies may now overwrite. */
				__pipeline_wait_prior(0);
				__syncthreads();
				current ^= 1;
			}
			if (k < SLICE_K - 1 || tile + 1 < tiles)
				read((k + 1) % 2, current, first + (k + 1) % SLICE_K);
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

	/* The upper half of the slices gives its sums to the lower one, until one has all. */
	int slice = threadIdx.x / 32;
	auto each = [&](auto use) {
#pragma unroll
		for (int m = 0; m < COUNT_M; m++)
#pragma unroll
			for (int i = 0; i < V; i++)
#pragma unroll
				for (int n = 0; n < COUNT_N; n++)
#pragma unroll
					for (int j = 0; j < V; j++)
						use(sum[m][i][n][j], ((m * V + i) * COUNT_N + n) * V + j);
	};
#pragma unroll
	for (int half = SLICES / 2; half > 0; half /= 2) {
		if (slice >= half && slice < 2 * half)
			each([&](float x, int at) { shared.sums[slice - half][at][lane] = x; });
		__syncthreads();
		if (slice < half)
			each([&](float &x, int at) { x += shared.sums[slice][at][lane]; });
		__syncthreads();
	}
	if (slice > 0)
		return;

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
		gemm_slice_k<4><<<grid, THREADS>>>(A, B, M, N, K, out);
	else
		gemm_slice_k<1><<<grid, THREADS>>>(A, B, M, N, K, out);
}
