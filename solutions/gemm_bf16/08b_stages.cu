/* Three pairs of tiles under way.
 *
 * Idea: 08's products of a tile take less time than a trip to L2, so that a copy
 * which starts with them is still under way when they end. A ring of four stages
 * holds the tiles that are multiplied and the next three, whose copies have
 * three tiles' time to arrive.
 *
 * Changes from 08_swizzled: four stages in place of two, 64 KB, which a kernel
 * has to ask for as dynamic shared memory; the wait is for all but the last two
 * copies. One barrier a tile is enough: behind it everybody has multiplied the
 * tile before, whose stage the next copies take.
 *
 * Arithmetic intensity: 64 FLOP per byte of global memory, 21 of shared memory,
 * as before.
 *
 * Bound by shared memory, says `explain` (H200, 4096^3), 266 us, and by L2, 252 us:
 * 442 us in all, for 451 before. It has nothing for the trip that 08 waits for,
 * as each of a multiprocessor's two blocks fills the other one's waits there; the notes
 * say what that cost 08.
 *
 * reached: not measured */
#include <stdio.h>
#include <stdlib.h>

#include "../gemm_f16/tile.cuh"
#include "epilogue.cuh"
#include "mma.cuh"

typedef __nv_bfloat16 bf16;

constexpr int BLOCK_M = 128;
constexpr int BLOCK_N = 128;
constexpr int BLOCK_K = 32;
constexpr int STAGES = 4;
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

/* Rows of COLUMNS elements with their chunks of 8 exchanged. A row of A is half
 * a line of 128 bytes, so that two rows share a number there. */
template <int COLUMNS> struct swizzled_rows {
	static constexpr int CHUNKS = COLUMNS / 8;
	static constexpr int ROWS_PER_LINE = CHUNKS < 8 ? 8 / CHUNKS : 1;
	static_assert(COLUMNS % 8 == 0 && (CHUNKS & (CHUNKS - 1)) == 0, "XOR stays within the row");

	static __device__ __forceinline__ int at(int row, int column)
	{
		int chunk = column / 8 ^ row / ROWS_PER_LINE % (CHUNKS < 8 ? CHUNKS : 8);
		return row * COLUMNS + chunk * 8 + column % 8;
	}
};

typedef swizzled_rows<BLOCK_K> layout_a;
typedef swizzled_rows<BLOCK_N> layout_b;

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

/* Each lane stores pairs of neighbours; four lanes' pairs are 16 bytes of C. */
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
	gemm_stages(const bf16 *A, const bf16 *B, int M, int N, int K, epilogue<bf16> out)
{
	extern __shared__ __align__(128) unsigned char memory[];
	stage *stages = (stage *)memory;

	int warp = threadIdx.x / 32;
	int warp_m = warp / WARPS_N * WARP_M; // this warp's corner within the block's tile
	int warp_n = warp % WARPS_N * WARP_N;
	int row0 = blockIdx.y * BLOCK_M;
	int column0 = blockIdx.x * BLOCK_N;

	/* Past the end of K a fetch writes zeros: that is cheaper than a branch. */
	auto fetch = [&](int t) {
		stage &to = stages[t % STAGES];
		tile_copy<BYTES, BLOCK_M, BLOCK_K, THREADS, layout_a>(to.a, A, M, K, row0, t * BLOCK_K);
		tile_copy<BYTES, BLOCK_K, BLOCK_N, THREADS, layout_b>(to.b, B, K, N, t * BLOCK_K, column0);
		tile_copy_commit();
	};

	float sum[COUNT_M][COUNT_N][4] = {};
	for (int t = 0; t < STAGES - 1; t++)
		fetch(t);
	int tiles = (K + BLOCK_K - 1) / BLOCK_K;
	for (int t = 0; t < tiles; t++) {
		/* Tile t has landed for everybody, and everybody has multiplied tile t - 1,
		 * whose stage the next fetch takes. */
		tile_copy_wait<STAGES - 2>();
		__syncthreads();
		fetch(t + STAGES - 1);
		multiply(stages[t % STAGES], warp_m, warp_n, sum);
	}
	store(out, row0 + warp_m, column0 + warp_n, sum);
}

extern "C" void solve(const bf16 *A, const bf16 *B, bf16 *C, int M, int N, int K, float alpha,
					  float beta)
{
	dim3 grid((N + BLOCK_N - 1) / BLOCK_N, (M + BLOCK_M - 1) / BLOCK_M);
	epilogue<bf16> out = epilogue_make(C, M, N, alpha, beta);
	bool aligned = tile_copy_bytes(A, K) == 16 && tile_copy_bytes(B, N) == 16;
	auto kernel = aligned ? gemm_stages<16> : gemm_stages<2>;
	constexpr int SHARED = STAGES * sizeof(stage);
	if (cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED) !=
		cudaSuccess) {
		fprintf(stderr, "08b_stages: a block cannot have %d bytes of shared memory\n", SHARED);
		abort();
	}
	kernel<<<grid, THREADS, SHARED>>>(A, B, M, N, K, out);
}
