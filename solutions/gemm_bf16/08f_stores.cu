/* Results leave through shared memory, by whole lines.
 *
 * Idea: after mma a lane has pairs of neighbours, and a store of one pair a lane
 * writes 8 rows of 16 bytes: 8 sectors, of which half is written. A warp that
 * first puts 16 rows of its sums into shared memory takes them from there 8
 * neighbours a lane: 64 columns are a line of 128 bytes, four rows a store.
 *
 * Changes from 08e_panels: store(), and a wait before it, as it takes the memory
 * of the stages.
 *
 * Arithmetic intensity: as before.
 *
 * Counted on the emulated GPU: 16 sectors a store, all of them whole, for 8 that
 * were half written; a quarter as many stores. `explain` (H200, 4096^3) says 1.72 GB from and to L2
 * for 1.75: a hundredth of the time here, more where K is small.
 *
 * reached: not measured */
#include <stdio.h>
#include <stdlib.h>

#include "../gemm_f16/tile.cuh"
#include "epilogue.cuh"
#include "mma.cuh"

typedef __nv_bfloat16 bf16;

constexpr int BLOCK_M = 128;
constexpr int BLOCK_N = 256;
constexpr int BLOCK_K = 64;
constexpr int STAGES = 4;
constexpr int PANEL_HEIGHT = 8; // blocks; 132 of them cover about 1024 rows by 4096 columns
constexpr int WARP_M = 64;
constexpr int WARP_N = 64;
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

/* Rows of COLUMNS elements; chunk c (16 bytes) of row r lies at place c XOR r % 8. */
template <int COLUMNS> struct swizzled_rows {
	static_assert(COLUMNS % 64 == 0, "rows of whole 128-byte lines");
	static __device__ __forceinline__ int at(int row, int column)
	{
		return row * COLUMNS + (column / 8 ^ row % 8) * 8 + column % 8;
	}
};
typedef swizzled_rows<BLOCK_K> layout_a;
typedef swizzled_rows<BLOCK_N> layout_b;

struct stage {
	bf16 a[BLOCK_M * BLOCK_K];
	bf16 b[BLOCK_K * BLOCK_N];
};

/* While it stores, a warp holds 16 rows of its results in shared memory. */
constexpr int RESULT_STRIDE = WARP_N + 8;
constexpr int RESULT_FLOATS = MMA_M * RESULT_STRIDE;
static_assert(WARPS * RESULT_FLOATS * sizeof(float) <= STAGES * sizeof(stage),
			  "stages that are done with take the results");

/* A warp's operands for 16 along K. */
struct fragments {
	uint32_t a[COUNT_M][4];
	uint32_t b[COUNT_N / 2][4];
};

/* Loads those of step `step` of a stage. from_a and from_b are the bytes that this
 * lane names in step 0 of a stage. Its columns there start at a multiple of 64,
 * or 8 after one, so that adding 16, 32 or 48 columns only sets bits of the chunk's
 * number that are 0: an XOR, which commutes with the XOR of the layout. */
static __device__ __forceinline__ void load_fragments(fragments &to, uint32_t base, uint32_t lane_a,
													  uint32_t lane_b, int step)
{
	uint32_t a = base + (lane_a ^ step * MMA_K * 2);
#pragma unroll
	for (int i = 0; i < COUNT_M; i++)
		mma_load(to.a[i], a + i * MMA_M * BLOCK_K * 2);
	uint32_t b = base + sizeof(bf16) * BLOCK_M * BLOCK_K + step * MMA_K * BLOCK_N * 2;
#pragma unroll
	for (int j = 0; j < COUNT_N / 2; j++)
		mma_load_transposed(to.b[j], b + (lane_b ^ j * 2 * MMA_N * 2));
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

/* Stores a warp's results, 16 rows at a time, by 8 neighbours per lane. */
static __device__ __forceinline__ void store(const epilogue<bf16> &out, float *slot, int row,
											 int column, const float (&sum)[COUNT_M][COUNT_N][4])
{
	int lane = threadIdx.x % 32;
	float *mine = slot + lane / 4 * RESULT_STRIDE + lane % 4 * 2;
#pragma unroll
	for (int i = 0; i < COUNT_M; i++) {
#pragma unroll
		for (int j = 0; j < COUNT_N; j++) {
			const float *s = sum[i][j];
			*(float2 *)(mine + j * MMA_N) = make_float2(s[0], s[1]);
			*(float2 *)(mine + 8 * RESULT_STRIDE + j * MMA_N) = make_float2(s[2], s[3]);
		}
		__syncwarp();
#pragma unroll
		for (int n = 0; n < MMA_M * WARP_N / 8 / 32; n++) {
			int r = (n * 32 + lane) / (WARP_N / 8);
			int c = (n * 32 + lane) % (WARP_N / 8) * 8;
			const float4 *from = (const float4 *)(slot + r * RESULT_STRIDE + c);
			float4 x = from[0], y = from[1];
			float values[8] = {x.x, x.y, x.z, x.w, y.x, y.y, y.z, y.w};
			out.store(row + i * MMA_M + r, column + c, values);
		}
		__syncwarp();
	}
}

/* Block `number` in panels of PANEL_HEIGHT rows of blocks, column by column
 * within a panel; the last panel may be lower. */
static __device__ __forceinline__ void place_in_panels(int number, int blocks_m, int blocks_n,
													   int *block_m, int *block_n)
{
	int panel = number / (PANEL_HEIGHT * blocks_n);
	int within = number % (PANEL_HEIGHT * blocks_n);
	int height = min(PANEL_HEIGHT, blocks_m - panel * PANEL_HEIGHT);
	*block_m = panel * PANEL_HEIGHT + within % height;
	*block_n = within / height;
}

/* BYTES: how much can be copied at once from both A and B, 16 or 2. */
template <int BYTES>
static __global__ void __launch_bounds__(THREADS, 1)
	gemm_stores(const bf16 *A, const bf16 *B, int M, int N, int K, epilogue<bf16> out)
{
	extern __shared__ __align__(128) unsigned char memory[];
	stage *stages = (stage *)memory;

	int warp = threadIdx.x / 32;
	int warp_m = warp / WARPS_N * WARP_M; // this warp's corner within the block's tile
	int warp_n = warp % WARPS_N * WARP_N;
	int block_m, block_n;
	place_in_panels(blockIdx.x, (M + BLOCK_M - 1) / BLOCK_M, (N + BLOCK_N - 1) / BLOCK_N, &block_m,
					&block_n);
	int row0 = block_m * BLOCK_M;
	int column0 = block_n * BLOCK_N;

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
	int row = mma_lane_row(threadIdx.x % 32);
	int column = mma_lane_column(threadIdx.x % 32);
	uint32_t lane_a = layout_a::at(warp_m + row, column) * sizeof(bf16);
	uint32_t lane_b = layout_b::at(row, warp_n + column) * sizeof(bf16);
	uint32_t shared = (uint32_t)__cvta_generic_to_shared(stages);
	fragments sets[2];
	tile_copy_wait<STAGES - 2>();
	__syncthreads();
	load_fragments(sets[0], shared, lane_a, lane_b, 0);

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
			load_fragments(sets[(step + 1) % 2],
						   shared + (last ? t + 1 : t) % STAGES * (uint32_t)sizeof(stage), lane_a,
						   lane_b, (step + 1) % STEPS);
			if (step == 0) // into the stage of tile t - 1, free since the last barrier
				fetch(t + STAGES - 1);
			multiply(sets[step % 2], sum);
		}
	}
	tile_copy_wait<0>();
	__syncthreads();
	store(out, (float *)memory + warp * RESULT_FLOATS, row0 + warp_m, column0 + warp_n, sum);
}

extern "C" void solve(const bf16 *A, const bf16 *B, bf16 *C, int M, int N, int K, float alpha,
					  float beta)
{
	int grid = ((M + BLOCK_M - 1) / BLOCK_M) * ((N + BLOCK_N - 1) / BLOCK_N);
	epilogue<bf16> out = epilogue_make(C, M, N, alpha, beta);
	bool aligned = tile_copy_bytes(A, K) == 16 && tile_copy_bytes(B, N) == 16;
	auto kernel = aligned ? gemm_stores<16> : gemm_stores<2>;
	constexpr int SHARED = STAGES * sizeof(stage);
	if (cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED) !=
		cudaSuccess) {
		fprintf(stderr, "08f_stores: a block cannot have %d bytes of shared memory\n", SHARED);
		abort();
	}
	kernel<<<grid, THREADS, SHARED>>>(A, B, M, N, K, out);
}
