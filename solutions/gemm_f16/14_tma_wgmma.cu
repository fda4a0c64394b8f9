/* TMA: Hopper's own way to load a tile.
 *
 * Idea: one thread requests a whole box of a matrix, and the tensor memory accelerator (TMA) brings
 * it into shared memory, swizzled as wgmma wants it, with zeros beyond the matrix's edges, while
 * the threads do something else. An mbarrier counts the bytes that have come.
 *
 * Changes from 13_wgmma: copies need no thread and no address arithmetic, so that wide tiles cost
 * nothing to load, and edges need no predicates; TMA writes by the proxy that wgmma reads by, so
 * that there is no fence. Two blocks share a multiprocessor as before. Operands that TMA cannot
 * address are copied first: operands.cuh, 65 of the 99 lines that the step adds.
 *
 * Arithmetic intensity: 2*128*128 FLOP for 256 elements: 64 FLOP per byte from the L2 cache.
 *
 * Predicted: 60% of cuBLAS at 4096^3. A k-block takes the tensor cores 512 clocks (2*128*128*64
 * FLOP at 4096 a clock) and shared memory 640 (48 KB read, 32 KB written, at 128 bytes a clock);
 * after each one the block waits for its products, for its barrier and for thread 0, about 300
 * clocks that only the other block hides.
 *
 * Bound by L2's bandwidth, says `explain` (H200, 4096^3): 246 us of 307 predicted (349 before).
 * 0.37 instructions of warps for 1000 operations (0.62), 58 us of integer arithmetic (114).
 *
 * reached: 652 TFLOP/s, 86% of cuBLAS (NVIDIA H200, 4096^3) */
#include "epilogue.cuh"
#include "hopper/ptx.cuh"
#include "hopper/wgmma.cuh"
#include "operands.cuh"

using namespace hopper;

constexpr int TILE_M = 128, TILE_N = 128, TILE_K = 64;
constexpr int STAGES = 3;
constexpr int WARPGROUPS = TILE_M / 64; // each multiplies 64 rows
constexpr int THREADS = WARPGROUPS * 128;
constexpr int BOX = 64;                       // columns of a box: a swizzled row of 128 bytes
constexpr int A_BYTES = TILE_M * TILE_K * 2;  // one box of rows along K
constexpr int B_BOX_BYTES = TILE_K * BOX * 2; // rows along N: two boxes
constexpr int B_BYTES = TILE_N / BOX * B_BOX_BYTES;
constexpr int STAGE_BYTES = A_BYTES + B_BYTES;
constexpr int SHARED_BYTES = STAGES * STAGE_BYTES + STAGES * 8 + 1024; // 1024 to align
static_assert(TILE_K == BOX, "a row of A's box is one swizzled row");
static_assert(2 * SHARED_BYTES <= 227 * 1024, "two blocks share a multiprocessor");

/* One thread loads a k-block by TMA; `full` then waits for its bytes. */
static __device__ __forceinline__ void load(const CUtensorMap *map_a, const CUtensorMap *map_b,
											uint32_t stage, uint32_t full, int row, int column,
											int k)
{
	mbarrier_expect(full, STAGE_BYTES);
	tma_load(stage, map_a, full, k, row);
#pragma unroll
	for (int box = 0; box < TILE_N / BOX; box++)
		tma_load(stage + A_BYTES + box * B_BOX_BYTES, map_b, full, column + box * BOX, k);
}

/* A warpgroup's 64 rows times all columns, added to the sums unless it is the first k-block. */
static __device__ __forceinline__ void multiply(float (&sum)[TILE_N / 2], uint32_t stage,
												int warpgroup, bool first)
{
	uint32_t a = wgmma_operand(stage + warpgroup * 64 * TILE_K * 2, 16);
	uint32_t b = wgmma_operand(stage + A_BYTES, B_BOX_BYTES);
	wgmma_fence();
#pragma unroll
	for (int k = 0; k < TILE_K / 16; k++)
		wgmma<half, TILE_N>::multiply<false>(sum, wgmma_descriptor(a, k * 32),
											 wgmma_descriptor(b, k * 16 * 128), !first || k > 0);
	wgmma_commit();
	wgmma_wait<0>();
#pragma unroll
	for (int i = 0; i < TILE_N / 2; i++)
		asm volatile("" : "+f"(sum[i])::"memory"); // the sums are here now, and not earlier
}

static __global__ void __launch_bounds__(THREADS, 2)
	gemm(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
		 int K, const epilogue<half> out)
{
	extern __shared__ char raw[];
	uint32_t base = (shared_address(raw) + 1023) & ~1023u, full = base + STAGES * STAGE_BYTES;
	int row = blockIdx.y * TILE_M, column = blockIdx.x * TILE_N;
	int warpgroup = threadIdx.x / 128, blocks = (K + TILE_K - 1) / TILE_K;

	if (threadIdx.x == 0) {
		for (int i = 0; i < STAGES; i++)
			mbarrier_init(full + 8 * i, 1);
		mbarriers_ready();
		for (int i = 0; i < STAGES && i < blocks; i++)
			load(&map_a, &map_b, base + i * STAGE_BYTES, full + 8 * i, row, column, i * TILE_K);
	}
	__syncthreads();

	float sum[TILE_N / 2];
#pragma unroll 1
	for (int i = 0; i < blocks; i++) {
		int stage = i % STAGES;
		mbarrier_wait(full + 8 * stage, i / STAGES % 2);
		multiply(sum, base + stage * STAGE_BYTES, warpgroup, i == 0);
		__syncthreads(); // both warpgroups have read the stage
		if (threadIdx.x == 0 && i + STAGES < blocks)
			load(&map_a, &map_b, base + stage * STAGE_BYTES, full + 8 * stage, row, column,
				 (i + STAGES) * TILE_K);
	}

	/* A lane has rows l/4 and l/4 + 8 of its warp's 16, and of every 8 columns 2*(l%4) and the next
	 * (PTX ISA 9.7.15.5.1.1). */
	int lane = threadIdx.x % 32;
	row += threadIdx.x / 32 * 16 + lane / 4;
	column += lane % 4 * 2;
#pragma unroll
	for (int i = 0; i < TILE_N / 2; i += 2) {
		float pair[2] = {sum[i], sum[i + 1]};
		out.store(row + i / 2 % 2 * 8, column + i / 4 * 8, pair);
	}
}

extern "C" void solve(const half *A, const half *B, half *C, int M, int N, int K, float alpha,
					  float beta)
{
	static const bool allowed =
		cudaFuncSetAttribute(gemm, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED_BYTES) ==
		cudaSuccess;
	check(allowed, "cudaFuncSetAttribute");
	CUtensorMap map_a = map_of(addressable({A, M, K, K}, 0), TILE_M);
	CUtensorMap map_b = map_of(addressable({B, K, N, N}, 1), TILE_K);
	dim3 grid((N + TILE_N - 1) / TILE_N, (M + TILE_M - 1) / TILE_M);
	gemm<<<grid, THREADS, SHARED_BYTES>>>(map_a, map_b, K, epilogue_make(C, M, N, alpha, beta));
}
