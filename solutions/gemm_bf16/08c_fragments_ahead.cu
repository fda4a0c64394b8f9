/* Fragments of the next 16 along K are loaded while these are multiplied.
 *
 * Idea: ldmatrix is followed at once by the mma that needs what it loads, so that
 * tensor cores and shared memory work in turns. With two sets of fragments a warp
 * loads one and multiplies the other, also across the barrier between two tiles:
 * the third level of the pipeline, as in 06_three_level.
 *
 * Changes from 08b_stages: two sets of fragments; the wait and the barrier move
 * before a tile's last step, whose products hide the first loads of the next
 * tile. The stage of a tile is free when its last fragments are in registers.
 *
 * Arithmetic intensity: as before.
 *
 * Bound by shared memory, says `explain` (H200, 4096^3): 267 us, 457 in all, for 442
 * before. It counts loads and products as if they always overlapped, and sees
 * only the price: 156 registers a thread for 126, so one block a multiprocessor in
 * place of two, 12% of its warps. 08d makes use of what one block may have.
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
constexpr int STEPS = BLOCK_K / MMA_K;
static_assert(STEPS % 2 == 0, "the sets of fragments alternate; see the main loop");
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

/* A warp's operands for 16 along K. */
struct fragments {
	uint32_t a[COUNT_M][4];
	uint32_t b[COUNT_N / 2][4];
};

static __device__ __forceinline__ void load_fragments(fragments &to, const stage &tiles, int warp_m,
													  int warp_n, int k)
{
	int lane_row = mma_lane_row(threadIdx.x % 32);
	int lane_column = mma_lane_column(threadIdx.x % 32);
#pragma unroll
	for (int i = 0; i < COUNT_M; i++)
		mma_load(to.a[i],
				 address<layout_a>(tiles.a, warp_m + i * MMA_M + lane_row, k + lane_column));
#pragma unroll
	for (int j = 0; j < COUNT_N / 2; j++)
		mma_load_transposed(to.b[j], address<layout_b>(tiles.b, k + lane_row,
													   warp_n + j * 2 * MMA_N + lane_column));
}

static __device__ __forceinline__ void multiply(const fragments &f,
												float (&sum)[COUNT_M][COUNT_N][4])
{
#pragma unroll
	for (int i = 0; i < COUNT_M; i++)
#pragma unroll
		for (int j = 0; j < COUNT_N; j++)
			mma_m16n8k16(sum[i][j], f.a[i], f.b[j / 2][j % 2 * 2], f.b[j / 2][j % 2 * 2 + 1]);
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
	gemm_fragments_ahead(const bf16 *A, const bf16 *B, int M, int N, int K, epilogue<bf16> out)
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
	fragments sets[2];
	tile_copy_wait<STAGES - 2>();
	__syncthreads();
	load_fragments(sets[0], stages[0], warp_m, warp_n, 0);

	int tiles = (K + BLOCK_K - 1) / BLOCK_K;
	for (int t = 0; t < tiles; t++) {
#pragma unroll
		for (int step = 0; step < STEPS; step++) {
			bool last = step == STEPS - 1;
			if (last) {
				/* Tile t + 1 has landed for everybody, and everybody has all
				 * of tile t in registers: its stage is free. */
				tile_copy_wait<STAGES - 2>();
				__syncthreads();
			}
			load_fragments(sets[(step + 1) % 2], stages[(last ? t + 1 : t) % STAGES], warp_m,
						   warp_n, (step + 1) % STEPS * MMA_K);
			if (step == 0) // into the stage of tile t - 1, free since the last barrier
				fetch(t + STAGES - 1);
			multiply(sets[step % 2], sum);
		}
	}
	store(out, row0 + warp_m, column0 + warp_n, sum);
}

extern "C" void solve(const bf16 *A, const bf16 *B, bf16 *C, int M, int N, int K, float alpha,
					  float beta)
{
	dim3 grid((N + BLOCK_N - 1) / BLOCK_N, (M + BLOCK_M - 1) / BLOCK_M);
	epilogue<bf16> out = epilogue_make(C, M, N, alpha, beta);
	bool aligned = tile_copy_bytes(A, K) == 16 && tile_copy_bytes(B, N) == 16;
	auto kernel = aligned ? gemm_fragments_ahead<16> : gemm_fragments_ahead<2>;
	constexpr int SHARED = STAGES * sizeof(stage);
	if (cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED) !=
		cudaSuccess) {
		fprintf(stderr, "08c_fragments_ahead: a block cannot have %d bytes of shared memory\n",
				SHARED);
		abort();
	}
	kernel<<<grid, THREADS, SHARED>>>(A, B, M, N, K, out);
}
