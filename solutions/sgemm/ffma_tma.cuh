/* Large f32 products by FMAs whose operands TMA can address: rows of 16-byte multiples.
 *
 * What an FMA loop loses is issue slots, to everything that is no FMA, and time at barriers. So
 * nothing but reads of shared memory is left beside the FMAs: TMA copies, one thread asking for a
 * k-block of 32 at a time; warps wait for a stage's own mbarrier, and not for each other. And one
 * step of the loop, 4 of K, is short enough for the instruction cache (9 KB of machine code).
 *
 * A thread has 8 rows and 16 columns of C. A row of A's tile is one row of the 128-byte swizzle,
 * and stays as it lies: a read of 16 bytes brings 4 of K for one row, 8 such reads serve 4 steps. A
 * row of B's tile brings 4 columns a read, 4 reads serve one step. That is 24 reads for 512 FMAs,
 * as many as with a transposed A, which TMA cannot make.
 *
 * Registers hold one step of A and two of B. In the last of 4 steps the rows are multiplied one
 * after the other, and each row's registers are read anew as soon as it is done: they have the time
 * of the other seven rows to arrive. */
#ifndef GEMMJUDGE_SGEMM_FFMA_TMA_CUH
#define GEMMJUDGE_SGEMM_FFMA_TMA_CUH

#include "../gemm_f16/hopper/ptx.cuh"
#include "ffma_product.cuh"
#include "lanes.cuh"

/* A block's tile, of which each warp has 64x64; `blocks` share a multiprocessor. */
template <int BLOCK_M_, int BLOCK_N_, int STAGES_, int BLOCKS_> struct ffma_tma_shape {
	static constexpr int BLOCK_M = BLOCK_M_, BLOCK_N = BLOCK_N_, STAGES = STAGES_, BLOCKS = BLOCKS_;
	static constexpr int BLOCK_K = 32, V = 4, WARP = 64;
	static constexpr int LANES_M = 8, LANES_N = 4;
	static constexpr int ROWS = WARP / LANES_M, RUNS = WARP / LANES_N / V; // of a thread
	static constexpr int WARPS_N = BLOCK_N / WARP, WARPS = BLOCK_M / WARP * WARPS_N;
	static constexpr int THREADS = WARPS * 32;
	static constexpr int A_ROW_BYTES = BLOCK_K * 4, B_ROW_BYTES = BLOCK_N * 4;
	static constexpr int A_BYTES = BLOCK_M * A_ROW_BYTES, B_BYTES = BLOCK_K * B_ROW_BYTES;
	static constexpr int STAGE_BYTES = A_BYTES + B_BYTES;
	static constexpr int SHARED_BYTES = STAGES * (STAGE_BYTES + 16) + 1024;
	static_assert(BLOCK_N <= 256 && A_ROW_BYTES == 128, "one box each, one row of the swizzle");
	static_assert(BLOCKS * (SHARED_BYTES + 1024) <= 228 * 1024, "blocks that share");
};

/* The ring of stages: a stage is full when TMA has filled it, and empty when every warp has read
 * it. */
template <class Shape> struct ffma_ring {
	uint32_t base;

	__device__ __forceinline__ uint32_t stage(int i) const
	{
		return base + i % Shape::STAGES * Shape::STAGE_BYTES;
	}
	__device__ __forceinline__ uint32_t full(int i) const
	{
		return base + Shape::STAGES * Shape::STAGE_BYTES + i % Shape::STAGES * 16;
	}
	__device__ __forceinline__ uint32_t empty(int i) const
	{
		return full(i) + 8;
	}
	static __device__ __forceinline__ uint32_t parity(int i)
	{
		return i / Shape::STAGES % 2;
	}

	/* By one thread, before anybody else looks at them. */
	__device__ __forceinline__ void init() const
	{
		for (int i = 0; i < Shape::STAGES; i++) {
			hopper::mbarrier_init(full(i), 1);
			hopper::mbarrier_init(empty(i), Shape::WARPS);
		}
		hopper::mbarriers_ready();
	}
};

/* Where a block's operands begin. */
struct ffma_corner {
	int row, column, batch;
};

/* Asks for k-block i; beyond the operands TMA reads zeros. */
template <class Shape>
static __device__ __forceinline__ void
ffma_fetch(const ffma_ring<Shape> &ring, const CUtensorMap *map_a, const CUtensorMap *map_b,
		   ffma_corner corner, int i)
{
	uint32_t stage = ring.stage(i), barrier = ring.full(i);
	hopper::mbarrier_expect(barrier, Shape::STAGE_BYTES);
	hopper::tma_load_3d(stage, map_a, barrier, i * Shape::BLOCK_K, corner.row, corner.batch);
	hopper::tma_load_3d(stage + Shape::A_BYTES, map_b, barrier, corner.column, i * Shape::BLOCK_K,
						corner.batch);
}

static __device__ __forceinline__ float4 ffma_shared(uint32_t from)
{
	float4 x;
	asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
				 : "=f"(x.x), "=f"(x.y), "=f"(x.z), "=f"(x.w)
				 : "r"(from));
	return x;
}

/* A thread's sums, and what it has of the operands. */
template <class Shape> struct ffma_thread {
	static constexpr int ROWS = Shape::ROWS, RUNS = Shape::RUNS, V = Shape::V;
	float sum[ROWS][RUNS][V] = {};
	float4 a[ROWS], b[2][RUNS];
	int lane_m, row, column;         // of the first sum, in the block's tile
	uint32_t a_rows, a_from, b_from; // in this stage; the latter two of the next 4 steps

	__device__ __forceinline__ ffma_thread()
	{
		int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
		lane_m = lane_row<Shape>(lane);
		row = warp / Shape::WARPS_N * Shape::WARP + lane_m;
		column = warp % Shape::WARPS_N * Shape::WARP + lane_column<Shape>(lane) * V;
	}
	/* The first 4 steps of a stage. */
	__device__ __forceinline__ void enter(uint32_t stage)
	{
		a_rows = stage + row * Shape::A_ROW_BYTES;
		b_from = stage + Shape::A_BYTES + column * 4;
		a_from = a_rows + lane_m * 16;
	}
	/* The next 4 of the same stage. A's 16 bytes lie where the swizzle puts them: its row modulo 8
	 * is the lane's. */
	__device__ __forceinline__ void advance(int group)
	{
		a_from = a_rows + (group ^ lane_m) * 16;
		b_from += 4 * Shape::B_ROW_BYTES;
	}
	__device__ __forceinline__ void read_a(int i)
	{
		a[i] = ffma_shared(a_from + i * Shape::LANES_M * Shape::A_ROW_BYTES);
	}
	/* Of step k of the four. */
	__device__ __forceinline__ void read_b(int k)
	{
#pragma unroll
		for (int run = 0; run < RUNS; run++)
			b[k % 2][run] =
				ffma_shared(b_from + k * Shape::B_ROW_BYTES + run * Shape::LANES_N * 16);
	}
	__device__ __forceinline__ void multiply_row(int i, float x, int k)
	{
#pragma unroll
		for (int run = 0; run < RUNS; run++) {
			const float4 &y = b[k % 2][run];
			sum[i][run][0] = fmaf(x, y.x, sum[i][run][0]);
			sum[i][run][1] = fmaf(x, y.y, sum[i][run][1]);
			sum[i][run][2] = fmaf(x, y.z, sum[i][run][2]);
			sum[i][run][3] = fmaf(x, y.w, sum[i][run][3]);
		}
	}
	/* Steps 0 to 2, each after asking for the next one's B. */
	__device__ __forceinline__ void three_steps()
	{
		read_b(1);
#pragma unroll
		for (int i = 0; i < ROWS; i++)
			multiply_row(i, a[i].x, 0);
		read_b(2);
#pragma unroll
		for (int i = 0; i < ROWS; i++)
			multiply_row(i, a[i].y, 1);
		read_b(3);
#pragma unroll
		for (int i = 0; i < ROWS; i++)
			multiply_row(i, a[i].z, 2);
	}
	__device__ __forceinline__ void first_steps()
	{
		read_b(0);
#pragma unroll
		for (int i = 0; i < ROWS; i++)
			read_a(i);
		three_steps();
	}
	/* Step 3, while the next 4 steps' operands are asked for. */
	__device__ __forceinline__ void last_step()
	{
		read_b(0);
#pragma unroll
		for (int i = 0; i < ROWS; i++) {
			multiply_row(i, a[i].w, 3);
			read_a(i);
		}
	}
	/* The very last one. */
	__device__ __forceinline__ void end()
	{
#pragma unroll
		for (int i = 0; i < ROWS; i++)
			multiply_row(i, a[i].w, 3);
	}
};

/* From k-block `block`, all of which is in registers, to the next one. */
template <class Shape>
static __device__ __forceinline__ void
ffma_next_block(const ffma_ring<Shape> &ring, const CUtensorMap *map_a, const CUtensorMap *map_b,
				ffma_corner corner, int block, int blocks)
{
	__syncwarp();
	if (threadIdx.x % 32 == 0)
		hopper::mbarrier_arrive(ring.empty(block));
	/* What is refilled is the stage before this one, which slower warps have left by now, too. */
	int before = block - 1, refill = before + Shape::STAGES;
	if (threadIdx.x == 0 && before >= 0 && refill < blocks) {
		hopper::mbarrier_wait(ring.empty(before), ring.parity(before));
		ffma_fetch(ring, map_a, map_b, corner, refill);
	}
	hopper::mbarrier_wait(ring.full(block + 1), ring.parity(block + 1));
}

template <class Shape>
static __global__ void __launch_bounds__(Shape::THREADS, Shape::BLOCKS)
	ffma_tma(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
			 const ffma_product p, const ffma_grid grid, const epilogue<float> out)
{
#if __CUDA_ARCH__ >= 900
	constexpr int GROUPS = Shape::BLOCK_K / 4;
	extern __shared__ char raw[];
	if (p.only_if != NULL && *p.only_if == 0)
		return;
	const ffma_ring<Shape> ring = {(hopper::shared_address(raw) + 1023) & ~1023u};
	int m, n, blocks = (p.K + Shape::BLOCK_K - 1) / Shape::BLOCK_K;
	grid.find(blockIdx.x, m, n);
	const ffma_corner corner = {m * Shape::BLOCK_M, n * Shape::BLOCK_N, (int)blockIdx.y};
	if (threadIdx.x == 0) {
		ring.init();
		for (int i = 0; i < min(blocks, Shape::STAGES); i++)
			ffma_fetch(ring, &map_a, &map_b, corner, i);
	}
	__syncthreads();

	ffma_thread<Shape> mine;
	hopper::mbarrier_wait(ring.full(0), 0);
	mine.enter(ring.stage(0));
	mine.first_steps();
	/* From one group of 4 steps to the next, so that what is read in the first is used in the
	 * second, and the compiler knows how far apart that is. */
#pragma unroll 1
	for (int block = 0;; block++) {
#pragma unroll 1
		for (int group = 1; group < GROUPS; group++) {
			mine.advance(group);
			mine.last_step();
			mine.three_steps();
		}
		if (block + 1 == blocks)
			break;
		ffma_next_block(ring, &map_a, &map_b, corner, block, blocks);
		mine.enter(ring.stage(block + 1));
		mine.last_step();
		mine.three_steps();
	}
	mine.end();
#pragma unroll
	for (int row = 0; row < Shape::ROWS; row++)
#pragma unroll
		for (int run = 0; run < Shape::RUNS; run++)
			ffma_store(out, p, corner.batch, corner.row + mine.row + row * Shape::LANES_M,
					   corner.column + mine.column + run * Shape::LANES_N * Shape::V,
					   mine.sum[row][run]);
#else
	__trap(); // compiled for another GPU than this one
#endif
}

/* Whether TMA can address both operands. */
static inline bool ffma_tma_can(const ffma_product &p)
{
	return p.K % 4 == 0 && p.N % 4 == 0 && (uintptr_t)p.A % 16 == 0 && (uintptr_t)p.B % 16 == 0;
}

/* A matrix of each product of the batch, in boxes. */
static inline CUtensorMap ffma_tma_map(const float *data, int batch, int rows, int columns,
									   cuuint32_t box_columns, cuuint32_t box_rows,
									   CUtensorMapSwizzle swizzle)
{
	const cuuint64_t pitch = (cuuint64_t)columns * sizeof(float);
	return ffma_tensor_map(CU_TENSOR_MAP_DATA_TYPE_FLOAT32, data,
						   {(cuuint64_t)columns, (cuuint64_t)rows, (cuuint64_t)batch},
						   {pitch, pitch * (cuuint64_t)rows}, {box_columns, box_rows, 1}, swizzle);
}

template <class Shape>
static void ffma_tma_launch(const ffma_product &p, int, const epilogue<float> &out)
{
	static const cudaError_t allowed = cudaFuncSetAttribute(
		ffma_tma<Shape>, cudaFuncAttributeMaxDynamicSharedMemorySize, Shape::SHARED_BYTES);
	ffma_check(allowed, "cudaFuncSetAttribute");
	ffma_grid grid = {(p.M + Shape::BLOCK_M - 1) / Shape::BLOCK_M,
					  (p.N + Shape::BLOCK_N - 1) / Shape::BLOCK_N};
	ffma_tma<Shape>
		<<<dim3(grid.tiles_m * grid.tiles_n, p.batch), Shape::THREADS, Shape::SHARED_BYTES>>>(
			ffma_tma_map(p.A, p.batch, p.M, p.K, Shape::BLOCK_K, Shape::BLOCK_M,
						 CU_TENSOR_MAP_SWIZZLE_128B),
			ffma_tma_map(p.B, p.batch, p.K, p.N, Shape::BLOCK_N, Shape::BLOCK_K,
						 CU_TENSOR_MAP_SWIZZLE_NONE),
			p, grid, out);
	ffma_check(cudaGetLastError(), "launch");
}

#endif
