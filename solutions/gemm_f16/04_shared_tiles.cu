/* Tiles in shared memory, for tensor cores.
 *
 * Idea: the four warps of a block of 32x32 outputs need the same rows of A and
 * columns of B. In 03 each of them loads its own from global memory, and the
 * load of a fragment touches 8 lines at once, for 32 bytes of each. Here the
 * block copies a 32x16 tile of A and a 16x32 tile of B into shared memory, as
 * in 02, 16 bytes a thread, and fragments are loaded from there.
 *
 * Changes from 03_wmma_global: the copy, and two barriers for each pair of
 * tiles: one before it is read and one before it is overwritten. What lies
 * outside of A or B is written as zero, so that fragments need no gathering at
 * the edges. An operand whose rows do not start at multiples of 16 bytes is
 * copied element by element, and so is the other one.
 *
 * Arithmetic intensity: 2*32*32*16 FLOP for 2*32*16 halves, 32768 / 2048 = 16
 * FLOP per byte of global memory, whether or not L1 helps.
 *
 * Bound by bank conflicts, says `explain` (H200, 4096^3): loading a fragment
 * takes 12 passes over shared memory where 4 would do, as rows of 32 and 64
 * bytes begin in the same banks again after 4 and 2 rows. 1818 of 2999 us
 * predicted (4225 for 03, of these 4141 in L1's look-ups of lines).
 *
 * reached: 35 TFLOP/s, 5% of cuBLAS (NVIDIA H200, 4096^3) */
#include "epilogue.cuh"
#include "tile.cuh"

using namespace nvcuda;

constexpr int TILE = 16;   // what wmma multiplies
constexpr int WARPS_M = 2; // warps of a block along the rows of C
constexpr int WARPS_N = 2; // and along its columns
constexpr int THREADS = WARPS_M * WARPS_N * 32;
constexpr int BLOCK_M = WARPS_M * TILE;
constexpr int BLOCK_N = WARPS_N * TILE;
constexpr int BLOCK_K = TILE;

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
	gemm_shared_tiles(const half *A, const half *B, int M, int N, int K, epilogue<half> out)
{
	__shared__ alignas(128) block_tiles tiles;
	__shared__ alignas(32) float result[WARPS_M * WARPS_N][TILE_STORE_FLOATS];

	int warp = threadIdx.x / 32;
	int warp_m = warp / WARPS_N * TILE; // this warp's corner within the block's tile
	int warp_n = warp % WARPS_N * TILE;
	int row0 = blockIdx.y * BLOCK_M;
	int column0 = blockIdx.x * BLOCK_N;

	wmma::fragment<wmma::matrix_a, TILE, TILE, TILE, half, wmma::row_major> a;
	wmma::fragment<wmma::matrix_b, TILE, TILE, TILE, half, wmma::row_major> b;
	tile_accumulator sum;
	wmma::fill_fragment(sum, 0.0f);
	for (int k0 = 0; k0 < K; k0 += BLOCK_K) {
		copy<Piece, BLOCK_M, BLOCK_K>(tiles.a, A, M, K, row0, k0);
		copy<Piece, BLOCK_K, BLOCK_N>(tiles.b, B, K, N, k0, column0);
		__syncthreads(); // everybody has written its part
		wmma::load_matrix_sync(a, tiles.a + warp_m * BLOCK_K, BLOCK_K);
		wmma::load_matrix_sync(b, tiles.b + warp_n, BLOCK_N);
		wmma::mma_sync(sum, a, b, sum);
		__syncthreads(); // nobody reads the tiles any more, so that they may be overwritten
	}
	tile_store(out, result[warp], sum, row0 + warp_m, column0 + warp_n);
}

extern "C" void solve(const half *A, const half *B, half *C, int M, int N, int K, float alpha,
					  float beta)
{
	dim3 grid((N + BLOCK_N - 1) / BLOCK_N, (M + BLOCK_M - 1) / BLOCK_M);
	epilogue<half> out = epilogue_make(C, M, N, alpha, beta);
	if (tile_copy_bytes(A, K) == 16 && tile_copy_bytes(B, N) == 16)
		gemm_shared_tiles<uint4><<<grid, THREADS>>>(A, B, M, N, K, out);
	else
		gemm_shared_tiles<uint16_t><<<grid, THREADS>>>(A, B, M, N, K, out);
}
