/* Plain f32 products on Hopper's tensor cores, with f32's accuracy. sgemm/tensor.cu,
 * matmul_f32/03_tensor.cu and batched_f32/04_tensor.cu share it.
 *
 * Parts. Each operand x becomes three bf16 numbers, x1 + x2 + x3: x1 is x rounded, x2 what is left
 * rounded, x3 what is left then. 8 bits each (and a sign) hold x's 24 bits exactly, in bf16's
 * exponents, which are f32's. Of the nine products of parts the six of relative size 1, 2^-8 and
 * 2^-16 are made; the others are below 2^-24 of |a||b| together. (Two tf32 parts would need three
 * products of twice the cost, the same rate; but they hold 22 bits, and wgmma takes tf32 K-major
 * only, so that B would have to be transposed.)
 *
 * Sums. The tensor cores add in f32, but drop what falls below the largest of the terms that they
 * add at once instead of rounding. So their sums are short: those of one k-block of 64, smallest
 * products first, which are then added to f32 registers by rounded additions.
 *
 * Range. What bf16 cannot do is left to FMAs (ffma.cuh): if an operand has an element of 2^127 or
 * more, infinities and NaN included, or one below 2^-100 that is not 0, whose last part would be
 * lost. The kernel that splits says so on the device, by leaving the number of this call in the
 * workspace; the product's kernel and that of FMAs both look there, and one of them ends at once.
 * Nobody waits for the host, and nothing is reset between calls.
 *
 * Splitting is a pass of its own: it reads 4 bytes and writes 6 of each element once, where a
 * producer would do the work again for each tile; and it makes every operand one that TMA can
 * address. */
#ifndef GEMMJUDGE_SGEMM_TENSOR_CUH
#define GEMMJUDGE_SGEMM_TENSOR_CUH

#include <cuda.h>

#include "../gemm_f16/hopper/ptx.cuh"
#include "../gemm_f16/hopper/wgmma.cuh"
#include "ffma.cuh"

constexpr int TENSOR_PARTS = 3, TENSOR_BOX = 64; // columns of a box: a swizzled row of 128 bytes

/* ---- splitting ---- */

/* A row-major f32 matrix, and where its parts go: planes of rows of `ld` elements. */
struct tensor_operand {
	const float *data;
	__nv_bfloat16 *parts;
	int rows, columns, ld;
};

constexpr int SPLIT_VECTOR = 8, SPLIT_THREADS = 256;

static __device__ __forceinline__ bool tensor_out_of_range(float x)
{
	return !(fabsf(x) < 0x1p127f) || (x != 0.0f && fabsf(x) < 0x1p-100f);
}

/* A thread splits 8 neighbours of a row. */
static __global__ void __launch_bounds__(SPLIT_THREADS)
	tensor_split(const tensor_operand a, const tensor_operand b, unsigned *flag, unsigned call)
{
	const tensor_operand &to = blockIdx.z == 0 ? a : b;
	ffma_let_next_kernel_start();
	int column = ((int)blockIdx.x * SPLIT_THREADS + (int)threadIdx.x) * SPLIT_VECTOR;
	if (column >= to.columns)
		return;
	bool whole =
		column + SPLIT_VECTOR <= to.columns && to.columns % 4 == 0 && (uintptr_t)to.data % 16 == 0;
	bool outside = false;
	for (int row = blockIdx.y; row < to.rows; row += gridDim.y) {
		const float *from = to.data + (size_t)row * to.columns + column;
		alignas(16) float x[SPLIT_VECTOR] = {};
		if (whole) {
			*(float4 *)&x[0] = *(const float4 *)from;
			*(float4 *)&x[4] = *(const float4 *)(from + 4);
		} else {
#pragma unroll
			for (int i = 0; i < SPLIT_VECTOR; i++)
				if (column + i < to.columns)
					x[i] = from[i];
		}
#pragma unroll
		for (int i = 0; i < SPLIT_VECTOR; i++)
			outside = outside || tensor_out_of_range(x[i]);
#pragma unroll
		for (int part = 0; part < TENSOR_PARTS; part++) {
			alignas(16) __nv_bfloat16 y[SPLIT_VECTOR];
#pragma unroll
			for (int i = 0; i < SPLIT_VECTOR; i++) {
				y[i] = __float2bfloat16_rn(x[i]);
				x[i] -= __bfloat162float(y[i]); // exact
			}
			size_t at = ((size_t)part * to.rows + row) * to.ld + column;
			*(uint4 *)(to.parts + at) = *(const uint4 *)y;
		}
	}
	if (outside)
		*flag = call;
}

/* ---- the product ---- */

/* 128 x TILE_N of C at a time, 64 rows a consumer warpgroup. */
template <int TILE_N_> struct tensor_tile {
	static constexpr int TILE_M = 128, TILE_N = TILE_N_, TILE_K = 64, CONSUMERS = 2;
	static constexpr int THREADS = (CONSUMERS + 1) * 128;
	static constexpr int A_PLANE = TILE_M * TILE_K * 2, B_PLANE = TILE_K * TENSOR_BOX * 2;
	static constexpr int A_BYTES = TENSOR_PARTS * A_PLANE; // one box of all parts
	static constexpr int B_BOX = TENSOR_PARTS * B_PLANE;   // 64 columns of all parts
	static constexpr int B_BOXES = TILE_N / TENSOR_BOX;
	static constexpr int STAGE_BYTES = A_BYTES + B_BOXES * B_BOX;
	static constexpr int STAGES = (226 * 1024) / STAGE_BYTES;
	static constexpr int STORE_ROWS = TILE_N == 128 ? 8 : 4, STORE_LD = TILE_N + 4; // of a warp
	static constexpr int STORE_BYTES = CONSUMERS * 4 * STORE_ROWS * STORE_LD * 4;
	static constexpr int SHARED_BYTES = STAGES * STAGE_BYTES + STORE_BYTES + STAGES * 16 + 1024;
	static_assert(STAGES >= 2 && SHARED_BYTES <= 227 * 1024, "what a block may have");
};

/* The products of parts, smallest first: of A, of B. */
struct tensor_pair {
	int a, b;
};
constexpr int TENSOR_PAIRS = 6;
static __device__ constexpr tensor_pair tensor_pair_of(int i)
{
	constexpr tensor_pair PAIRS[TENSOR_PAIRS] = {{2, 0}, {0, 2}, {1, 1}, {1, 0}, {0, 1}, {0, 0}};
	return PAIRS[i];
}

/* A consumer's 64 rows, all columns, one k-block: its sums are fresh ones. */
template <class Tile>
static __device__ __forceinline__ void tensor_multiply(float (&sum)[Tile::TILE_N / 2],
													   uint32_t stage, int consumer)
{
	uint32_t a = hopper::wgmma_operand(stage + consumer * 64 * Tile::TILE_K * 2, 16);
	uint32_t b = hopper::wgmma_operand(stage + Tile::A_BYTES, Tile::B_BOX);
	hopper::wgmma_fence();
#pragma unroll
	for (int i = 0; i < TENSOR_PAIRS; i++)
#pragma unroll
		for (int k = 0; k < Tile::TILE_K / 16; k++) {
			tensor_pair parts = tensor_pair_of(i);
			hopper::wgmma<__nv_bfloat16, Tile::TILE_N>::template multiply<false>(
				sum, hopper::wgmma_descriptor(a, parts.a * Tile::A_PLANE + k * 32),
				hopper::wgmma_descriptor(b, parts.b * Tile::B_PLANE + k * 16 * 128), i + k > 0);
		}
	hopper::wgmma_commit();
	hopper::wgmma_wait<0>();
#pragma unroll
	for (int i = 0; i < Tile::TILE_N / 2; i++)
		asm volatile("" : "+f"(sum[i])::"memory"); // the sums are here now, and not earlier
}

/* A warp's 16 rows of sums through shared memory of its own to C, some rows at a time. */
template <class Tile>
static __device__ __forceinline__ void
tensor_store(float *exchange, const float (&sum)[Tile::TILE_N / 2], const ffma_product &p,
			 const epilogue<float> &out, int batch, int row, int column)
{
	constexpr int ROWS = Tile::STORE_ROWS, LD = Tile::STORE_LD;
	int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
	bool vector = p.N % 4 == 0 && epilogue_aligned<float, 4>(out.C);
	float *mine = exchange + warp * ROWS * LD;
#pragma unroll
	for (int first = 0; first < 16; first += ROWS) {
		if (lane / 4 / ROWS * ROWS == first % 8)
#pragma unroll
			for (int i = 0; i < Tile::TILE_N / 8; i++) // pairs
				*(float2 *)&mine[lane / 4 % ROWS * LD + i * 8 + lane % 4 * 2] =
					make_float2(sum[4 * i + first / 8 * 2], sum[4 * i + first / 8 * 2 + 1]);
		__syncwarp();
		if (vector)
			ffma_store_shared<ROWS, 1, Tile::TILE_N, LD, 4>(mine, out, p, batch,
															row + warp * 16 + first, column);
		else
			ffma_store_shared<ROWS, 1, Tile::TILE_N, LD, 1>(mine, out, p, batch,
															row + warp * 16 + first, column);
		__syncwarp();
	}
}

/* A block computes every gridDim.x-th tile. Its producer loads operands of the next one while the
 * consumers store. */
template <class Tile>
static __global__ void __launch_bounds__(Tile::THREADS, 1)
	tensor_gemm(const __grid_constant__ CUtensorMap map_a,
				const __grid_constant__ CUtensorMap map_b, const ffma_product p,
				const ffma_grid grid, const unsigned *flag, const epilogue<float> out)
{
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
	constexpr int STAGES = Tile::STAGES;
	extern __shared__ char raw[];
	uint32_t base = (hopper::shared_address(raw) + 1023) & ~1023u;
	uint32_t exchange = base + STAGES * Tile::STAGE_BYTES;
	uint32_t full = exchange + Tile::STORE_BYTES, empty = full + 8 * STAGES;
	int warpgroup = threadIdx.x / 128, blocks = (p.K + Tile::TILE_K - 1) / Tile::TILE_K;
	int tiles = grid.tiles_m * grid.tiles_n, batch, row, column;
	auto find = [&](int tile) {
		batch = tile / tiles;
		grid.find(tile % tiles, row, column);
		row *= Tile::TILE_M;
		column *= Tile::TILE_N;
	};
	if (threadIdx.x == 0) {
		for (int i = 0; i < STAGES; i++) {
			hopper::mbarrier_init(full + 8 * i, 1);
			hopper::mbarrier_init(empty + 8 * i, Tile::CONSUMERS);
		}
		hopper::mbarriers_ready();
	}
	ffma_let_next_kernel_start();
	ffma_wait_for_kernel_before(); // whose parts are read
	if (*flag == p.call)
		return; // the FMAs' turn
	__syncthreads();
	int step = 0; // of all k-blocks of all tiles
	if (warpgroup == Tile::CONSUMERS) {
		hopper::registers_give<24>();
		if (threadIdx.x / 32 != Tile::CONSUMERS * 4)
			return;
		for (int tile = blockIdx.x; tile < tiles * p.batch; tile += gridDim.x) {
			find(tile);
			for (int k = 0; k < blocks; k++, step++) {
				uint32_t stage = base + step % STAGES * Tile::STAGE_BYTES,
						 barrier = full + 8 * (step % STAGES);
				hopper::mbarrier_wait(empty + 8 * (step % STAGES), step / STAGES % 2 ^ 1);
				if (!hopper::elected())
					continue;
				/* beyond K, A's columns are zeros, and B's rows whatever comes next */
				hopper::mbarrier_expect(barrier, Tile::STAGE_BYTES);
				hopper::tma_load_3d(stage, &map_a, barrier, k * Tile::TILE_K, batch * p.M + row, 0);
#pragma unroll
				for (int box = 0; box < Tile::B_BOXES; box++)
					hopper::tma_load_3d(stage + Tile::A_BYTES + box * Tile::B_BOX, &map_b, barrier,
										column + box * TENSOR_BOX, batch * p.K + k * Tile::TILE_K,
										0);
			}
		}
		return;
	}
	hopper::registers_take<240>();
	for (int tile = blockIdx.x; tile < tiles * p.batch; tile += gridDim.x) {
		find(tile);
		float sum[Tile::TILE_N / 2] = {}, part[Tile::TILE_N / 2];
#pragma unroll 1
		for (int k = 0; k < blocks; k++, step++) {
			hopper::mbarrier_wait(full + 8 * (step % STAGES), step / STAGES % 2);
			tensor_multiply<Tile>(part, base + step % STAGES * Tile::STAGE_BYTES, warpgroup);
			if (threadIdx.x % 128 == 0)
				hopper::mbarrier_arrive(empty + 8 * (step % STAGES));
#pragma unroll
			for (int j = 0; j < Tile::TILE_N / 2; j++)
				sum[j] += part[j];
		}
		tensor_store<Tile>((float *)(raw + (exchange - hopper::shared_address(raw))), sum, p, out,
						   batch, row, column);
	}
#else
	__trap(); // compiled for another GPU than this one
#endif
}

/* ---- host ---- */

/* All parts of an operand, a plane each, in boxes of 64 columns and `box_rows` rows of each plane;
 * zeros outside. */
static inline CUtensorMap tensor_map(const tensor_operand &operand, int box_rows)
{
	static decltype(&cuTensorMapEncodeTiled) encode = [] {
		void *found = NULL;
		cudaDriverEntryPointQueryResult result;
		ffma_check(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000,
													cudaEnableDefault, &result),
				   "cuTensorMapEncodeTiled");
		return (decltype(&cuTensorMapEncodeTiled))found;
	}();
	const cuuint64_t sizes[] = {(cuuint64_t)operand.columns, (cuuint64_t)operand.rows,
								TENSOR_PARTS};
	const cuuint64_t pitch = (cuuint64_t)operand.ld * sizeof(__nv_bfloat16);
	const cuuint64_t pitches[] = {pitch, pitch * (cuuint64_t)operand.rows};
	const cuuint32_t box[] = {TENSOR_BOX, (cuuint32_t)box_rows, TENSOR_PARTS}, steps[] = {1, 1, 1};
	CUtensorMap map;
	CUresult made = encode(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 3, operand.parts, sizes, pitches,
						   box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
						   CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
	ffma_check(made == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue, "tensor map");
	return map;
}

template <class Tile>
static void tensor_launch(const ffma_product &p, const tensor_operand &a, const tensor_operand &b,
						  const unsigned *flag, const epilogue<float> &out)
{
	static const cudaError_t allowed = cudaFuncSetAttribute(
		tensor_gemm<Tile>, cudaFuncAttributeMaxDynamicSharedMemorySize, Tile::SHARED_BYTES);
	ffma_check(allowed, "cudaFuncSetAttribute");
	ffma_grid grid = {(p.M + Tile::TILE_M - 1) / Tile::TILE_M,
					  (p.N + Tile::TILE_N - 1) / Tile::TILE_N};
	cudaLaunchAttribute follows = ffma_follows();
	cudaLaunchConfig_t config = {};
	config.gridDim = dim3(min(grid.tiles_m * grid.tiles_n * p.batch, ffma_multiprocessors()));
	config.blockDim = dim3(Tile::THREADS);
	config.dynamicSmemBytes = Tile::SHARED_BYTES;
	config.attrs = &follows;
	config.numAttrs = 1;
	ffma_check(cudaLaunchKernelEx(&config, tensor_gemm<Tile>, tensor_map(a, Tile::TILE_M),
								  tensor_map(b, Tile::TILE_K), p, grid, flag, out),
			   "launch");
}

/* Predicted clocks of the split and the product, and of a launch for FMAs that ends at once. A
 * k-block takes what its products take (4096 operations a clock), or what shared memory takes (128
 * bytes a clock) to hand both operands to every wgmma of 64 rows and to take in what TMA brings.
 * The constants are fitted to 178 products on an H200 (NOTES.md). */
template <class Tile> static inline float tensor_cost(const ffma_product &p)
{
	constexpr bool WIDE = Tile::TILE_N == 128;
	constexpr float LAUNCHES = 10000.0f, TILE = WIDE ? 22000.0f : 3000.0f;
	constexpr float RATE = WIDE ? 0.93f : 0.82f, BYTES_A_CLOCK = 1400.0f;
	constexpr int ROW_BYTES = Tile::TILE_K * sizeof(__nv_bfloat16);
	constexpr float PRODUCTS =
		2.0f * Tile::TILE_M * Tile::TILE_N * Tile::TILE_K * TENSOR_PAIRS / 4096.0f;
	constexpr float READ = Tile::TILE_M / 64 * (64 + Tile::TILE_N) * ROW_BYTES * TENSOR_PAIRS;
	constexpr float BROUGHT = (Tile::TILE_M + Tile::TILE_N) * ROW_BYTES * TENSOR_PARTS;
	float tiles = ceilf((float)p.M / Tile::TILE_M) * ceilf((float)p.N / Tile::TILE_N);
	float rounds = ceilf(tiles * (float)p.batch / (float)ffma_multiprocessors());
	float split = (float)p.batch * (float)p.K * ((float)p.M + (float)p.N) * 10.0f / BYTES_A_CLOCK;
	float blocks = ceilf((float)p.K / Tile::TILE_K);
	float block = fmaxf(PRODUCTS, (READ + BROUGHT) / 128.0f) / RATE;
	return LAUNCHES + split + rounds * (blocks * block + TILE);
}

/* TENSOR_ALWAYS, 64 or 128, forces that tile for products of any size: for tests. */
static inline void tensor(ffma_product p, const epilogue<float> &out)
{
	float wide = tensor_cost<tensor_tile<128>>(p), narrow = tensor_cost<tensor_tile<64>>(p);
#ifdef TENSOR_ALWAYS
	wide = TENSOR_ALWAYS == 128 ? 0.0f : 1.0f;
	narrow = 1.0f - wide;
#else
	if (fminf(wide, narrow) >= ffma_choose(p).clocks)
		return ffma(p, out);
#endif
	if (ffma_capability() != 9) // wgmma came with Hopper and went with it
		return ffma(p, out);
	tensor_operand a = {p.A, NULL, p.batch * p.M, p.K, (p.K + 63) / 64 * 64};
	tensor_operand b = {p.B, NULL, p.batch * p.K, p.N, (p.N + 63) / 64 * 64};
	size_t a_elements = (size_t)a.rows * a.ld * TENSOR_PARTS;
	size_t b_elements = (size_t)b.rows * b.ld * TENSOR_PARTS;
	/* The number of the latest call that was left to FMAs, then A's parts, then B's; every call
	 * overwrites what it reads of the parts. */
	size_t bytes = (a_elements + b_elements) * sizeof(__nv_bfloat16);
	char *memory = (char *)workspace_get(WORKSPACE_HEAD + bytes);
	if (memory == NULL)
		return ffma(p, out);
	static unsigned calls;
	unsigned *flag = (unsigned *)memory;
	p.call = ++calls;
	a.parts = (__nv_bfloat16 *)(memory + WORKSPACE_HEAD);
	b.parts = a.parts + a_elements;

	int columns = max(a.columns, b.columns), per_block = SPLIT_THREADS * SPLIT_VECTOR;
	dim3 grid((columns + per_block - 1) / per_block, min(max(a.rows, b.rows), 2048), 2);
	tensor_split<<<grid, SPLIT_THREADS>>>(a, b, flag, p.call);
	if (wide <= narrow)
		tensor_launch<tensor_tile<128>>(p, a, b, flag, out);
	else
		tensor_launch<tensor_tile<64>>(p, a, b, flag, out);
	p.only_if = flag;
	ffma(p, out);
}

#endif
