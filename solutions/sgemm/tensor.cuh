/* tensor(): plain f32 products on Hopper's tensor cores, with f32's accuracy; tensor_kernel.cuh has
 * the kernel. sgemm/tensor.cu, matmul_f32/03_tensor.cu and batched_f32/04_tensor.cu call it, and
 * programs may, as they call ffma() (ffma.cuh documents products and errors):
 *
 *     size_t bytes = tensor_workspace(product, out);
 *     status = tensor_workspace_init(workspace, bytes, stream); // once for each workspace
 *     status = tensor(product, out, workspace, bytes, stream);
 *
 * `workspace` is device memory of the caller, aligned to 256 bytes. One call may use it after the
 * other, for any products that it is large enough for, and nothing else may write there meanwhile.
 * With NULL and 0, on other GPUs, and where it is faster, the product is left to ffma().
 * cudaErrorInvalidValue, and nothing launched, also where `bytes` is not 0 and less than
 * tensor_workspace() says, or the workspace not aligned.
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
 * for the host, and nothing is reset between calls. (A graph that is replayed keeps its number:
 * after a replay that was left to FMAs all others are, too, which costs time only.) */
#ifndef GEMMJUDGE_SGEMM_TENSOR_CUH
#define GEMMJUDGE_SGEMM_TENSOR_CUH

#include "ffma.cuh"
#include "tensor_kernel.cuh"

constexpr size_t TENSOR_HEAD = 1024; // of the workspace, before the parts

typedef decltype(&cuTensorMapEncodeTiled) tensor_encoder;

static inline cudaError_t tensor_find_encoder(tensor_encoder &encode)
{
	void *function = NULL;
	cudaDriverEntryPointQueryResult result;
	cudaError_t status = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function,
														  12000, cudaEnableDefault, &result);
	encode = (tensor_encoder)function;
	return status == cudaSuccess && function == NULL ? cudaErrorNotSupported : status;
}

/* All parts of an operand, a plane each, in boxes of 64 columns and `box_rows` rows of each plane;
 * zeros outside. */
static inline cudaError_t tensor_map(CUtensorMap &map, const tensor_operand &operand, int box_rows)
{
	static tensor_encoder encode;
	static const cudaError_t found = tensor_find_encoder(encode);
	const cuuint64_t sizes[] = {(cuuint64_t)operand.columns, (cuuint64_t)operand.rows,
								TENSOR_PARTS};
	const cuuint64_t pitch = (cuuint64_t)operand.ld * sizeof(__nv_bfloat16);
	const cuuint64_t pitches[] = {pitch, pitch * (cuuint64_t)operand.rows};
	const cuuint32_t box[] = {TENSOR_BOX, (cuuint32_t)box_rows, TENSOR_PARTS}, steps[] = {1, 1, 1};
	if (found != cudaSuccess)
		return found;
	CUresult made = encode(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 3, operand.parts, sizes, pitches,
						   box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
						   CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
	return made == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue;
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
template <class Tile>
static inline tensor_plan tensor_make_plan(const ffma_device &device, const ffma_product &p,
										   int split)
{
	constexpr bool WIDE = Tile::TILE_N == 128;
	constexpr float LAUNCHES = 6520.0f, BYTES_A_CLOCK = 2550.0f, BLOCK = WIDE ? 3710.0f : 1995.0f;
	constexpr float TILE = 5460.0f, LAST = 9300.0f, STORES = 10900.0f; // of 128x128
	constexpr float READS_C = 0.80f, UNALIGNED = 0.70f;                // more of them
	constexpr float SHARED = 10100.0f;
	int tiles = (p.M + Tile::TILE_M - 1) / Tile::TILE_M * ((p.N + Tile::TILE_N - 1) / Tile::TILE_N);
	tiles *= p.batch;
	int blocks = min(tiles, device.at_once[split]) * split;
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

/* For tests: TENSOR_TILE, 64 or 128, takes that tile for products of any size, and compiles no
 * other; TENSOR_SPLIT, 1 or 2, is its split. */
#ifndef TENSOR_TILE
#define TENSOR_TILE 0
#endif
#ifndef TENSOR_SPLIT
#define TENSOR_SPLIT 1
#endif
typedef tensor_tile<TENSOR_TILE == 64 ? 64 : 128> tensor_wide;
typedef tensor_tile<TENSOR_TILE == 128 ? 128 : 64> tensor_narrow;

/* What is left over is shared by two blocks, or not: more gain nothing. */
template <class Tile>
static inline tensor_plan tensor_best_plan(const ffma_device &device, const ffma_product &p)
{
	tensor_plan single = tensor_make_plan<Tile>(device, p, 1);
	tensor_plan shared = tensor_make_plan<Tile>(device, p, 2);
	if (TENSOR_TILE != 0)
		return TENSOR_SPLIT == 2 ? shared : single;
	return shared.clocks < single.clocks ? shared : single;
}

/* Who multiplies, by which plan, and where parts lie in the workspace: behind the number of the
 * latest call that was left to FMAs A's, then B's; every call overwrites what it reads of them.
 * Without `data` in A's operand they are there already, made by the caller's own kernels. */
struct tensor_choice {
	bool by_fmas, is_wide;
	ffma_choice fmas;
	tensor_plan plan;
	tensor_operand a, b;

	size_t elements(const tensor_operand &operand) const
	{
		return (size_t)operand.rows * operand.ld * TENSOR_PARTS;
	}
	size_t bytes(void) const
	{
		return by_fmas ? 0 : TENSOR_HEAD + (elements(a) + elements(b)) * sizeof(__nv_bfloat16);
	}
};

/* For a valid product that is not empty. */
static inline tensor_choice tensor_choose(const ffma_device &device, const ffma_product &p)
{
	tensor_choice choice = {true, true, ffma_choose(device, p)};
	/* wgmma came with Hopper and went with it; what is out of bf16's range is left to tiles of
	 * TENSOR_FMA_ROWS. */
	if (device.capability != 9 || !ffma_reaches(TENSOR_FMA_ROWS, p))
		return choice;
	tensor_plan wide = tensor_best_plan<tensor_wide>(device, p);
	tensor_plan narrow = tensor_best_plan<tensor_narrow>(device, p);
	choice.is_wide = wide.clocks <= narrow.clocks;
	choice.plan = choice.is_wide ? wide : narrow;
	choice.by_fmas = TENSOR_TILE == 0 && choice.plan.clocks >= choice.fmas.clocks;
	choice.a = {p.A, NULL, p.batch * p.M, p.K, (p.K + 63) / 64 * 64};
	choice.b = {p.B, NULL, p.batch * p.K, p.N, (p.N + 63) / 64 * 64};
	return choice;
}

template <class Tile>
static cudaError_t tensor_launch(const ffma_call &call, const ffma_product &p,
								 const tensor_choice &choice, const unsigned *flag, unsigned number,
								 const epilogue<float> &out)
{
	constexpr auto KERNEL = tensor_gemm<Tile>;
	CUtensorMap map_a, map_b;
	cudaError_t status = ffma_allow_shared<KERNEL>(call.device, Tile::SHARED_BYTES);
	if (status == cudaSuccess)
		status = tensor_map(map_a, choice.a, Tile::TILE_M);
	if (status == cudaSuccess)
		status = tensor_map(map_b, choice.b, Tile::TILE_K);
	if (status == cudaSuccess && choice.a.data != NULL)
		status = tensor_make_parts(choice.a, choice.b, flag, number, call.stream);
	if (status != cudaSuccess)
		return status;
	ffma_grid grid = {(p.M + Tile::TILE_M - 1) / Tile::TILE_M,
					  (p.N + Tile::TILE_N - 1) / Tile::TILE_N};
	cudaLaunchAttribute attributes[] = {ffma_follows(),
										hopper::cluster_attribute(choice.plan.split)};
	cudaLaunchConfig_t config = {};
	config.gridDim = dim3(choice.plan.blocks);
	config.blockDim = dim3(Tile::THREADS);
	config.dynamicSmemBytes = Tile::SHARED_BYTES;
	config.stream = call.stream;
	config.attrs = attributes;
	config.numAttrs = choice.plan.split > 1 ? 2 : 1;
	return cudaLaunchKernelEx(&config, KERNEL, map_a, map_b, p, grid, flag, number, out);
}

/* A tile of the tensor cores is a part behind those of ffma(). */
constexpr int TENSOR_WIDE_PART = FFMA_CONFIGURATIONS, TENSOR_NARROW_PART = FFMA_CONFIGURATIONS + 1;

typedef cudaError_t tensor_launcher(const ffma_call &call, const ffma_product &p,
									const tensor_choice &choice, const unsigned *flag,
									unsigned number, const epilogue<float> &out);

template <int PART> static tensor_launcher *tensor_launcher_of(void)
{
	if constexpr (part_is_here(PART))
		return tensor_launch<
			std::conditional_t<PART == TENSOR_WIDE_PART, tensor_wide, tensor_narrow>>;
	return NULL;
}

#ifdef SOLUTION_PART
static auto tensor_part_launcher(void)
{
	if constexpr (SOLUTION_PART >= TENSOR_WIDE_PART)
		return tensor_launcher_of<SOLUTION_PART>();
	else
		return ffma_part_launcher();
}
#endif

/* As chosen; by FMAs, if there is no workspace. */
static inline cudaError_t tensor_by(tensor_choice choice, const ffma_call &call,
									const ffma_product &p, const epilogue<float> &out,
									void *workspace)
{
	static std::atomic<unsigned> calls{0};
	if (choice.by_fmas || workspace == NULL)
		return ffma_by(choice.fmas, call, p, out);
	unsigned *flag = (unsigned *)workspace, number = ++calls;
	choice.a.parts = (__nv_bfloat16 *)((char *)workspace + TENSOR_HEAD);
	choice.b.parts = choice.a.parts + choice.elements(choice.a);
	tensor_launcher *launch =
		choice.is_wide ? part_linked(TENSOR_WIDE_PART, tensor_launcher_of<TENSOR_WIDE_PART>())
					   : part_linked(TENSOR_NARROW_PART, tensor_launcher_of<TENSOR_NARROW_PART>());
	return launch != NULL ? launch(call, p, choice, flag, number, out) : cudaErrorInvalidValue;
}

/* ffma_part_for(), for tensor() with a workspace. */
static inline int tensor_part_for(const ffma_product &p, const epilogue<float> &out)
{
	int tile = ffma_part_for(p, out);
	if (tile < 0)
		return tile;
	tensor_choice choice = tensor_choose(ffma_device_get(), p);
	return choice.by_fmas ? tile : choice.is_wide ? TENSOR_WIDE_PART : TENSOR_NARROW_PART;
}

/* The bytes with which the product is fastest; 0 where it is ffma()'s. */
static inline size_t tensor_workspace(const ffma_product &p, const epilogue<float> &out)
{
	const ffma_device &device = ffma_device_get();
	return ffma_no_product(device, p, out) ? 0 : tensor_choose(device, p).bytes();
}

/* No call was left to FMAs yet. */
static inline cudaError_t tensor_workspace_init(void *workspace, size_t bytes, cudaStream_t stream)
{
	return bytes > 0 ? cudaMemsetAsync(workspace, 0, sizeof(unsigned), stream) : cudaSuccess;
}

static inline cudaError_t tensor(const ffma_product &p, const epilogue<float> &out, void *workspace,
								 size_t bytes, cudaStream_t stream)
{
	const ffma_device &device = ffma_device_get();
	if (ffma_no_product(device, p, out))
		return ffma(p, out, stream);
	tensor_choice choice = tensor_choose(device, p);
	if (bytes > 0 && (bytes < choice.bytes() || (uintptr_t)workspace % 256 != 0 || !workspace))
		return cudaErrorInvalidValue;
	return tensor_by(choice, {device, stream}, p, out, bytes > 0 ? workspace : NULL);
}

#endif
