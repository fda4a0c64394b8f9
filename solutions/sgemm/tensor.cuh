/* Plain f32 products on Hopper's tensor cores, with f32's accuracy. sgemm/tensor.cu,
 * matmul_f32/03_tensor.cu and batched_f32/04_tensor.cu share it; tensor_kernel.cuh has the kernel.
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
 * Range. What bf16 cannot do is left to FMAs: if an operand has an element of 2^127 or more,
 * infinities and NaN included, or one below 2^-100 that is not 0, whose last part would be lost.
 * The kernel that splits says so on the device, by leaving the number of this call in the
 * workspace; the product's kernel looks there, and multiplies the operands themselves. Nobody waits
 * for the host, and nothing is reset between calls. */
#ifndef GEMMJUDGE_SGEMM_TENSOR_CUH
#define GEMMJUDGE_SGEMM_TENSOR_CUH

#include "ffma.cuh"
#include "tensor_kernel.cuh"
#include "workspace.cuh"

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

/* How a product is launched, and its predicted clocks. */
struct tensor_plan {
	int split, blocks; // that share what is left over, and all
	float clocks;
};

/* Predicted clocks of the split and the product: rounds of tiles, each with its k-blocks and
 * what of its stores the next round does not hide, or with its stores where K is so short that they
 * take longer; the last round's are hidden by nothing. Constants are fitted to times on an H200
 * (NOTES.md): a k-block of 128x128 takes 3710 clocks, of which the tensor cores are busy 3072 (4096
 * operations a clock); one of 128x64 waits for shared memory. Of the products there half read C. */
template <class Tile> static inline tensor_plan tensor_make_plan(const ffma_product &p, int split)
{
	constexpr bool WIDE = Tile::TILE_N == 128;
	constexpr float LAUNCHES = 6520.0f, BYTES_A_CLOCK = 2550.0f, BLOCK = WIDE ? 3710.0f : 1995.0f;
	constexpr float TILE = 5460.0f, LAST = 9300.0f, STORES = 10900.0f; // of 128x128
	constexpr float READS_C = 0.80f, UNALIGNED = 0.70f;                // more of them
	constexpr float SHARED = 10100.0f;
	int tiles = (p.M + Tile::TILE_M - 1) / Tile::TILE_M * ((p.N + Tile::TILE_N - 1) / Tile::TILE_N);
	tiles *= p.batch;
	int blocks = min(tiles, ffma_at_once(split)) * split;
	if (blocks == 0)
		return {1, 1, INFINITY};
	int depth = (p.K + Tile::TILE_K - 1) / Tile::TILE_K, full = tiles / blocks,
		left = tiles % blocks;
	int shared = left * split <= blocks ? split : 1;
	float bytes = 10.0f * (float)p.batch * (float)p.K * ((float)p.M + (float)p.N);
	float stores =
		(float)Tile::TILE_N / 128.0f * (1.0f + READS_C + (p.N % 4 != 0 ? UNALIGNED : 0.0f));
	float clocks = LAUNCHES + bytes / BYTES_A_CLOCK;
	clocks += (float)full * fmaxf((float)depth * BLOCK + TILE * stores, STORES * stores);
	if (left == 0)
		clocks += (LAST - TILE) * stores;
	else
		clocks += (float)((depth + shared - 1) / shared) * BLOCK + LAST * stores / (float)shared +
				  (shared > 1 ? SHARED : 0.0f);
	return {split, blocks, clocks};
}

/* What is left over is shared by two blocks, or not: more gain nothing. */
template <class Tile> static inline tensor_plan tensor_best_plan(const ffma_product &p)
{
	tensor_plan single = tensor_make_plan<Tile>(p, 1), shared = tensor_make_plan<Tile>(p, 2);
	return shared.clocks < single.clocks ? shared : single;
}

template <class Tile>
static void tensor_launch(const ffma_product &p, const tensor_plan &plan, const tensor_operand &a,
						  const tensor_operand &b, const unsigned *flag, unsigned call,
						  const epilogue<float> &out)
{
	static const cudaError_t allowed = cudaFuncSetAttribute(
		tensor_gemm<Tile>, cudaFuncAttributeMaxDynamicSharedMemorySize, Tile::SHARED_BYTES);
	ffma_check(allowed, "cudaFuncSetAttribute");
	ffma_grid grid = {(p.M + Tile::TILE_M - 1) / Tile::TILE_M,
					  (p.N + Tile::TILE_N - 1) / Tile::TILE_N};
	cudaLaunchAttribute attributes[] = {ffma_follows(), hopper::cluster_attribute(plan.split)};
	cudaLaunchConfig_t config = {};
	config.gridDim = dim3(plan.blocks);
	config.blockDim = dim3(Tile::THREADS);
	config.dynamicSmemBytes = Tile::SHARED_BYTES;
	config.attrs = attributes;
	config.numAttrs = plan.split > 1 ? 2 : 1;
	ffma_check(cudaLaunchKernelEx(&config, tensor_gemm<Tile>, tensor_map(a, Tile::TILE_M),
								  tensor_map(b, Tile::TILE_K), p, grid, flag, call, out),
			   "launch");
}

/* For tests: TENSOR_TILE, 64 or 128, forces that tile for products of any size, and TENSOR_SPLIT, 1
 * or 2, its split. */
static inline void tensor(const ffma_product &p, const epilogue<float> &out)
{
	if (ffma_capability() != 9) // wgmma came with Hopper and went with it
		return ffma(p, out);
	ffma_check_rows(p);
	typedef tensor_tile<128> wide_tile;
	typedef tensor_tile<64> narrow_tile;
#ifdef TENSOR_TILE
	tensor_plan wide = tensor_make_plan<wide_tile>(p, TENSOR_SPLIT);
	tensor_plan narrow = tensor_make_plan<narrow_tile>(p, TENSOR_SPLIT);
	bool is_wide = TENSOR_TILE == 128;
#else
	tensor_plan wide = tensor_best_plan<wide_tile>(p), narrow = tensor_best_plan<narrow_tile>(p);
	bool is_wide = wide.clocks <= narrow.clocks;
	ffma_choice fmas = ffma_choose(p);
	if (fminf(wide.clocks, narrow.clocks) >= fmas.clocks)
		return ffma_by(fmas, p, out);
#endif
	if (!ffma_reaches(TENSOR_FMA_ROWS, p)) // what is out of bf16's range is left to such tiles
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
	unsigned *flag = (unsigned *)memory, call = ++calls;
	a.parts = (__nv_bfloat16 *)(memory + WORKSPACE_HEAD);
	b.parts = a.parts + a_elements;
	tensor_make_parts(a, b, flag, call);
	if (is_wide)
		tensor_launch<wide_tile>(p, wide, a, b, flag, call, out);
	else
		tensor_launch<narrow_tile>(p, narrow, a, b, flag, call, out);
}

#endif
