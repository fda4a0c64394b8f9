/* Everything at once: swizzled stages, three levels, large tiles.
 *
 * Idea: eight warps compute 128x256 outputs, each warp 64x64. Four stages of
 * 64 deep tiles take 192 KB of shared memory: three are in flight while one
 * is used. Within a stage, the fragments of the next 16 along K are loaded while
 * the present ones are multiplied, also across the border between two stages, so
 * that the tensor cores have work while shared memory and the barrier take
 * their time. One block fills an SM; blocks walk down panels of C, so that
 * those which run together share rows of A and columns of B in L2.
 *
 * Changes from 08f_stores, the last of five steps from 08_swizzled: 4-byte copies
 * where rows allow no more; copies of A and of B a step apart; products in a
 * snake, so that a fragment of B stays for the next row; and every size can be
 * tuned, which is most of the added lines.
 *
 * Arithmetic intensity: 2*128*256 FLOP for 384 elements, 85 FLOP per byte of
 * global memory (64 before). From shared memory a warp reads 128 elements for
 * 4096 products, 32 FLOP per byte (21 before). Four fifths of what shared memory
 * can deliver at the 600 TFLOP/s that mma.sync can reach on an H200.
 *
 * On an H200, 64% of cuBLAS where the source has 102%: mma.sync reaches about
 * 62% of what wgmma does, and cuBLAS uses wgmma there. hopper.cu beside it does
 * too.
 *
 * Bound by the tensor cores, by mma.sync, says `explain` (H200, 4096^3): 214 us,
 * beside 191 of shared memory and 191 of L2; 352 in all.
 *
 * reached: 485 TFLOP/s, 63% of cuBLAS (NVIDIA H100 80GB HBM3, 4096^3) */

// tune BLOCK_M = 128 : 64 128 256
// tune BLOCK_N = 256 : 64 128 256
// tune BLOCK_K = 64 : 64 128
// tune WARP_M = 64 : 32 64 128
// tune WARP_N = 64 : 32 64 128
// tune STAGES = 4 : 2..6
// tune PANEL_HEIGHT = 8 : 1..16*2
// tune where BLOCK_M % WARP_M == 0 && BLOCK_N % WARP_N == 0
// tune let THREADS = BLOCK_M / WARP_M * (BLOCK_N / WARP_N) * 32
// tune where THREADS >= 64 && THREADS <= 512
// tune let SHARED = STAGES * (BLOCK_M + BLOCK_N) * BLOCK_K * 2
// tune where SHARED <= gpu_shared_per_block
// tune where THREADS / 32 * 16 * (WARP_N + 8) * 4 <= SHARED
// tune let FRAGMENTS = 2 * (WARP_M / 16 * 4 + WARP_N / 8 * 2)
// tune let REGISTERS = WARP_M * WARP_N / 32 + FRAGMENTS + 32
// tune where REGISTERS <= gpu_registers_per_thread
// tune where REGISTERS * THREADS <= gpu_registers_per_multiprocessor
// tune where BLOCK_M < 2 * max(M, 64) && BLOCK_N < 2 * max(N, 64)
// tune where BLOCK_K < 2 * max(K, 64)
// tune where PANEL_HEIGHT <= ceil_div(M, BLOCK_M)
// tune role block_m = BLOCK_M
// tune role block_n = BLOCK_N
// tune role block_k = BLOCK_K
// tune role warp_m = WARP_M
// tune role warp_n = WARP_N
// tune role swizzle = PANEL_HEIGHT
// tune role stages = STAGES
// tune role threads = THREADS
// tune role shared_bytes = SHARED
// tune role registers = REGISTERS
// tune role blocks_per_multiprocessor = 1
// tune role unit = 1

#include <stdio.h>
#include <stdlib.h>

#include "../gemm_f16/tile.cuh"
#include "epilogue.cuh"
#include "mma.cuh"

typedef __nv_bfloat16 bf16;

#ifndef BLOCK_M
#define BLOCK_M 128
#endif
#ifndef BLOCK_N
#define BLOCK_N 256
#endif
#ifndef BLOCK_K
#define BLOCK_K 64
#endif
#ifndef WARP_M
#define WARP_M 64
#endif
#ifndef WARP_N
#define WARP_N 64
#endif
#ifndef STAGES
#define STAGES 4
#endif
#ifndef PANEL_HEIGHT // blocks; 132 of them cover about 1024 rows by 4096 columns
#define PANEL_HEIGHT 8
#endif
constexpr int MMA_M = 16;
constexpr int MMA_N = 8;
constexpr int MMA_K = 16;
constexpr int WARPS_N = BLOCK_N / WARP_N;
constexpr int WARPS = BLOCK_M / WARP_M * WARPS_N;
constexpr int THREADS = WARPS * 32;
constexpr int COUNT_M = WARP_M / MMA_M;
constexpr int COUNT_N = WARP_N / MMA_N;
constexpr int STEPS = BLOCK_K / MMA_K;
static_assert(COUNT_N % 2 == 0, "ldmatrix.x4 loads B for two products");
static_assert(STEPS % 2 == 0 && STEPS >= 4, "the sets of fragments alternate; see the main loop");

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
static_assert(STAGES * sizeof(stage) <= 227 * 1024, "shared memory of a block");

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
		for (int n = 0; n < COUNT_N; n++) {
			int j = i % 2 == 0 ? n : COUNT_N - 1 - n; // back and forth: b stays for the next row
			mma_m16n8k16(sum[i][j], f.a[i], f.b[j / 2][j % 2 * 2], f.b[j / 2][j % 2 * 2 + 1]);
		}
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

/* bytes_a, bytes_b: how much can be copied at once from A and from B; ALIGNED
 * says that both are 16. */
template <bool ALIGNED>
static __global__ void __launch_bounds__(THREADS, 1)
	gemm_three_level(const bf16 *A, const bf16 *B, int M, int N, int K, int bytes_a, int bytes_b,
					 epilogue<bf16> out)
{
	extern __shared__ __align__(128) unsigned char memory[];
	stage *stages = (stage *)memory;

	int block_m, block_n;
	place_in_panels(blockIdx.x, (M + BLOCK_M - 1) / BLOCK_M, (N + BLOCK_N - 1) / BLOCK_N, &block_m,
					&block_n);
	int row0 = block_m * BLOCK_M;
	int column0 = block_n * BLOCK_N;
	int warp = threadIdx.x / 32;
	int warp_m = warp / WARPS_N * WARP_M;
	int warp_n = warp % WARPS_N * WARP_N;

	auto fetch_a = [&](int t) {
		tile_copy_any<BLOCK_M, BLOCK_K, THREADS, layout_a>(
			ALIGNED ? 16 : bytes_a, stages[t % STAGES].a, A, M, K, row0, t * BLOCK_K);
	};
	auto fetch_b = [&](int t) {
		tile_copy_any<BLOCK_K, BLOCK_N, THREADS, layout_b>(
			ALIGNED ? 16 : bytes_b, stages[t % STAGES].b, B, K, N, t * BLOCK_K, column0);
	};

	/* Past the end of K a fetch writes zeros: that is cheaper than a branch. */
	for (int t = 0; t < STAGES - 1; t++) {
		fetch_a(t);
		fetch_b(t);
		tile_copy_commit();
	}

	int row = mma_lane_row(threadIdx.x % 32);
	int column = mma_lane_column(threadIdx.x % 32);
	uint32_t lane_a = layout_a::at(warp_m + row, column) * sizeof(bf16);
	uint32_t lane_b = layout_b::at(row, warp_n + column) * sizeof(bf16);
	uint32_t shared = (uint32_t)__cvta_generic_to_shared(stages);

	float sum[COUNT_M][COUNT_N][4] = {};
	fragments sets[2];
	tile_copy_wait<STAGES - 2>();
	__syncthreads();
	load_fragments(sets[0], shared, lane_a, lane_b, 0);

	int tiles = (K + BLOCK_K - 1) / BLOCK_K;
	for (int t = 0; t < tiles; t++) {
		uint32_t present = shared + t % STAGES * (uint32_t)sizeof(stage);
		uint32_t next = shared + (t + 1) % STAGES * (uint32_t)sizeof(stage);
#pragma unroll
		for (int step = 0; step < STEPS; step++) {
			if (step == STEPS - 1) {
				/* Tile t + 1 has landed for everybody, and everybody has all
				 * of tile t in registers: its stage is free. */
				tile_copy_wait<STAGES - 2>();
				__syncthreads();
			}
			load_fragments(sets[(step + 1) % 2], step == STEPS - 1 ? next : present, lane_a, lane_b,
						   (step + 1) % STEPS);
			/* Into the stage of tile t - 1, free since the last barrier. */
			if (step == 0)
				fetch_a(t + STAGES - 1);
			if (step == 1) {
				fetch_b(t + STAGES - 1);
				tile_copy_commit();
			}
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
	int bytes_a = tile_copy_bytes(A, K);
	int bytes_b = tile_copy_bytes(B, N);
	auto kernel = bytes_a == 16 && bytes_b == 16 ? gemm_three_level<true> : gemm_three_level<false>;
	constexpr int SHARED = STAGES * sizeof(stage);
	if (cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED) !=
		cudaSuccess) {
		fprintf(stderr, "09_swizzled_three_level: a block cannot have %d bytes of shared memory\n",
				SHARED);
		abort();
	}
	kernel<<<grid, THREADS, SHARED>>>(A, B, M, N, K, bytes_a, bytes_b,
									  epilogue_make(C, M, N, alpha, beta));
}
