/* Every size at a good speed: copies as wide as each operand allows.
 *
 * Idea: three of four shapes have an operand whose rows allow more than copies
 * element by element. A and B are looked at separately: rows of a multiple of 8
 * halves are copied 16 bytes at a time, rows of even length 4 bytes at a time,
 * still asynchronously; only odd rows pass through registers.
 *
 * Changes from 11_four_stages: per-operand copy widths. The shapes that the
 * fast path serves keep a kernel of their own without the choice.
 *
 * Arithmetic intensity: 32 FLOP per byte of global memory, as before.
 *
 * Bound by L2's bandwidth, says `explain` (H200), as before at 4096^3; at
 * 4096x4096x4098, where A's rows are copied 4 bytes at a time, 748 us
 * predicted, with 1.92 instructions for 1000 operations. 11 copies both
 * operands element by element there: 1765 us, 5.76 instructions, bound by
 * latency.
 *
 * reached: 186 TFLOP/s, 25% of cuBLAS (NVIDIA H200, 4096^3) */
#include "epilogue.cuh"
#include "tile.cuh"

using namespace nvcuda;

constexpr int BLOCK_M = 64;
constexpr int BLOCK_N = 64;
constexpr int BLOCK_K = 32;
constexpr int WARP_M = 32;
constexpr int WARP_N = 32;
constexpr int FRAGMENT = 16;
constexpr int STAGES = 4;
constexpr int PADDING = 8;
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
static_assert(sizeof(stage) >= WARPS * TILE_STORE_FLOATS * sizeof(float),
			  "a stage that is done with takes the results");
static_assert(STAGES * sizeof(stage) <= 48 * 1024, "static shared memory");

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

static __device__ __forceinline__ void multiply(const stage &tiles, int warp_m, int warp_n,
												tile_accumulator (&sum)[COUNT_M][COUNT_N])
{
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
}

/* bytes_a, bytes_b: how much can be copied at once from A and from B; ALIGNED
 * says that both are 16. */
template <bool ALIGNED>
static __global__ void __launch_bounds__(THREADS)
	gemm_any_size(const half *A, const half *B, int M, int N, int K, int bytes_a, int bytes_b,
				  epilogue<half> out)
{
	__shared__ alignas(128) stage stages[STAGES];

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

	/* Past the end of K there is nothing to fetch, but the group must exist:
	 * waiting counts groups. */
	auto fetch = [&](int t) {
		stage &to = stages[t % STAGES];
		int k0 = t * BLOCK_K;
		if (k0 < K) {
			tile_copy_any<BLOCK_M, BLOCK_K, THREADS, layout_a>(ALIGNED ? 16 : bytes_a, to.a, A, M,
															   K, row0, k0);
			tile_copy_any<BLOCK_K, BLOCK_N, THREADS, layout_b>(ALIGNED ? 16 : bytes_b, to.b, B, K,
															   N, k0, column0);
		}
		tile_copy_commit();
	};

	for (int t = 0; t < STAGES - 1; t++)
		fetch(t);
	int tiles = (K + BLOCK_K - 1) / BLOCK_K;
	for (int t = 0; t < tiles; t++) {
		/* Tile t has landed for everybody, and everybody has left tile t - 1,
		 * whose stage the next fetch may therefore fill. */
		tile_copy_wait<STAGES - 2>();
		__syncthreads();
		fetch(t + STAGES - 1);
		multiply(stages[t % STAGES], warp_m, warp_n, sum);
	}

	__syncthreads();
	float *result = (float *)&stages[0] + warp * TILE_STORE_FLOATS;
#pragma unroll
	for (int i = 0; i < COUNT_M; i++)
#pragma unroll
		for (int j = 0; j < COUNT_N; j++)
			tile_store(out, result, sum[i][j], row0 + warp_m + i * FRAGMENT,
					   column0 + warp_n + j * FRAGMENT);
}

extern "C" void solve(const half *A, const half *B, half *C, int M, int N, int K, float alpha,
					  float beta)
{
	int grid = ((N + BLOCK_N - 1) / BLOCK_N) * ((M + BLOCK_M - 1) / BLOCK_M);
	int bytes_a = tile_copy_bytes(A, K);
	int bytes_b = tile_copy_bytes(B, N);
	epilogue<half> out = epilogue_make(C, M, N, alpha, beta);
	if (bytes_a == 16 && bytes_b == 16)
		gemm_any_size<true><<<grid, THREADS>>>(A, B, M, N, K, 16, 16, out);
	else
		gemm_any_size<false><<<grid, THREADS>>>(A, B, M, N, K, bytes_a, bytes_b, out);
}
