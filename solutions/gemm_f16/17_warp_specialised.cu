/* A wide tile: the producer gives its registers to those that multiply.
 *
 * Idea: with sums for 64 x 256 outputs a warpgroup makes twice the products of each byte of A that
 * it reads from shared memory and from L2. But 128 registers of a thread are then sums, and a block
 * of three warpgroups has 168 for each. The producer needs few; it gives its others to the
 * consumers (setmaxnreg), which so have 240. A warpgroup does that together, so that the producer
 * is a whole one of which one warp works.
 *
 * Changes from 16_products_ahead: a tile of 128x256 in four stages, one block a multiprocessor,
 * setmaxnreg; blocks are numbered down columns of C, so that those that run together share the wide
 * B.
 *
 * Arithmetic intensity: 2*128*256 FLOP for 384 elements: 85 FLOP per byte from the L2 cache.
 *
 * Predicted: 80% of cuBLAS at 4096^3. A k-block takes the tensor cores
 * 1024 clocks and shared memory 1024 (80 KB read, 48 KB written), nothing between two k-blocks; 64
 * of them are 66,000 clocks. A multiprocessor has one block at a time: its first loads (about 1500
 * clocks) and its stores (128x256 pairs from the lanes, about 8000) are not hidden, and 512 tiles
 * on 132 multiprocessors are 3.9 waves, the last of which is nearly full.
 *
 * Bound by L2's bandwidth, says `explain` (H200, 4096^3): 186 us (246 before) of 254 predicted
 * (307); tensor cores and shared memory 132 each.
 *
 * reached: 680 TFLOP/s, 90% of cuBLAS (NVIDIA H200, 4096^3) */
#include "epilogue.cuh"
#include "hopper/ptx.cuh"
#include "hopper/wgmma.cuh"
#include "operands.cuh"

using namespace hopper;

constexpr int TILE_M = 128, TILE_N = 256, TILE_K = 64;
constexpr int STAGES = 4;
constexpr int CONSUMERS = TILE_M / 64; // warpgroups
constexpr int THREADS = (CONSUMERS + 1) * 128;
constexpr int PRODUCER_REGISTERS = 24, CONSUMER_REGISTERS = 240; // of a thread: 504 of 512 in all
constexpr int BOX = 64;
constexpr int A_BYTES = TILE_M * TILE_K * 2;
constexpr int B_BOX_BYTES = TILE_K * BOX * 2;
constexpr int B_BYTES = TILE_N / BOX * B_BOX_BYTES;
constexpr int STAGE_BYTES = A_BYTES + B_BYTES;
constexpr int SHARED_BYTES = STAGES * STAGE_BYTES + 2 * STAGES * 8 + 1024;
static_assert(SHARED_BYTES <= 227 * 1024, "what a block may have");

/* Where a warp is in the ring of stages. */
struct ring {
	int stage;
	uint32_t phase;

	__device__ __forceinline__ void next(void)
	{
		if (++stage == STAGES) {
			stage = 0;
			phase ^= 1;
		}
	}
};

/* The producer: one lane fills stage after stage, as soon as each has been read. */
static __device__ __forceinline__ void produce(const CUtensorMap *map_a, const CUtensorMap *map_b,
											   uint32_t base, uint32_t full, uint32_t empty,
											   int row, int column, int blocks)
{
	ring at = {0, 1}; // the first round finds every stage empty
#pragma unroll 1
	for (int i = 0; i < blocks; i++, at.next()) {
		uint32_t stage = base + at.stage * STAGE_BYTES, barrier = full + 8 * at.stage;
		mbarrier_wait(empty + 8 * at.stage, at.phase);
		if (elected()) {
			mbarrier_expect(barrier, STAGE_BYTES);
			tma_load(stage, map_a, barrier, i * TILE_K, row);
#pragma unroll
			for (int box = 0; box < TILE_N / BOX; box++)
				tma_load(stage + A_BYTES + box * B_BOX_BYTES, map_b, barrier, column + box * BOX,
						 i * TILE_K);
		}
	}
}

static __device__ __forceinline__ void release(uint32_t empty, int stage)
{
	if (threadIdx.x % 128 == 0)
		mbarrier_arrive(empty + 8 * stage);
}

/* A consumer: its 64 rows times all columns, over all k-blocks. While the products of one k-block
 * are made, those of the next are issued; then the one before has been read, and its stage is free.
 */
static __device__ __forceinline__ void consume(float (&sum)[TILE_N / 2], uint32_t base,
											   uint32_t full, uint32_t empty, int consumer,
											   int blocks)
{
	uint32_t a = wgmma_operand(base + consumer * 64 * TILE_K * 2, 16);
	uint32_t b = wgmma_operand(base + A_BYTES, B_BOX_BYTES);
	ring at = {0, 0};
	int last = -1;
#pragma unroll 1
	for (int i = 0; i < blocks; i++) {
		uint32_t offset = at.stage * STAGE_BYTES;
		mbarrier_wait(full + 8 * at.stage, at.phase);
		wgmma_fence();
#pragma unroll
		for (int k = 0; k < TILE_K / 16; k++)
			wgmma<half, TILE_N>::multiply<false>(sum, wgmma_descriptor(a, offset + k * 32),
												 wgmma_descriptor(b, offset + k * 16 * 128),
												 i > 0 || k > 0);
		wgmma_commit();
		wgmma_wait<1>();
		if (last >= 0)
			release(empty, last);
		last = at.stage;
		at.next();
	}
	wgmma_wait<0>();
#pragma unroll
	for (int i = 0; i < TILE_N / 2; i++)
		asm volatile("" : "+f"(sum[i])::"memory"); // the sums are here now, and not earlier
}

static __global__ void __launch_bounds__(THREADS, 1)
	gemm(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
		 int K, const epilogue<half> out)
{
	extern __shared__ char raw[];
	uint32_t base = (shared_address(raw) + 1023) & ~1023u;
	uint32_t full = base + STAGES * STAGE_BYTES, empty = full + 8 * STAGES;
	int row = blockIdx.x * TILE_M, column = blockIdx.y * TILE_N;
	int warpgroup = threadIdx.x / 128, blocks = (K + TILE_K - 1) / TILE_K;

	if (threadIdx.x == 0) {
		for (int i = 0; i < STAGES; i++) {
			mbarrier_init(full + 8 * i, 1);
			mbarrier_init(empty + 8 * i, CONSUMERS);
		}
		mbarriers_ready();
	}
	__syncthreads();
	if (warpgroup == CONSUMERS) {
		registers_give<PRODUCER_REGISTERS>();
		if (threadIdx.x / 32 == CONSUMERS * 4) // one warp of it
			produce(&map_a, &map_b, base, full, empty, row, column, blocks);
		return;
	}
	registers_take<CONSUMER_REGISTERS>();
	float sum[TILE_N / 2];
	consume(sum, base, full, empty, warpgroup, blocks);

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
	dim3 grid((M + TILE_M - 1) / TILE_M, (N + TILE_N - 1) / TILE_N);
	gemm<<<grid, THREADS, SHARED_BYTES>>>(map_a, map_b, K, epilogue_make(C, M, N, alpha, beta));
}
