/* Tensor cores that see W as it is: whole numbers from -8 to 7.
 *
 * Idea: nibble - 8 is exact in half, nibble - 8 times a scale is not. So the tensor cores multiply
 * x by nibble - 8, and each group's partial sums are multiplied by its scale in f32 while they are
 * added to the sums: W is never rounded. The product is made transposed, y^T = W x^T: then W is
 * wgmma's operand A, which may come from registers, so that weights are made half on their way
 * and never go back to shared memory; a scale belongs to a row of sums, which a thread has two
 * of; and x is operand B, K-major, just as it lies in memory.
 *
 * A tile is 256 rows of W by 128 rows of x. Two sets of sums are the price: those of the tile are
 * 128 registers of each consumer's thread, for twice 64 x 128; the partial sums, 64 more, serve
 * one half after the other. While a consumer promotes (64 FMAs for every 512 cycles of tensor
 * cores) or waits, the other one's products are made.
 *
 * A producer's warp fills a ring of stages by TMA, two others copy their scales. Blocks of a
 * cluster, side by side in N, share their rows of x: each loads half of them for both, by
 * multicast.
 *
 * Groups that are no multiple of 16, and rows that TMA cannot address (K no multiple of 32, a
 * misaligned operand), go to tiled.cuh.
 *
 * Changes from 01b_registers, which has the idea of the first paragraph and of the second sums:
 * the product is transposed, so that W is the operand that wgmma takes from registers; TMA, a
 * producer's warps and a ring of stages, as in gemm_f16/17_warp_specialised; clusters with
 * multicast, as in gemm_f16/21_persistent_cluster.
 *
 * Arithmetic intensity: for a step along K a block loads 128 bytes of W and, with half of x
 * coming from its neighbour, 128 of x, and does 2*256*128 FLOP: 256 FLOP per byte from the L2
 * cache.
 *
 * Bound by the tensor cores, says `explain` (H200, 4096x4096x4096x128): 128 us, beside 103 of
 * shared memory and 91 of issue slots; 184 in all.
 *
 * reached: 669 TFLOP/s, 95% of cuBLAS (NVIDIA H200, 4096x4096x4096x128) */
#include <stdio.h>
#include <stdlib.h>

#include "tiled.cuh"
#include "weights.cuh"

constexpr int TILE_N = 256; // rows of W
constexpr int TILE_M = 128; // rows of x
constexpr int BK = 128;     // of a k-block: elements along K
constexpr int SLAB = 64;    // elements of x in a row of the 128-byte swizzle
constexpr int STAGES = 4;
constexpr int CLUSTER = 2; // blocks side by side in N
constexpr int WARPGROUP = 128;
constexpr int CONSUMERS = 2;    // warpgroups, each with TILE_N / 2 rows of W
constexpr int HALVES = 2;       // of these: 64 rows of W, as wgmma has them
constexpr int SCALE_LANES = 64; // of the producer's warps
constexpr int THREADS = (CONSUMERS + 1) * WARPGROUP;
constexpr int PRODUCER_REGISTERS = 24, CONSUMER_REGISTERS = 240;
static_assert(SCALE_LANES == 2 * 32, "the last two warps");
static_assert(TILE_N == CONSUMERS * HALVES * 64 && TILE_M == 128, "wgmma_registers() has 64 x 128");

/* Shared memory: stages of x in slabs, then W; their scales; a staging area for each consumer's
 * warp; barriers. */
constexpr int W_ROW = BK / 2; // bytes
constexpr int SLAB_BYTES = TILE_M * SLAB * 2;
constexpr int X_BYTES = BK / SLAB * SLAB_BYTES;
constexpr int STAGE_BYTES = X_BYTES + TILE_N * W_ROW;
constexpr int LEAST_PART = 16;                             // of a group, along K: as wgmma has it
constexpr int SCALES_BYTES = BK / LEAST_PART * TILE_N * 2; // of a stage, at most
constexpr int CHUNK = 16;                                  // rows of y that leave at once
constexpr int PITCH = 20; // floats between them, for 16 columns: no bank conflicts
constexpr int PLACE_BYTES = CHUNK * PITCH * 4;
constexpr int SCALES_OFFSET = STAGES * STAGE_BYTES;
constexpr int STAGING_OFFSET = SCALES_OFFSET + STAGES * SCALES_BYTES;
constexpr int BARRIER_OFFSET = STAGING_OFFSET + CONSUMERS * 4 * PLACE_BYTES;
constexpr int SHARED_BYTES = BARRIER_OFFSET + 2 * STAGES * 8 + 1024; // and alignment
static_assert(SHARED_BYTES <= 227 * 1024, "shared memory of a block");
static_assert(STAGE_BYTES % 1024 == 0, "the swizzle counts lines from multiples of 1024");

struct w4_work {
	int N, K, groups;
	uint32_t group_reciprocal; // k / group_size by a multiplication: see reciprocal_make()
	int pairs_n, pairs;        // of tiles, each for a cluster
	const half *scales;
};

/* Stages in turn, and the parity of the phase to wait for. */
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

struct tile_origin {
	int row, column; // in y
};

/* Tiles side by side come first: all of W and a few rows of x are at work at a time. */
__device__ __forceinline__ tile_origin tile_origin_of(const w4_work &work, int pair)
{
	int column = pair % work.pairs_n * CLUSTER + cluster_rank();
	return {pair / work.pairs_n * TILE_M, column * TILE_N};
}

/* ---- producer ------------------------------------------------------------------------ */

static __device__ __forceinline__ void load_stage(const CUtensorMap *map_x,
												  const CUtensorMap *map_w, uint32_t to,
												  uint32_t full, tile_origin at, int k)
{
	constexpr int ROWS = TILE_M / CLUSTER; // that this block loads of x, for all
	int first = cluster_rank() * ROWS;
	mbarrier_expect(full, STAGE_BYTES);
	for (int slab = 0; slab < BK / SLAB; slab++)
		tma_load_multicast(to + slab * SLAB_BYTES + first * SLAB * 2, map_x, full, k + slab * SLAB,
						   at.row + first, (1 << CLUSTER) - 1);
	tma_load(to + X_BYTES, map_w, full, k / 2, at.column);
}

static __device__ __forceinline__ void produce(const w4_work &work, const CUtensorMap *map_x,
											   const CUtensorMap *map_w, uint32_t base,
											   uint32_t full, uint32_t empty)
{
	ring at = {0, 1}; // the first round finds every stage empty
	for (int pair = cluster_number(); pair < work.pairs; pair += cluster_count()) {
		tile_origin origin = tile_origin_of(work, pair);
#pragma unroll 1
		for (int k = 0; k < work.K; k += BK) {
			mbarrier_wait(empty + 8 * at.stage, at.phase);
			if (elected())
				load_stage(map_x, map_w, base + at.stage * STAGE_BYTES, full + 8 * at.stage, origin,
						   k);
			at.next();
		}
	}
	/* The block must not end before its neighbour has handed back what it was sent. */
	for (int i = 0; i < STAGES; i++) {
		mbarrier_wait(empty + 8 * at.stage, at.phase);
		at.next();
	}
}

/* A k-block's scales, one for each of its PARTs and each row of W: 0 behind the end of K, where x
 * has zeros. Rows outside of W have any. A lane takes whole rows, whose scales are neighbours. */
template <int PART>
static __device__ __forceinline__ void load_scales(const w4_work &work, uint32_t to, int column,
												   int k0)
{
	constexpr int PARTS = BK / PART,
				  ROWS = PARTS < 4 ? 4 / PARTS : 1; // whose loads go out together
#pragma unroll 1
	for (int i = threadIdx.x % SCALE_LANES; i < TILE_N; i += ROWS * SCALE_LANES) {
		half scale[ROWS][PARTS];
#pragma unroll
		for (int j = 0; j < ROWS * PARTS; j++) {
			uint32_t row = min(column + i + j / PARTS * SCALE_LANES, work.N - 1);
			int k = k0 + j % PARTS * PART;
			const half *from = work.scales + row * work.groups + __umulhi(k, work.group_reciprocal);
			scale[j / PARTS][j % PARTS] = k < work.K ? __ldg(from) : __float2half(0.0f);
		}
#pragma unroll
		for (int j = 0; j < ROWS * PARTS; j++)
			shared_store(to + (j % PARTS * TILE_N + i + j / PARTS * SCALE_LANES) * 2,
						 __half_as_ushort(scale[j / PARTS][j % PARTS]));
	}
}

template <int PART>
static __device__ __forceinline__ void produce_scales(const w4_work &work, uint32_t base,
													  uint32_t full, uint32_t empty)
{
	ring at = {0, 1};
	for (int pair = cluster_number(); pair < work.pairs; pair += cluster_count()) {
		tile_origin origin = tile_origin_of(work, pair);
#pragma unroll 1
		for (int k = 0; k < work.K; k += BK) {
			mbarrier_wait(empty + 8 * at.stage, at.phase);
			load_scales<PART>(work, base + SCALES_OFFSET + at.stage * SCALES_BYTES, origin.column,
							  k);
			mbarrier_arrive(full + 8 * at.stage);
			at.next();
		}
	}
}

/* ---- consumers ------------------------------------------------------------------------ */

/* What a thread multiplies: where it lies in the first stage. */
struct consumer_operands {
	uint32_t x;        // wgmma's operand B
	uint32_t w;        // the lane's row of W, swizzled
	uint32_t scales;   // this row's
	uint32_t selector; // of its bytes of W
};

/* A row of W as a lane sees it: with the row 8 below. */
struct scale_pair {
	float here, below;
};

__device__ __forceinline__ float scale_load(uint32_t from)
{
	uint16_t bits;
	asm volatile("ld.shared.b16 %0, [%1];" : "=h"(bits) : "r"(from) : "memory");
	return __half2float(__ushort_as_half(bits));
}

/* Steps along K, each of 64 rows of W, in which a k-block is multiplied. */
template <int PART> struct block_steps {
	static constexpr int STEP = PART < 32 ? PART : 32;
	static constexpr int UNIT = PART / STEP; // steps whose products are promoted together
	static constexpr int COUNT = HALVES * BK / STEP;
	static_assert(COUNT % 2 == 0, "the next block's weights begin in the first registers again");

	static __device__ __forceinline__ constexpr int part(int i)
	{
		return i / (HALVES * UNIT);
	}
	static __device__ __forceinline__ constexpr int half(int i)
	{
		return i / UNIT % HALVES;
	}
	static __device__ __forceinline__ constexpr int k(int i)
	{
		return part(i) * PART + i % UNIT * STEP;
	}
};

/* The weights of step i, from W in a stage. The swizzle exchanges chunks of 16 bytes. */
template <int PART, int COUNT>
__device__ __forceinline__ void load_weights(uint32_t (&words)[2][COUNT],
											 const consumer_operands &operands, int stage, int i)
{
	using steps = block_steps<PART>;
	int k = steps::k(i);
	uint32_t chunk = (operands.w + stage * STAGE_BYTES ^ k / 32 * 16) + k % 32 / 2;
	weights_load<COUNT / 2>(words, chunk + steps::half(i) * 64 * W_ROW, 8 * W_ROW);
}

/* All products are in the partial sums, and are added to the sums with their scale. The compiler
 * does not know that they were not there before. */
static __device__ __forceinline__ void promote(float (&sum)[64], float (&partial)[64],
											   scale_pair scale)
{
#pragma unroll
	for (int i = 0; i < 64; i++) {
		asm volatile("" : "+f"(partial[i])::"memory");
		sum[i] += partial[i] * (i % 4 < 2 ? scale.here : scale.below);
	}
}

/* A k-block's products, promoted into the sums after every PART of K, which lies in one group. The
 * tensor cores work on a step while the next one's weights are made; those of the first one are in
 * a[0], and the next block's will be, which is in stage `then` when meanwhile() returns. */
template <int PART, class Meanwhile, class Release>
static __device__ __forceinline__ void
multiply_block(float (&sum)[HALVES][64], uint32_t (&a)[2][block_steps<PART>::STEP / 16][4],
			   const consumer_operands &operands, int stage, int then, Meanwhile meanwhile,
			   Release release)
{
	using steps = block_steps<PART>;
	uint32_t x = operands.x + stage * (STAGE_BYTES >> 4);
	uint32_t scales = operands.scales + stage * SCALES_BYTES;
	float partial[64];
#pragma unroll
	for (int i = 0; i < steps::COUNT; i++) {
		bool last = i + 1 == steps::COUNT;
		wgmma_fence();
#pragma unroll
		for (int j = 0; j < steps::STEP / 16; j++) {
			int k = steps::k(i) + j * 16;
			wgmma_registers(partial, a[i % 2][j],
							wgmma_descriptor(x, k / SLAB * SLAB_BYTES + k % SLAB * 2),
							i % steps::UNIT > 0 || j > 0);
		}
		wgmma_commit();
		if (last)
			meanwhile();
		uint32_t words[2][steps::STEP / 8];
		load_weights<PART>(words, operands, last ? then : stage, last ? 0 : i + 1);
		wgmma_wait<1>(); // the step before has read its weights
		weights_make(a[(i + 1) % 2], words, operands.selector);
		if ((i + 1) % steps::UNIT == 0) {
			uint32_t from = scales + (steps::part(i) * TILE_N + steps::half(i) * 64) * 2;
			scale_pair scale = {scale_load(from), scale_load(from + 8 * 2)};
			wgmma_wait<0>();
			if (last)
				release();
			promote(sum[steps::half(i)], partial, scale);
		}
	}
}

/* A warp's 16 columns of y, CHUNK rows at a time through its staging area, so that a lane stores 8
 * neighbours of a row. Where all of them lie in y and are aligned, that is known beforehand. */
static __device__ __forceinline__ void store_half(const float (&sum)[64], const epilogue<half> &out,
												  float *staging, int row, int column)
{
	int lane = threadIdx.x % 32;
	float *to = staging + lane % 4 * 2 * PITCH + lane / 4;
	const float *from = staging + lane % 16 * PITCH + lane / 16 * 8;
	row += lane % 16;
	column += lane / 16 * 8;
	bool whole = row + TILE_M - CHUNK < out.M && out.N % 8 == 0 && out.whole<8>(row, column);
#pragma unroll
	for (int chunk = 0; chunk < TILE_M / CHUNK; chunk++) {
		__syncwarp();
#pragma unroll
		for (int i = 0; i < CHUNK / 2; i++) // group of 8 rows i / 4, of these i % 2; columns + 8
			to[(i / 4 * 8 + i % 2) * PITCH + i / 2 % 2 * 8] = sum[chunk * CHUNK / 2 + i];
		__syncwarp();
		float x[8];
		*(float4 *)&x[0] = *(const float4 *)from;
		*(float4 *)&x[4] = *(const float4 *)(from + 4);
		if (whole) {
			out.apply_beta_0(row, column, x);
			epilogue_store_whole(out.C + (size_t)row * out.N + column, x);
		} else {
			out.store(row, column, x);
		}
		row += CHUNK;
	}
}

template <int PART>
static __device__ __forceinline__ void consume(const w4_work &work, const epilogue<half> &out,
											   char *shared, uint32_t base, uint32_t full,
											   uint32_t empty)
{
	int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
	int own = warp / 4 * HALVES * 64 + warp % 4 * 16; // the warp's first row of the tile's of W
	int row = own + lane / 4, swizzle = row / 2 % 4;
	float *staging = (float *)(shared + STAGING_OFFSET + warp * PLACE_BYTES);
	consumer_operands operands = {wgmma_operand(base, 16),
								  base + X_BYTES + row * W_ROW + swizzle * 16,
								  base + SCALES_OFFSET + row * 2, weights_selector(lane % 4)};
	ring at = {0, 0};
	for (int pair = cluster_number(); pair < work.pairs; pair += cluster_count()) {
		float sum[HALVES][64] = {};
		uint32_t a[2][block_steps<PART>::STEP / 16][4];
		mbarrier_wait(full + 8 * at.stage, at.phase);
		uint32_t words[2][block_steps<PART>::STEP / 8];
		load_weights<PART>(words, operands, at.stage, 0);
		weights_make(a[0], words, operands.selector);
#pragma unroll 1
		for (int k = 0; k < work.K; k += BK) {
			// behind the last block comes itself again: nobody multiplies it
			ring next = at, then = at;
			next.next();
			if (k + BK < work.K)
				then = next;
			multiply_block<PART>(
				sum, a, operands, at.stage, then.stage,
				[&] { mbarrier_wait(full + 8 * then.stage, then.phase); },
				[&] {
					__syncwarp();
					if (lane < CLUSTER)
						mbarrier_arrive_cluster(empty + 8 * at.stage, lane);
				});
			at = next;
		}
		tile_origin origin = tile_origin_of(work, pair);
#pragma unroll
		for (int half = 0; half < HALVES; half++)
			store_half(sum[half], out, staging, origin.row, origin.column + own + half * 64);
	}
}

/* ---- kernel ----------------------------------------------------------------------------- */

template <int PART>
static __global__ void __launch_bounds__(THREADS, 1)
	gemm_wgmma(const __grid_constant__ CUtensorMap map_x, const __grid_constant__ CUtensorMap map_w,
			   const w4_work work, const epilogue<half> out)
{
	extern __shared__ char shared_raw[];
	uint32_t base = __shfl_sync(0xFFFFFFFF, (shared_address(shared_raw) + 1023) & ~1023u, 0);
	char *shared = shared_raw + (base - shared_address(shared_raw));
	uint32_t full = base + BARRIER_OFFSET, empty = full + 8 * STAGES;
	int warp = __shfl_sync(0xFFFFFFFF, threadIdx.x / 32, 0);

	if (threadIdx.x == 0) {
		for (int stage = 0; stage < STAGES; stage++) {
			mbarrier_init(full + 8 * stage, 1 + SCALE_LANES); // TMA's bytes; scales
			mbarrier_init(empty + 8 * stage, CLUSTER * CONSUMERS * 4);
		}
		mbarriers_ready();
	}
	cluster_sync();
	if (warp >= CONSUMERS * 4) {
		registers_give<PRODUCER_REGISTERS>();
		if (warp == CONSUMERS * 4)
			produce(work, &map_x, &map_w, base, full, empty);
		else if (warp > CONSUMERS * 4 + 1) // the last two
			produce_scales<PART>(work, base, full, empty);
	} else {
		registers_take<CONSUMER_REGISTERS>();
		consume<PART>(work, out, shared, base, full, empty);
	}
}

/* ---- host --------------------------------------------------------------------------------- */

static void w4_check(bool fine, const char *what)
{
	if (fine)
		return;
	fprintf(stderr, "gemm_w4: %s failed\n", what);
	abort();
}

/* A row-major matrix in boxes; zeros outside. */
static CUtensorMap tensor_map(CUtensorMapDataType type, int element_bytes, const void *matrix,
							  int rows, int columns, int box_rows, int box_columns,
							  CUtensorMapSwizzle swizzle)
{
	static decltype(&cuTensorMapEncodeTiled) encode;
	if (encode == NULL) {
		cudaDriverEntryPointQueryResult found;
		cudaError_t status = cudaGetDriverEntryPointByVersion(
			"cuTensorMapEncodeTiled", (void **)&encode, 12000, cudaEnableDefault, &found);
		w4_check(status == cudaSuccess && found == cudaDriverEntryPointSuccess,
				 "cudaGetDriverEntryPointByVersion");
	}
	CUtensorMap map;
	cuuint64_t sizes[2] = {(cuuint64_t)columns, (cuuint64_t)rows};
	cuuint64_t strides[1] = {(cuuint64_t)columns * element_bytes};
	cuuint32_t box[2] = {(cuuint32_t)box_columns, (cuuint32_t)box_rows}, steps[2] = {1, 1};
	CUresult status = encode(&map, type, 2, (void *)matrix, sizes, strides, box, steps,
							 CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
							 CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
	w4_check(status == CUDA_SUCCESS, "cuTensorMapEncodeTiled");
	return map;
}

/* What a launch of so many blocks says; `cluster` must live as long as it does. */
static cudaLaunchConfig_t launch_make(int blocks, cudaLaunchAttribute *cluster)
{
	cluster->id = cudaLaunchAttributeClusterDimension;
	cluster->val.clusterDim.x = CLUSTER;
	cluster->val.clusterDim.y = cluster->val.clusterDim.z = 1;
	cudaLaunchConfig_t launch = {};
	launch.gridDim = dim3(blocks);
	launch.blockDim = dim3(THREADS);
	launch.dynamicSmemBytes = SHARED_BYTES;
	launch.attrs = cluster;
	launch.numAttrs = 1;
	return launch;
}

/* Clusters that run at once, maybe fewer than the multiprocessors would do: they do not reach
 * across the GPU's parts (GPCs). */
template <int PART> static int clusters_at_once(void)
{
	w4_check(cudaFuncSetAttribute(gemm_wgmma<PART>, cudaFuncAttributeMaxDynamicSharedMemorySize,
								  SHARED_BYTES) == cudaSuccess,
			 "cudaFuncSetAttribute");
	int count;
	cudaLaunchAttribute cluster;
	cudaLaunchConfig_t launch = launch_make(CLUSTER, &cluster);
	w4_check(cudaOccupancyMaxActiveClusters(&count, gemm_wgmma<PART>, &launch) == cudaSuccess,
			 "cudaOccupancyMaxActiveClusters");
	return count;
}

/* 2^32 / group_size, rounded up. */
static uint32_t reciprocal_make(int group_size)
{
	return (uint32_t)(((1ull << 32) + group_size - 1) / group_size);
}

/* Whether the kernel's 32 bits can find all scales. k and group_size are multiples of 16 there, so
 * that k / group_size lies 16 / group_size or more below the next whole number; rounding up adds
 * k * excess / (group_size * 2^32) to it, which must be less. */
static bool scales_fit(int N, int K, int group_size)
{
	uint64_t excess = (uint64_t)reciprocal_make(group_size) * group_size - (1ull << 32);
	return K * excess < 1ull << 36 && (uint64_t)N * (K / group_size) < 1ull << 32;
}

template <int PART>
static void wgmma_launch(const half *x, const uint8_t *w_q, const half *scales, int M, int N, int K,
						 int group_size, const epilogue<half> &out)
{
	static const int most = clusters_at_once<PART>();
	CUtensorMap map_x = tensor_map(CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, x, M, K, TILE_M / CLUSTER,
								   SLAB, CU_TENSOR_MAP_SWIZZLE_128B);
	CUtensorMap map_w = tensor_map(CU_TENSOR_MAP_DATA_TYPE_UINT8, 1, w_q, N, K / 2, TILE_N, W_ROW,
								   CU_TENSOR_MAP_SWIZZLE_64B);
	w4_work work = {};
	work.N = N;
	work.K = K;
	work.groups = K / group_size;
	work.group_reciprocal = reciprocal_make(group_size);
	work.pairs_n = (N + CLUSTER * TILE_N - 1) / (CLUSTER * TILE_N);
	work.pairs = work.pairs_n * ((M + TILE_M - 1) / TILE_M);
	work.scales = scales;
	cudaLaunchAttribute cluster;
	cudaLaunchConfig_t launch = launch_make(min(work.pairs, most) * CLUSTER, &cluster);
	w4_check(cudaLaunchKernelEx(&launch, gemm_wgmma<PART>, map_x, map_w, work, out) == cudaSuccess,
			 "cudaLaunchKernelEx");
}

extern "C" void solve(const half *x, const uint8_t *w_q, const half *scales, half *y, int M, int N,
					  int K, int group_size)
{
	epilogue<half> out = epilogue_make(y, M, N);
	bool aligned = K % 32 == 0 && (uintptr_t)x % 16 == 0 && (uintptr_t)w_q % 16 == 0;
	if (!aligned || group_size % 16 != 0 || !scales_fit(N, K, group_size))
		tiled_launch(x, w_q, scales, M, N, K, group_size, out);
	else if (group_size % 128 == 0)
		wgmma_launch<128>(x, w_q, scales, M, N, K, group_size, out);
	else if (group_size % 64 == 0)
		wgmma_launch<64>(x, w_q, scales, M, N, K, group_size, out);
	else if (group_size % 32 == 0)
		wgmma_launch<32>(x, w_q, scales, M, N, K, group_size, out);
	else
		wgmma_launch<16>(x, w_q, scales, M, N, K, group_size, out);
}
