/* wgmma: a warpgroup multiplies out of shared memory.
 *
 * Idea: wmma has every warp load fragments into registers before it multiplies, and shared memory's
 * bandwidth bounds that. Hopper's wgmma has a warpgroup of 128 threads multiply 64 x 128 x 16 by
 * one instruction, which reads both operands from shared memory by itself; only the sums are in
 * registers. It wants its operands in a layout that it knows: boxes of rows of 128 bytes, in which
 * vectors of 16 bytes change places with the row's number, so that no two rows that are read
 * together lie in the same banks. That is the 128-byte swizzle, in the place of the padding. A
 * descriptor says where a box begins, and how far it is from 8 rows to the next 8.
 *
 * Changes from 12_any_size: wgmma in the place of wmma, and the layout that it wants; tiles of
 * 128x128x64 instead of 64x64x32, as fragments cost no registers any more, in three stages of 32
 * KB, so that two blocks share a multiprocessor; what cp.async has written is handed to the other
 * proxy, by which wgmma reads, with a fence. A lane knows which sums it has, and stores them
 * without a detour. Blocks are numbered along rows of C again. Of the step's own file 81 lines are
 * new: nothing of wmma is left but the loop around the copies. The wrappers of hopper/ptx.cuh and
 * hopper/wgmma.cuh, 440 lines, come with it.
 *
 * Arithmetic intensity: 2*128*128 FLOP for 256 elements: 64 FLOP per byte from the L2 cache (32
 * before).
 *
 * Bound by L2's bandwidth, says `explain` (H200, 4096^3): 246 us (481 before), 349 us predicted in
 * all (708). Shared memory takes 166 us (406), and the copies' addresses show: 0.62 instructions of
 * warps for 1000 operations, 114 us of integer arithmetic.
 *
 * reached: 611 TFLOP/s, 81% of cuBLAS (NVIDIA H200, 4096^3) */
#include "epilogue.cuh"
#include "hopper/ptx.cuh"
#include "hopper/wgmma.cuh"
#include "tile.cuh"

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
constexpr int SHARED_BYTES = STAGES * STAGE_BYTES + 1024; // 1024 to align
static_assert(TILE_K == BOX, "a row of A's box is one swizzled row");
static_assert(2 * SHARED_BYTES <= 227 * 1024, "two blocks share a multiprocessor");

/* A tile in boxes of ROWS rows of 128 bytes. Of row r's vectors of 16 bytes, number v lies at v ^
 * r%8: the 128-byte swizzle, which wgmma knows. */
template <int ROWS> struct swizzled {
	static __device__ __forceinline__ int at(int row, int column)
	{
		int vector = (column % BOX / 8) ^ (row % 8);
		return (column / BOX * ROWS + row) * BOX + vector * 8 + column % 8;
	}
};

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

/* bytes_a, bytes_b: how much can be copied at once from A and from B; ALIGNED says that both are
 * 16. */
template <bool ALIGNED>
static __global__ void __launch_bounds__(THREADS, 2)
	gemm(const half *A, const half *B, int M, int N, int K, int bytes_a, int bytes_b,
		 const epilogue<half> out)
{
	extern __shared__ char raw[];
	uint32_t base = (shared_address(raw) + 1023) & ~1023u;
	char *stages = raw + (base - shared_address(raw));
	int row = blockIdx.y * TILE_M, column = blockIdx.x * TILE_N;
	int warpgroup = threadIdx.x / 128, blocks = (K + TILE_K - 1) / TILE_K;

	auto fetch = [&](int i) {
		half *a = (half *)(stages + i % STAGES * STAGE_BYTES), *b = a + A_BYTES / 2;
		if (i < blocks) {
			tile_copy_any<TILE_M, TILE_K, THREADS, swizzled<TILE_M>>(ALIGNED ? 16 : bytes_a, a, A,
																	 M, K, row, i * TILE_K);
			tile_copy_any<TILE_K, TILE_N, THREADS, swizzled<TILE_K>>(ALIGNED ? 16 : bytes_b, b, B,
																	 K, N, i * TILE_K, column);
		}
		tile_copy_commit();
	};

	for (int i = 0; i < STAGES - 1; i++)
		fetch(i);
	float sum[TILE_N / 2];
#pragma unroll 1
	for (int i = 0; i < blocks; i++) {
		tile_copy_wait<STAGES - 2>();
		fence_async_shared(); // wgmma reads by another proxy than copies write by
		__syncthreads();
		fetch(i + STAGES - 1);
		multiply(sum, base + i % STAGES * STAGE_BYTES, warpgroup, i == 0);
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

template <bool ALIGNED>
static void launch(const half *A, const half *B, int M, int N, int K, const epilogue<half> &out)
{
	static const cudaError_t allowed = cudaFuncSetAttribute(
		gemm<ALIGNED>, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED_BYTES);
	(void)allowed; // a launch says what is wrong
	dim3 grid((N + TILE_N - 1) / TILE_N, (M + TILE_M - 1) / TILE_M);
	gemm<ALIGNED><<<grid, THREADS, SHARED_BYTES>>>(A, B, M, N, K, tile_copy_bytes(A, K),
												   tile_copy_bytes(B, N), out);
}

extern "C" void solve(const half *A, const half *B, half *C, int M, int N, int K, float alpha,
					  float beta)
{
	epilogue<half> out = epilogue_make(C, M, N, alpha, beta);
	if (tile_copy_bytes(A, K) == 16 && tile_copy_bytes(B, N) == 16)
		launch<true>(A, B, M, N, K, out);
	else
		launch<false>(A, B, M, N, K, out);
}
