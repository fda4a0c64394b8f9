/* Three levels at once: global to shared, shared to registers, multiplication.
 *
 * Idea: while the tensor cores multiply from fragments that were loaded before,
 * the next fragments' tile lies ready in shared memory and the tile after it is
 * on its way there. So a product waits neither for global nor for shared memory,
 * but for what was requested one step earlier.
 *
 * Changes from 05_double_buffer: loading the fragments for 16 along K and
 * multiplying them are two steps, and their order is multiply, then load: the
 * registers of the fragments just used are free for the next, and no second set
 * is needed, which would cost the second block that an SM has room for. A third
 * buffer in shared memory keeps it at one barrier per tile.
 *
 * Arithmetic intensity: 64 FLOP per byte of global memory, as before.
 *
 * Bound by bank conflicts, as 05, says `explain` (H200, 4096^3): 1134 us of shared memory for 214
 * of tensor cores, 1228 in all for both. Measured it is slower than 05: with one set of fragments a
 * warp loads all six and then makes all products, where 05's loads of A and
 * products alternate; `explain` does not see such an order. 08c has two sets, and no
 * conflicts.
 *
 * reached: 96.2 TFLOP/s, 13% of cuBLAS (NVIDIA H100 80GB HBM3, 4096^3) */
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
constexpr int STAGES = 3;
constexpr int WARPS_N = BLOCK_N / WARP_N;
constexpr int WARPS = BLOCK_M / WARP_M * WARPS_N;
constexpr int THREADS = WARPS * 32;
constexpr int COUNT_M = WARP_M / FRAGMENT;
constexpr int COUNT_N = WARP_N / FRAGMENT;
constexpr int STEPS = BLOCK_K / FRAGMENT;

typedef tile_rows<BLOCK_K> layout_a;
typedef tile_rows<BLOCK_N> layout_b;
typedef wmma::fragment<wmma::matrix_a, 16, 16, 16, bf16, wmma::row_major> fragment_a;
typedef wmma::fragment<wmma::matrix_b, 16, 16, 16, bf16, wmma::row_major> fragment_b;

struct stage {
	bf16 a[BLOCK_M * BLOCK_K];
	bf16 b[BLOCK_K * BLOCK_N];
};
static_assert(sizeof(stage) >= WARPS * TILE_STORE_FLOATS * sizeof(float),
			  "a stage that is done with takes the results");
static_assert(STAGES * sizeof(stage) <= 48 * 1024, "static shared memory");

/* A warp's operands for 16 along K. */
struct fragments {
	fragment_a a[COUNT_M];
	fragment_b b[COUNT_N];
};

static __device__ __forceinline__ void load_fragments(fragments &to, const stage &tiles, int k,
													  int warp_m, int warp_n)
{
#pragma unroll
	for (int i = 0; i < COUNT_M; i++)
		wmma::load_matrix_sync(to.a[i], tiles.a + layout_a::at(warp_m + i * FRAGMENT, k), BLOCK_K);
#pragma unroll
	for (int j = 0; j < COUNT_N; j++)
		wmma::load_matrix_sync(to.b[j], tiles.b + layout_b::at(k, warp_n + j * FRAGMENT), BLOCK_N);
}

static __device__ __forceinline__ void multiply(const fragments &f,
												tile_accumulator (&sum)[COUNT_M][COUNT_N])
{
#pragma unroll
	for (int i = 0; i < COUNT_M; i++)
#pragma unroll
		for (int j = 0; j < COUNT_N; j++)
			wmma::mma_sync(sum[i][j], f.a[i], f.b[j], sum[i][j]);
}

/* BYTES: how much can be copied at once from both A and B, 16 or 2. */
template <int BYTES>
static __global__ void __launch_bounds__(THREADS, 2)
	gemm_three_level(const bf16 *A, const bf16 *B, int M, int N, int K, epilogue<bf16> out)
{
	__shared__ alignas(128) stage stages[STAGES];

	int warp = threadIdx.x / 32;
	int warp_m = warp / WARPS_N * WARP_M; // this warp's corner within the block's tile
	int warp_n = warp % WARPS_N * WARP_N;
	int row0 = blockIdx.y * BLOCK_M;
	int column0 = blockIdx.x * BLOCK_N;

	tile_accumulator sum[COUNT_M][COUNT_N];
	for (int i = 0; i < COUNT_M; i++)
		for (int j = 0; j < COUNT_N; j++)
			wmma::fill_fragment(sum[i][j], 0.0f);

	/* Past the end of K there is nothing to fetch, but the group must exist:
	 * waiting counts groups. */
	auto fetch = [&](int t) {
		stage &to = stages[t % STAGES];
		int k0 = t * BLOCK_K;
		if (k0 < K) {
			tile_copy<BYTES, BLOCK_M, BLOCK_K, THREADS, layout_a>(to.a, A, M, K, row0, k0);
			tile_copy<BYTES, BLOCK_K, BLOCK_N, THREADS, layout_b>(to.b, B, K, N, k0, column0);
		}
		tile_copy_commit();
	};

	fragments present;
	fetch(0);
	fetch(1);
	tile_copy_wait<1>();
	__syncthreads();
	load_fragments(present, stages[0], 0, warp_m, warp_n);

	int tiles = (K + BLOCK_K - 1) / BLOCK_K;
	for (int t = 0; t < tiles; t++) {
		/* Into the stage of tile t - 1, which everybody had left for registers
		 * before the barrier of the last round. */
		fetch(t + 2);
#pragma unroll
		for (int step = 0; step < STEPS - 1; step++) {
			multiply(present, sum);
			load_fragments(present, stages[t % STAGES], (step + 1) * FRAGMENT, warp_m, warp_n);
		}
		multiply(present, sum);
		tile_copy_wait<1>(); // for tile t + 1
		__syncthreads();
		if (t + 1 < tiles)
			load_fragments(present, stages[(t + 1) % STAGES], 0, warp_m, warp_n);
	}

	float *result = (float *)&stages[0] + warp * TILE_STORE_FLOATS;
#pragma unroll
	for (int i = 0; i < COUNT_M; i++)
#pragma unroll
		for (int j = 0; j < COUNT_N; j++)
			tile_store(out, result, sum[i][j], row0 + warp_m + i * FRAGMENT,
					   column0 + warp_n + j * FRAGMENT);
}

extern "C" void solve(const bf16 *A, const bf16 *B, bf16 *C, int M, int N, int K, float alpha,
					  float beta)
{
	dim3 grid((N + BLOCK_N - 1) / BLOCK_N, (M + BLOCK_M - 1) / BLOCK_M);
	epilogue<bf16> out = epilogue_make(C, M, N, alpha, beta);
	if (tile_copy_bytes(A, K) == 16 && tile_copy_bytes(B, N) == 16)
		gemm_three_level<16><<<grid, THREADS>>>(A, B, M, N, K, out);
	else
		gemm_three_level<2><<<grid, THREADS>>>(A, B, M, N, K, out);
}
