/* Tensor cores, fed from global memory.
 *
 * Idea: a warp multiplies two 16x16 tiles with one wmma instruction, where the
 * kernels before needed 4096 multiplications on the ordinary cores. Each warp
 * computes one 16x16 tile of C: along K it loads a tile of A and a tile of B
 * straight from global memory and adds their product to an f32 accumulator,
 * which the warp's 32 threads hold together.
 *
 * Changes from 02_tiled: no shared memory and no barriers on the way in. Four
 * warps form a block of 32x32 outputs so that neighbours find each other's
 * tiles in L1. wmma loads whole tiles of rows that start at multiples of 16
 * bytes; a tile at the edge, or of a matrix with other rows, is gathered
 * element by element with zeros around it. Of the 133 lines that the step adds,
 * 90 are tile.cuh, which the steps up to 13 share.
 *
 * Arithmetic intensity: a warp does 2*16*16*16 = 8192 FLOP for two tiles of 512
 * bytes, 8 FLOP per byte requested from the caches; 16 per byte of global memory
 * when L1 serves the block's second warp. Little, and with one tile in flight
 * per warp: this kernel waits for memory nearly all the time.
 *
 * Bound by accesses that are not coalesced, says `explain` (H200, 4096^3): a
 * fragment's load touches 8 lines, and L1 looks up one a clock: 4141 of 4225 us
 * predicted.
 *
 * reached: 26.5 TFLOP/s, 4% of cuBLAS (NVIDIA H200, 4096^3) */
#include "epilogue.cuh"
#include "tile.cuh"

using namespace nvcuda;

constexpr int TILE = 16;   // what wmma multiplies
constexpr int WARPS_M = 2; // warps of a block along the rows of C
constexpr int WARPS_N = 2; // and along its columns
constexpr int THREADS = WARPS_M * WARPS_N * 32;

/* The 16x16 tile at (row0, column0) of a rows x columns matrix, zeros beyond its
 * edge. `slot` is the warp's own 16x16 halves of shared memory. */
template <class Fragment>
static __device__ __forceinline__ void load_tile(Fragment &fragment, half *slot, const half *matrix,
												 int rows, int columns, int row0, int column0)
{
	bool rows_aligned = columns % 8 == 0 && (uintptr_t)matrix % 32 == 0;
	if (rows_aligned && row0 + TILE <= rows && column0 + TILE <= columns) {
		wmma::load_matrix_sync(fragment, matrix + (size_t)row0 * columns + column0, columns);
		return;
	}
	__syncwarp(); // the tile before may still be in use
	for (int i = threadIdx.x % 32; i < TILE * TILE; i += 32) {
		int row = row0 + i / TILE;
		int column = column0 + i % TILE;
		bool inside = row < rows && column < columns;
		slot[i] = inside ? matrix[(size_t)row * columns + column] : __float2half(0.0f);
	}
	__syncwarp();
	wmma::load_matrix_sync(fragment, slot, TILE);
}

static __global__ void __launch_bounds__(THREADS)
	gemm_wmma_global(const half *A, const half *B, int M, int N, int K, epilogue<half> out)
{
	__shared__ alignas(32) half edge[WARPS_M * WARPS_N][TILE * TILE];
	__shared__ alignas(32) float result[WARPS_M * WARPS_N][TILE_STORE_FLOATS];

	int warp = threadIdx.x / 32;
	int row = (blockIdx.y * WARPS_M + warp / WARPS_N) * TILE;
	int column = (blockIdx.x * WARPS_N + warp % WARPS_N) * TILE;
	if (row >= M || column >= N)
		return;

	wmma::fragment<wmma::matrix_a, TILE, TILE, TILE, half, wmma::row_major> a;
	wmma::fragment<wmma::matrix_b, TILE, TILE, TILE, half, wmma::row_major> b;
	tile_accumulator sum;
	wmma::fill_fragment(sum, 0.0f);
	for (int k = 0; k < K; k += TILE) {
		load_tile(a, edge[warp], A, M, K, row, k);
		load_tile(b, edge[warp], B, K, N, k, column);
		wmma::mma_sync(sum, a, b, sum);
	}
	tile_store(out, result[warp], sum, row, column);
}

extern "C" void solve(const half *A, const half *B, half *C, int M, int N, int K, float alpha,
					  float beta)
{
	dim3 grid((N + WARPS_N * TILE - 1) / (WARPS_N * TILE),
			  (M + WARPS_M * TILE - 1) / (WARPS_M * TILE));
	gemm_wmma_global<<<grid, THREADS>>>(A, B, M, N, K, epilogue_make(C, M, N, alpha, beta));
}
