/* Two buffers: the next tiles arrive while the present ones are multiplied.
 *
 * Idea: shared memory holds two pairs of tiles. The block starts the copies of
 * the next pair, multiplies the present one, and waits only then: by that time
 * most of the copy has happened behind the tensor cores' work.
 *
 * Changes from 04_async: the second buffer, and one barrier per tile instead of
 * two, since what is written is no longer what is read.
 *
 * Arithmetic intensity: 64 FLOP per byte of global memory, as before.
 *
 * On an H200, 13% of cuBLAS where the source has 90%: bank conflicts, as in 03;
 * this kernel reaches three quarters of the 134 TFLOP/s that they allow.
 *
 * `explain` (H200, 4096^3): 1225 us, as before, 1134 of them shared memory: it has
 * no waits for 04, which are what this step hides.
 *
 * reached: 102 TFLOP/s, 13% of cuBLAS (NVIDIA H100 80GB HBM3, 4096^3) */
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

/* BYTES: how much can be copied at once from both A and B, 16 or 2. */
template <int BYTES>
static __global__ void __launch_bounds__(THREADS)
	gemm_double_buffer(const bf16 *A, const bf16 *B, int M, int N, int K, epilogue<bf16> out)
{
	__shared__ alignas(128) stage stages[2];
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

		/* My copies have landed, and then everybody's; and nobody reads the
		 * present tiles any more, so that they may be overwritten. */
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

extern "C" void solve(const bf16 *A, const bf16 *B, bf16 *C, int M, int N, int K, float alpha,
					  float beta)
{
	dim3 grid((N + BLOCK_N - 1) / BLOCK_N, (M + BLOCK_M - 1) / BLOCK_M);
	epilogue<bf16> out = epilogue_make(C, M, N, alpha, beta);
	if (tile_copy_bytes(A, K) == 16 && tile_copy_bytes(B, N) == 16)
		gemm_double_buffer<16><<<grid, THREADS>>>(A, B, M, N, K, out);
	else
		gemm_double_buffer<2><<<grid, THREADS>>>(A, B, M, N, K, out);
}
