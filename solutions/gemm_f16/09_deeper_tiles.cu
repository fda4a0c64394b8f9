/* Deeper tiles: twice the products between two barriers, for fewer fragment
 * loads.
 *
 * Idea: what a pair of tiles costs however deep they are (a wait, a barrier,
 * the addresses of copies) is paid half as often when they have 32 along K
 * instead of 16. For 16 of these a warp loads its two fragments of A and its
 * two of B once, and keeps them for all four products; 08 loads those of B
 * anew for each of A.
 *
 * Changes from 08_padding: BLOCK_K is 32, with a loop over its two halves, and
 * fragments are in arrays.
 *
 * Arithmetic intensity: 32 FLOP per byte of global memory, as before; of shared
 * memory 4 fragments for 4 products instead of 6.
 *
 * Bound by L2's bandwidth, says `explain` (H200, 4096^3): 481 us, shared memory
 * 406 (538 before); 704 us predicted in all. Rows of 64 + 16 bytes begin 20
 * banks after each other, and have no conflicts either.
 *
 * reached: 168 TFLOP/s, 22% of cuBLAS (NVIDIA H200, 4096^3) */
#include "epilogue.cuh"
#include "tile.cuh"

using namespace nvcuda;

constexpr int BLOCK_M = 64;
constexpr int BLOCK_N = 64;
constexpr int BLOCK_K = 32;
constexpr int WARP_M = 32;
constexpr int WARP_N = 32;
constexpr int FRAGMENT = 16;
constexpr int PADDING = 8; // halves, 16 bytes: a row is moved on by 4 of the 32 banks
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

/* BYTES: how much can be copied at once from both A and B, 16 or 2. */
template <int BYTES>
static __global__ void __launch_bounds__(THREADS)
	gemm_deeper_tiles(const half *A, const half *B, int M, int N, int K, epilogue<half> out)
{
	__shared__ alignas(128) stage stages[2];
	__shared__ alignas(32) float result[WARPS][TILE_STORE_FLOATS];

	int row0 = blockIdx.y * BLOCK_M;
	int column0 = blockIdx.x * BLOCK_N;
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
	dim3 grid((N + BLOCK_N - 1) / BLOCK_N, (M + BLOCK_M - 1) / BLOCK_M);
	epilogue<half> out = epilogue_make(C, M, N, alpha, beta);
	if (tile_copy_bytes(A, K) == 16 && tile_copy_bytes(B, N) == 16)
		gemm_deeper_tiles<16><<<grid, THREADS>>>(A, B, M, N, K, out);
	else
		gemm_deeper_tiles<2><<<grid, THREADS>>>(A, B, M, N, K, out);
}
