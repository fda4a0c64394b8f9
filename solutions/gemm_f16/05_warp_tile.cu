/* A warp of four fragments: each one that is loaded feeds more than one
 * product.
 *
 * Idea: what a block's tile is to global memory, a warp's tile is to shared
 * memory: the more outputs, the more products of what is loaded. A warp here
 * computes 32x32 outputs in 2x2 accumulators. For 16 along K it loads two
 * fragments of A and four of B for four products, where 04 loads eight. The
 * block has as many warps, and so 64x64 outputs.
 *
 * Changes from 04_shared_tiles: arrays of accumulators and two loops over
 * them; the sizes of the tiles follow.
 *
 * Arithmetic intensity: 2*64*64*16 FLOP for 2*64*16 halves, 131072 / 4096 = 32
 * FLOP per byte of global memory (16 before).
 *
 * Bound by bank conflicts, says `explain` (H200, 4096^3), now more than before:
 * a row of B's tile has 128 bytes, so that all eight rows that are read at once
 * lie in the same banks, and loading a fragment takes 24 passes instead of 4.
 * 2524 of 3085 us predicted. The wider tile halves what comes from L2 (481 us
 * for 958), and the conflicts hide it until 08.
 *
 * reached: 58.4 TFLOP/s, 8% of cuBLAS (NVIDIA H200, 4096^3) */
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

struct block_tiles {
	half a[BLOCK_M * BLOCK_K];
	half b[BLOCK_K * BLOCK_N];
};

/* The whole block copies a tile, with zeros for what lies outside of the matrix: a thread loads
 * pieces into registers and stores them to shared memory. */
template <class Piece, int ROWS, int COLUMNS>
static __device__ __forceinline__ void copy(half *tile, const half *matrix, int rows, int columns,
											int row0, int column0)
{
	constexpr int WIDTH = sizeof(Piece) / sizeof(half);
	for (int i = threadIdx.x * WIDTH; i < ROWS * COLUMNS; i += THREADS * WIDTH) {
		int row = row0 + i / COLUMNS, column = column0 + i % COLUMNS;
		const half *from = matrix + (size_t)row * columns + column;
		*(Piece *)(tile + i) = row < rows && column < columns ? *(const Piece *)from : Piece{};
	}
}

/* Piece: what can be copied at once from both A and B, 16 bytes or 2. */
template <class Piece>
static __global__ void __launch_bounds__(THREADS)
	gemm_warp_tile(const half *A, const half *B, int M, int N, int K, epilogue<half> out)
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
		copy<Piece, BLOCK_M, BLOCK_K>(tiles.a, A, M, K, row0, k0);
		copy<Piece, BLOCK_K, BLOCK_N>(tiles.b, B, K, N, k0, column0);
		__syncthreads(); // everybody has written its part

		wmma::fragment<wmma::matrix_a, FRAGMENT, FRAGMENT, FRAGMENT, half, wmma::row_major> a;
		wmma::fragment<wmma::matrix_b, FRAGMENT, FRAGMENT, FRAGMENT, half, wmma::row_major> b;
#pragma unroll
		for (int i = 0; i < COUNT_M; i++) {
			wmma::load_matrix_sync(a, tiles.a + (warp_m + i * FRAGMENT) * BLOCK_K, BLOCK_K);
#pragma unroll
			for (int j = 0; j < COUNT_N; j++) {
				wmma::load_matrix_sync(b, tiles.b + warp_n + j * FRAGMENT, BLOCK_N);
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
		gemm_warp_tile<uint4><<<grid, THREADS>>>(A, B, M, N, K, out);
	else
		gemm_warp_tile<uint16_t><<<grid, THREADS>>>(A, B, M, N, K, out);
}
