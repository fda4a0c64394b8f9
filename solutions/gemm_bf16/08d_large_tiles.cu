/* One block has a multiprocessor to itself: 128x256 outputs, 64x64 a warp.
 *
 * Idea: a warp's tile of 64x64 takes 128 elements for 4096 products where one of
 * 64x32 takes 96 for 2048: a third less of shared memory for a product. And a block
 * of 128x256 takes 384 elements of L2 for 32,768 products where two of 128x128 take
 * 512. Tiles of 64 along K halve the barriers. Four stages are 192 KB then.
 *
 * Changes from 08c_fragments_ahead: BLOCK_N, BLOCK_K and WARP_N are twice as
 * large. Rows of whole 128-byte lines make the swizzle simpler, and 16 columns
 * further on are an XOR of the address, so that a lane computes its own once.
 *
 * Arithmetic intensity: 2*128*256 FLOP for 384 elements, 85 FLOP per byte of
 * global memory (64 before). From shared memory a warp reads 128 elements for
 * 4096 products, 32 FLOP per byte (21 before).
 *
 * Bound by the tensor cores, says `explain` (H200, 4096^3), by mma.sync: 214 us;
 * behind it L2 with 195 us (252 before) and shared memory with 185 (267 before).
 * 355 us in all, for 457.
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
static __global__ void __launch_bounds__(THREADS, 1)
	gemm_large_tiles(const bf16 *A, const bf16 *B, int M, int N, int K, epilogue<bf16> out)
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
	store(out, row0 + warp_m, column0 + warp_n, sum);
}

extern "C" void solve(const bf16 *A, const bf16 *B, bf16 *C, int M, int N, int K, float alpha,
					  float beta)
{
	dim3 grid((N + BLOCK_N - 1) / BLOCK_N, (M + BLOCK_M - 1) / BLOCK_M);
	epilogue<bf16> out = epilogue_make(C, M, N, alpha, beta);
	bool aligned = tile_copy_bytes(A, K) == 16 && tile_copy_bytes(B, N) == 16;
	auto kernel = aligned ? gemm_large_tiles<16> : gemm_large_tiles<2>;
	constexpr int SHARED = STAGES * sizeof(stage);
	if (cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED) !=
		cudaSuccess) {
		fprintf(stderr, "08d_large_tiles: a block cannot have %d bytes of shared memory\n", SHARED);
		abort();
	}
	kernel<<<grid, THREADS, SHARED>>>(A, B, M, N, K, out);
}
