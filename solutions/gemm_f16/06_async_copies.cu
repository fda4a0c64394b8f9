/* Asynchronous copies: a tile goes to shared memory past the registers.
 *
 * Idea: cp.async brings 16 bytes from global to shared memory by itself. The
 * thread that starts it goes on at once, holds no register for what is under
 * way, and spends one instruction where a load and a store were two. When it
 * needs the data, it waits for all that it has started.
 *
 * Changes from 05_warp_tile: tile_copy() (tile.cuh) in the place of loads and
 * stores, and a wait before the first barrier. There is still one pair of
 * tiles: the copies of the next one start when the products of this one have
 * ended, so that nothing overlaps but the copies with each other.
 *
 * Arithmetic intensity: 32 FLOP per byte of global memory, as before.
 *
 * Bound by bank conflicts, says `explain` (H200, 4096^3), as before: 2524 of
 * 2680 us predicted. Instructions fall from 2.13 to 1.27 for 1000 operations,
 * and registers from 72 to 64 a thread, so that eight blocks share a
 * multiprocessor instead of seven.
 *
 * reached: 75.3 TFLOP/s, 10% of cuBLAS (NVIDIA H200, 4096^3) */
#include "epilogue.cuh"
#include "tile.cuh"

using namespace nvcuda;

constexpr int BLOCK_M = 64;
constexpr int BLOCK_N = 64;
constexpr int BLOCK_K = 16;
constexpr int WARP_M = 32; // a warp computes 32x32 of them: 2x2 fragments
constexpr int WARP_N = 32;
constexpr int FRAGMENT = 16;
constexpr int WARPS_N = BLOCK_N / WARP_N;
constexpr int WARPS = BLOCK_M / WARP_M * WARPS_N;
constexpr int THREADS = WARPS * 32;
constexpr int COUNT_M = WARP_M / FRAGMENT;
constexpr int COUNT_N = WARP_N / FRAGMENT;
static_assert(BLOCK_K == FRAGMENT, "one product of fragments per tile");

typedef tile_rows<BLOCK_K> layout_a;
typedef tile_rows<BLOCK_N> layout_b;

struct block_tiles {
	half a[BLOCK_M * BLOCK_K];
	half b[BLOCK_K * BLOCK_N];
};

/* BYTES: how much can be copied at once from both A and B, 16 or 2. */
template <int BYTES>
static __global__ void __launch_bounds__(THREADS)
	gemm_async_copies(const half *A, const half *B, int M, int N, int K, epilogue<half> out)
{
	__shared__ alignas(128) block_tiles tiles;
	__shared__ alignas(32) float result[WARPS][TILE_STORE_FLOATS];

	int warp = threadIdx.x / 32;
	int warp_m = warp / WARPS_N * WARP_M; // this warp's corner within the block's tile
	int warp_n = warp % WARPS_N * WARP_N;
	int row0 = blockIdx.y * BLOCK_M;
	int column0 = blockIdx.x * BLOCK_N;

	tile_accumulator sum[COUNT_M][COUNT_N];
	for (int i = 0; i < COUNT_M; i++)
		for (int j = 0; j < COUNT_N; j++)
			wmma::fill_fragment(sum[i][j], 0.0f);

	for (int k0 = 0; k0 < K; k0 += BLOCK_K) {
		tile_copy<BYTES, BLOCK_M, BLOCK_K, THREADS, layout_a>(tiles.a, A, M, K, row0, k0);
		tile_copy<BYTES, BLOCK_K, BLOCK_N, THREADS, layout_b>(tiles.b, B, K, N, k0, column0);
		tile_copy_commit();
		tile_copy_wait<0>();
		__syncthreads(); // everybody's copies have landed

		wmma::fragment<wmma::matrix_a, FRAGMENT, FRAGMENT, FRAGMENT, half, wmma::row_major> a;
		wmma::fragment<wmma::matrix_b, FRAGMENT, FRAGMENT, FRAGMENT, half, wmma::row_major> b;
#pragma unroll
		for (int i = 0; i < COUNT_M; i++) {
			wmma::load_matrix_sync(a, tiles.a + layout_a::at(warp_m + i * FRAGMENT, 0), BLOCK_K);
#pragma unroll
			for (int j = 0; j < COUNT_N; j++) {
				wmma::load_matrix_sync(b, tiles.b + layout_b::at(0, warp_n + j * FRAGMENT),
									   BLOCK_N);
				wmma::mma_sync(sum[i][j], a, b, sum[i][j]);
			}
		}

		__syncthreads(); // nobody reads the tiles any more, so that they may be overwritten
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
	dim3 grid((N + BLOCK_N - 1) / BLOCK_N, (M + BLOCK_M - 1) / BLOCK_M);
	epilogue<half> out = epilogue_make(C, M, N, alpha, beta);
	if (tile_copy_bytes(A, K) == 16 && tile_copy_bytes(B, N) == 16)
		gemm_async_copies<16><<<grid, THREADS>>>(A, B, M, N, K, out);
	else
		gemm_async_copies<2><<<grid, THREADS>>>(A, B, M, N, K, out);
}
