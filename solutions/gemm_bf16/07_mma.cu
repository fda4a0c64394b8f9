/* mma.sync and ldmatrix: the instructions below wmma.
 *
 * Idea: wmma hides how a fragment is spread over a warp. mma.m16n8k16 says it,
 * and that is worth something at both ends. ldmatrix loads four 8x8 matrices at
 * once, from sixteen bytes that each lane names, so that shared memory may have
 * any layout; and every lane knows which elements of C it holds, and stores
 * them straight to C.
 *
 * Changes from 05_double_buffer (06's three levels come back in 08c): the multiplication and
 * the store (mma.cuh: most of the added lines); the copies and the two buffers are the same.
 * One ldmatrix loads what took wmma four loads of 4 bytes a lane, and results
 * no longer pass through shared memory. The tiles in it still lie row by row: a
 * row of A is 64 bytes, so that of the eight rows that ldmatrix reads at once
 * four share their banks, and of B (256 bytes) all eight. Shared memory takes as
 * long for that as for wmma's loads, so that no great gain is to be expected yet.
 *
 * Arithmetic intensity: 64 FLOP per byte of global memory, as before.
 *
 * On an H200, 15% of cuBLAS where the source has 87%: bank conflicts, as in 03,
 * at 82% of what they allow.
 *
 * `explain` (H200, 4096^3): 1125 us of shared memory, 76% of them conflicts, for
 * 214 of tensor cores: 1223 in all.
 *
 * reached: 111 TFLOP/s, 14% of cuBLAS (NVIDIA H100 80GB HBM3, 4096^3) */
#include "../gemm_f16/tile.cuh"
#include "epilogue.cuh"
#include "mma.cuh"

typedef __nv_bfloat16 bf16;

constexpr int BLOCK_M = 128;
constexpr int BLOCK_N = 128;
constexpr int BLOCK_K = 32;
constexpr int WARP_M = 64;
constexpr int WARP_N = 32;
constexpr int MMA_M = 16;
constexpr int MMA_N = 8;
constexpr int MMA_K = 16;
constexpr int WARPS_N = BLOCK_N / WARP_N;
constexpr int WARPS = BLOCK_M / WARP_M * WARPS_N;
constexpr int THREADS = WARPS * 32;
constexpr int COUNT_M = WARP_M / MMA_M;
constexpr int COUNT_N = WARP_N / MMA_N;
static_assert(COUNT_N % 2 == 0, "ldmatrix.x4 loads B for two products");

typedef tile_rows<BLOCK_K> layout_a;
typedef tile_rows<BLOCK_N> layout_b;

struct stage {
	bf16 a[BLOCK_M * BLOCK_K];
	bf16 b[BLOCK_K * BLOCK_N];
};

/* The address of element (row, column) of a tile, for ldmatrix. */
template <class Layout>
static __device__ __forceinline__ uint32_t address(const bf16 *tile, int row, int column)
{
	return (uint32_t)__cvta_generic_to_shared(tile + Layout::at(row, column));
}

static __device__ __forceinline__ void multiply(const stage &tiles, int warp_m, int warp_n,
												float (&sum)[COUNT_M][COUNT_N][4])
{
	int lane_row = mma_lane_row(threadIdx.x % 32);
	int lane_column = mma_lane_column(threadIdx.x % 32);
#pragma unroll
	for (int k = 0; k < BLOCK_K; k += MMA_K) {
		uint32_t a[COUNT_M][4];
		uint32_t b[COUNT_N / 2][4];
#pragma unroll
		for (int i = 0; i < COUNT_M; i++)
			mma_load(a[i],
					 address<layout_a>(tiles.a, warp_m + i * MMA_M + lane_row, k + lane_column));
#pragma unroll
		for (int j = 0; j < COUNT_N / 2; j++)
			mma_load_transposed(b[j], address<layout_b>(tiles.b, k + lane_row,
														warp_n + j * 2 * MMA_N + lane_column));
#pragma unroll
		for (int i = 0; i < COUNT_M; i++)
#pragma unroll
			for (int j = 0; j < COUNT_N; j++)
				mma_m16n8k16(sum[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
	}
}

/* Each lane stores pairs of neighbours; four lanes' pairs are 16 bytes of C. `row`, `column`: of
 * the warp's tile in C. */
static __device__ __forceinline__ void store(const epilogue<bf16> &out, int row, int column,
											 const float (&sum)[COUNT_M][COUNT_N][4])
{
	row += threadIdx.x % 32 / 4;
	column += threadIdx.x % 4 * 2;
#pragma unroll
	for (int i = 0; i < COUNT_M; i++)
#pragma unroll
		for (int j = 0; j < COUNT_N; j++) {
			float upper[2] = {sum[i][j][0], sum[i][j][1]};
			float lower[2] = {sum[i][j][2], sum[i][j][3]};
			out.store(row + i * MMA_M, column + j * MMA_N, upper);
			out.store(row + i * MMA_M + 8, column + j * MMA_N, lower);
		}
}

/* BYTES: how much can be copied at once from both A and B, 16 or 2. */
template <int BYTES>
static __global__ void __launch_bounds__(THREADS)
	gemm_mma(const bf16 *A, const bf16 *B, int M, int N, int K, epilogue<bf16> out)
{
	__shared__ alignas(128) stage stages[2];

	int warp = threadIdx.x / 32;
	int warp_m = warp / WARPS_N * WARP_M; // this warp's corner within the block's tile
	int warp_n = warp % WARPS_N * WARP_N;
	int row0 = blockIdx.y * BLOCK_M;
	int column0 = blockIdx.x * BLOCK_N;

	auto fetch = [&](stage &to, int k0) {
		tile_copy<BYTES, BLOCK_M, BLOCK_K, THREADS, layout_a>(to.a, A, M, K, row0, k0);
		tile_copy<BYTES, BLOCK_K, BLOCK_N, THREADS, layout_b>(to.b, B, K, N, k0, column0);
		tile_copy_commit();
	};

	float sum[COUNT_M][COUNT_N][4] = {};
	fetch(stages[0], 0);
	tile_copy_wait<0>();
	__syncthreads();
	int current = 0;
	for (int k0 = 0; k0 < K; k0 += BLOCK_K) {
		if (k0 + BLOCK_K < K)
			fetch(stages[current ^ 1], k0 + BLOCK_K);
		multiply(stages[current], warp_m, warp_n, sum);
		tile_copy_wait<0>();
		__syncthreads();
		current ^= 1;
	}
	store(out, row0 + warp_m, column0 + warp_n, sum);
}

extern "C" void solve(const bf16 *A, const bf16 *B, bf16 *C, int M, int N, int K, float alpha,
					  float beta)
{
	dim3 grid((N + BLOCK_N - 1) / BLOCK_N, (M + BLOCK_M - 1) / BLOCK_M);
	epilogue<bf16> out = epilogue_make(C, M, N, alpha, beta);
	if (tile_copy_bytes(A, K) == 16 && tile_copy_bytes(B, N) == 16)
		gemm_mma<16><<<grid, THREADS>>>(A, B, M, N, K, out);
	else
		gemm_mma<2><<<grid, THREADS>>>(A, B, M, N, K, out);
}
