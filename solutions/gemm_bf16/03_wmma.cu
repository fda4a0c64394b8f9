/* Tensor cores through wmma, from shared tiles.
 *
 * Idea: eight warps compute 128x128 outputs of C together. They bring 128x32 of
 * A and 32x128 of B into shared memory, 16 bytes per load, and each warp
 * multiplies its part of them with wmma: 64x32 outputs, 4x2 fragments of 16x16,
 * whose f32 accumulators stay in registers for the whole of K.
 *
 * Changes from 02_tiled: a wmma instruction of a warp replaces 128 multiply-adds
 * of each of its threads, and a fragment of A feeds two products, one of B four. The
 * loads pass through registers, and the block waits for them: nothing overlaps
 * but what other blocks on the same SM do. Tiles lie row by row as in global
 * memory; nvcc 13.0 loads wmma's bf16 fragments from them by 4 bytes a lane,
 * through banks that several rows share. Steps 07 and 08 are about that. Most
 * lines that are added are tile.cuh's, which has 04's and 05's copies, too.
 *
 * Arithmetic intensity: 2*128*128 FLOP for 256 elements of 2 bytes, 64 FLOP per
 * byte of global memory (10.7 before).
 *
 * Bound by bank conflicts, says `explain` (H200, 4096^3): they are 76% of shared memory's passes,
 * which take 1134 us where the tensor cores take 214; on top of that 368 us of waits for tiles.
 * With these conflicts shared memory feeds 512 FLOP a cycle and SM (NOTES.md), an eighth of an
 * H200's 4096. The source has 74% of cuBLAS on a GPU with less of them.
 *
 * reached: 85.2 TFLOP/s, 11% of cuBLAS (NVIDIA H100 80GB HBM3, 4096^3) */
#include "../gemm_f16/tile.cuh"
#include "epilogue.cuh"

using namespace nvcuda;
typedef __nv_bfloat16 bf16;

constexpr int BLOCK_M = 128;
constexpr int BLOCK_N = 128;
constexpr int BLOCK_K = 32;
constexpr int WARP_M = 64;
constexpr int WARP_N = 32;
constexpr int FRAGMENT = 16;
constexpr int WARPS_N = BLOCK_N / WARP_N;
constexpr int WARPS = BLOCK_M / WARP_M * WARPS_N;
constexpr int THREADS = WARPS * 32;
constexpr int COUNT_M = WARP_M / FRAGMENT;
constexpr int COUNT_N = WARP_N / FRAGMENT;

typedef tile_rows<BLOCK_K> layout_a;
typedef tile_rows<BLOCK_N> layout_b;
typedef wmma::fragment<wmma::matrix_a, 16, 16, 16, bf16, wmma::row_major> fragment_a;
typedef wmma::fragment<wmma::matrix_b, 16, 16, 16, bf16, wmma::row_major> fragment_b;

struct stage {
	bf16 a[BLOCK_M * BLOCK_K];
	bf16 b[BLOCK_K * BLOCK_N];
};

/* The ROWS x COLUMNS tile at (row0, column0) of a matrix whose rows start at
 * multiples of 16 bytes: a load and a store of 8 elements at a time. */
template <int ROWS, int COLUMNS, class Layout>
static __device__ __forceinline__ void load_tile(bf16 *tile, const bf16 *matrix, int rows,
												 int columns, int row0, int column0)
{
	constexpr int CHUNKS = ROWS * COLUMNS / 8;
	static_assert(CHUNKS % THREADS == 0, "threads share the chunks evenly");
#pragma unroll
	for (int n = 0; n < CHUNKS / THREADS; n++) {
		int chunk = n * THREADS + threadIdx.x;
		int r = chunk / (COLUMNS / 8);
		int c = chunk % (COLUMNS / 8) * 8;
		uint4 values = {0, 0, 0, 0};
		if (row0 + r < rows && column0 + c < columns)
			values = __ldg((const uint4 *)(matrix + (size_t)(row0 + r) * columns + column0 + c));
		*(uint4 *)(tile + Layout::at(r, c)) = values;
	}
}

/* ALIGNED: rows of A and of B start at multiples of 16 bytes. */
template <bool ALIGNED>
static __global__ void __launch_bounds__(THREADS)
	gemm_wmma(const bf16 *A, const bf16 *B, int M, int N, int K, epilogue<bf16> out)
{
	__shared__ alignas(128) stage tiles;
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
		if constexpr (ALIGNED) {
			load_tile<BLOCK_M, BLOCK_K, layout_a>(tiles.a, A, M, K, row0, k0);
			load_tile<BLOCK_K, BLOCK_N, layout_b>(tiles.b, B, K, N, k0, column0);
		} else {
			tile_copy<2, BLOCK_M, BLOCK_K, THREADS, layout_a>(tiles.a, A, M, K, row0, k0);
			tile_copy<2, BLOCK_K, BLOCK_N, THREADS, layout_b>(tiles.b, B, K, N, k0, column0);
		}
		__syncthreads();

#pragma unroll
		for (int k = 0; k < BLOCK_K; k += FRAGMENT) {
			fragment_a a;
			fragment_b b[COUNT_N];
#pragma unroll
			for (int j = 0; j < COUNT_N; j++)
				wmma::load_matrix_sync(b[j], tiles.b + layout_b::at(k, warp_n + j * FRAGMENT),
									   BLOCK_N);
#pragma unroll
			for (int i = 0; i < COUNT_M; i++) {
				wmma::load_matrix_sync(a, tiles.a + layout_a::at(warp_m + i * FRAGMENT, k),
									   BLOCK_K);
#pragma unroll
				for (int j = 0; j < COUNT_N; j++)
					wmma::mma_sync(sum[i][j], a, b[j], sum[i][j]);
			}
		}
		__syncthreads();
	}

#pragma unroll
	for (int i = 0; i < COUNT_M; i++)
#pragma unroll
		for (int j = 0; j < COUNT_N; j++)
			tile_store(out, result[warp], sum[i][j], row0 + warp_m + i * FRAGMENT,
					   column0 + warp_n + j * FRAGMENT);
}

extern "C" void solve(const bf16 *A, const bf16 *B, bf16 *C, int M, int N, int K, float alpha,
					  float beta)
{
	dim3 grid((N + BLOCK_N - 1) / BLOCK_N, (M + BLOCK_M - 1) / BLOCK_M);
	epilogue<bf16> out = epilogue_make(C, M, N, alpha, beta);
	if (tile_copy_bytes(A, K) == 16 && tile_copy_bytes(B, N) == 16)
		gemm_wmma<true><<<grid, THREADS>>>(A, B, M, N, K, out);
	else
		gemm_wmma<false><<<grid, THREADS>>>(A, B, M, N, K, out);
}
