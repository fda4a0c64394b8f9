/* Blocks in an order that the L2 cache likes.
 *
 * Idea: blocks start in the order of their number. Numbered along whole rows of
 * C, the ones that run together share rows of A but touch all of B. Here they
 * walk down panels four tiles wide instead, so that those running together form
 * a compact patch of C, and need few rows of A and few columns of B, which stay
 * in L2.
 *
 * Changes from 09_deeper_tiles: a block computes its place in C from its
 * number.
 *
 * Arithmetic intensity: 32 FLOP per byte requested from L2 as before; what
 * changes is how much of it goes on to device memory. Panels pay where they are
 * about as wide as they are high: four blocks that run together need 5 rows and
 * columns of tiles in a row of C, and 4 in a square. With hundreds of blocks at
 * work four tiles are too narrow (LOG.md counts).
 *
 * Bound by L2's bandwidth, says `explain` (H200, 4096^3): 704 us predicted, as
 * for 09. It counts what L2 delivers, and not in which order blocks come: both
 * operands of 4096^3 (67 MB) do not fit into L2 (50 MB), and what this order
 * saves of device memory's traffic only a GPU shows.
 *
 * reached: 170 TFLOP/s, 22% of cuBLAS (NVIDIA H200, 4096^3) */
#include "epilogue.cuh"
#include "tile.cuh"

using namespace nvcuda;

constexpr int BLOCK_M = 64;
constexpr int BLOCK_N = 64;
constexpr int BLOCK_K = 32;
constexpr int WARP_M = 32;
constexpr int WARP_N = 32;
constexpr int FRAGMENT = 16;
constexpr int PADDING = 8;     // halves, 16 bytes: a row is moved on by 4 of the 32 banks
constexpr int PANEL_WIDTH = 4; // blocks
constexpr int WARPS_N = BLOCK_N / WARP_N;
constexpr int WARPS = BLOCK_M / WARP_M * WARPS_N;
constexpr int THREADS = WARPS * 32;
constexpr int COUNT_M = WARP_M / FRAGMENT;
constexpr int COUNT_N = WARP_N / FRAGMENT;
constexpr int STRIDE_A = BLOCK_K + PADDING;
constexpr int STRIDE_B = BLOCK_N + PADDING;
static_assert(STRIDE_A % 8 == 0 && STRIDE_B % 8 == 0, "16-byte copies and wmma need aligned rows");

typedef tile_rows<STRIDE_A> layout_a;
typedef tile_rows<STRIDE_B> layout_b;

struct stage {
	half a[BLOCK_M * STRIDE_A];
	half b[BLOCK_K * STRIDE_B];
};

/* Block `number` in panels of PANEL_WIDTH columns of blocks, row by row within
 * a panel; the last panel may be narrower. */
static __device__ __forceinline__ void place_in_panels(int number, int blocks_m, int blocks_n,
													   int *block_m, int *block_n)
{
	int panel = number / (PANEL_WIDTH * blocks_m);
	int within = number % (PANEL_WIDTH * blocks_m);
	int width = min(PANEL_WIDTH, blocks_n - panel * PANEL_WIDTH);
	*block_m = within / width;
	*block_n = panel * PANEL_WIDTH + within % width;
}

/* BYTES: how much can be copied at once from both A and B, 16 or 2. */
template <int BYTES>
static __global__ void __launch_bounds__(THREADS)
	gemm_swizzle(const half *A, const half *B, int M, int N, int K, epilogue<half> out)
{
	__shared__ alignas(128) stage stages[2];
	__shared__ alignas(32) float result[WARPS][TILE_STORE_FLOATS];

	int block_m, block_n;
	place_in_panels(blockIdx.x, (M + BLOCK_M - 1) / BLOCK_M, (N + BLOCK_N - 1) / BLOCK_N, &block_m,
					&block_n);
	int row0 = block_m * BLOCK_M;
	int column0 = block_n * BLOCK_N;
	int warp = threadIdx.x / 32;
	int warp_m = warp / WARPS_N * WARP_M;
	int warp_n = warp % WARPS_N * WARP_N;

	tile_accumulator sum[COUNT_M][COUNT_N];
	for (int i = 0; i < COUNT_M; i++)
		for (int j = 0; j < COUNT_N; j++)
			wmma::fill_fragment(sum[i][j], 0.0f);

	auto fetch = [&](stage &to, int k0) {
		tile_copy<BYTES, BLOCK_M, BLOCK_K, THREADS, layout_a>(to.a, A, M, K, row0, k0);
		tile_copy<BYTES, BLOCK_K, BLOCK_N, THREADS, layout_b>(to.b, B, K, N, k0, column0);
		tile_copy_commit();
	};

	fetch(stages[0], 0);
	tile_copy_wait<0>();
	__syncthreads();
	int current = 0;
	for (int k0 = 0; k0 < K; k0 += BLOCK_K) {
		if (k0 + BLOCK_K < K)
			fetch(stages[current ^ 1], k0 + BLOCK_K);

		const stage &tiles = stages[current];
#pragma unroll
		for (int k = 0; k < BLOCK_K; k += FRAGMENT) {
			wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a[COUNT_M];
			wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b[COUNT_N];
#pragma unroll
			for (int i = 0; i < COUNT_M; i++)
				wmma::load_matrix_sync(a[i], tiles.a + layout_a::at(warp_m + i * FRAGMENT, k),
									   STRIDE_A);
#pragma unroll
			for (int j = 0; j < COUNT_N; j++)
				wmma::load_matrix_sync(b[j], tiles.b + layout_b::at(k, warp_n + j * FRAGMENT),
									   STRIDE_B);
#pragma unroll
			for (int i = 0; i < COUNT_M; i++)
#pragma unroll
				for (int j = 0; j < COUNT_N; j++)
					wmma::mma_sync(sum[i][j], a[i], b[j], sum[i][j]);
		}

		tile_copy_wait<0>();
		__syncthreads();
		current ^= 1;
	}

#pragma unroll
	for (int i = 0; i < COUNT_M; i++)
#pragma unroll
		for (int j = 0; j < COUNT_N; j++)
			tile_store(out, result[warp], sum[i][j], row0 + warp_m + i * FRAGMENT,
					   column0 + warp_n + j * FRAGMENT);
}

extern "C" void solve(const half *A, const half *B, half *C, int M, int N, int K, float alpha,
					  float beta)
{
	int grid = ((N + BLOCK_N - 1) / BLOCK_N) * ((M + BLOCK_M - 1) / BLOCK_M);
	epilogue<half> out = epilogue_make(C, M, N, alpha, beta);
	if (tile_copy_bytes(A, K) == 16 && tile_copy_bytes(B, N) == 16)
		gemm_swizzle<16><<<grid, THREADS>>>(A, B, M, N, K, out);
	else
		gemm_swizzle<2><<<grid, THREADS>>>(A, B, M, N, K, out);
}
