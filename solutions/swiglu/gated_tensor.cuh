/* Both products of a SwiGLU layer and their gate in one kernel on Hopper's tensor cores, in f32's
 * accuracy: sgemm/tensor.cuh's products of bf16 parts, which says why there are six of them, why a
 * k-block's sums are fresh ones, and what is left to FMAs.
 *
 * A block's tile is 128 rows by 64 columns of the hidden layer. The right operand of its products
 * is 128 columns wide: 64 of W_gate, and the 64 of W_up below the same columns of the hidden layer.
 * A box of 64 columns is what TMA brings anyway, so that only the second box's map differs from a
 * plain product's. In a wgmma's sums columns c and c + 64 of a row are 32 registers apart in one
 * thread, so the gate needs no exchange. */
#ifndef GEMMJUDGE_SWIGLU_GATED_TENSOR_CUH
#define GEMMJUDGE_SWIGLU_GATED_TENSOR_CUH

#include "../sgemm/tensor.cuh"
#include "gated_product.cuh"

typedef tensor_tile<128> gated_tile;
constexpr int GATED_COLUMNS = gated_tile::TILE_N / 2; // of the hidden layer
static_assert(GATED_COLUMNS == TENSOR_BOX, "a box is a tile's columns of one weight");

/* The operands' maps: parts of x, W_gate and W_up. */
struct gated_maps {
	CUtensorMap x, gate, up;
};

/* A warp's 16 rows of a tile. A lane has two neighbours in rows lane / 4 and 8 further down, of
 * every 8 columns; four lanes fill a sector. */
static __device__ __forceinline__ void gated_store(const float (&sum)[gated_tile::TILE_N / 2],
												   const gated_product &p, int row, int column)
{
	constexpr int UP = gated_tile::TILE_N / 4;
	int lane = threadIdx.x % 32;
	bool pairs = p.d_ffn % 2 == 0;
	row += (int)threadIdx.x / 32 * 16 + lane / 4;
	column += lane % 4 * 2;
#pragma unroll
	for (int i = 0; i < UP; i += 2) {
		int r = row + i / 2 % 2 * 8, c = column + i / 4 * 8;
		float2 y = {gated(sum[i], sum[UP + i]), gated(sum[i + 1], sum[UP + i + 1])};
		float *to = p.hidden + (size_t)r * p.d_ffn + c;
		if (r >= p.M || c >= p.d_ffn)
			continue;
		if (pairs) {
			*(float2 *)to = y;
		} else {
			to[0] = y.x;
			if (c + 1 < p.d_ffn)
				to[1] = y.y;
		}
	}
}

/* Persistent blocks, a producer warp and two consumer warpgroups, as tensor_gemm() has them. Leaves
 * everything to gated_by_fmas() if the flag has this call's number. */
static __global__ void __launch_bounds__(gated_tile::THREADS, 1)
	gated_by_tensor_cores(const __grid_constant__ gated_maps maps, const gated_product p,
						  const ffma_grid grid)
{
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
	typedef gated_tile Tile;
	constexpr int STAGES = Tile::STAGES;
	extern __shared__ char raw[];
	uint32_t base = (hopper::shared_address(raw) + 1023) & ~1023u;
	uint32_t full = base + STAGES * Tile::STAGE_BYTES, empty = full + 8 * STAGES;
	int warpgroup = threadIdx.x / 128;
	if (threadIdx.x == 0) {
		for (int i = 0; i < STAGES; i++) {
			hopper::mbarrier_init(full + 8 * i, 1);
			hopper::mbarrier_init(empty + 8 * i, Tile::CONSUMERS);
		}
		hopper::mbarriers_ready();
	}
	ffma_wait_for_kernel_before(); // whose parts are read
	if (*p.flag == p.call)
		return;
	__syncthreads();
	const ffma_product both = p.as_one();
	int step = 0; // of all k-blocks of all tiles
	tensor_work work;
	if (warpgroup == Tile::CONSUMERS) {
		hopper::registers_give<24>();
		if (threadIdx.x / 32 != Tile::CONSUMERS * 4)
			return;
		for (int round = 0; tensor_find<Tile>(both, grid, round, work); round++)
			for (int k = 0; k < work.end; k++, step++) {
				uint32_t stage = base + step % STAGES * Tile::STAGE_BYTES,
						 barrier = full + 8 * (step % STAGES);
				hopper::mbarrier_wait(empty + 8 * (step % STAGES), step / STAGES % 2 ^ 1);
				if (!hopper::elected())
					continue;
				hopper::mbarrier_expect(barrier, Tile::STAGE_BYTES);
				hopper::tma_load_3d(stage, &maps.x, barrier, k * Tile::TILE_K, work.row, 0);
				hopper::tma_load_3d(stage + Tile::A_BYTES, &maps.gate, barrier, work.column / 2,
									k * Tile::TILE_K, 0);
				hopper::tma_load_3d(stage + Tile::A_BYTES + Tile::B_BOX, &maps.up, barrier,
									work.column / 2, k * Tile::TILE_K, 0);
			}
		return;
	}
	hopper::registers_take<240>();
	for (int round = 0; tensor_find<Tile>(both, grid, round, work); round++) {
		float sum[Tile::TILE_N / 2] = {}, part[Tile::TILE_N / 2];
#pragma unroll 1
		for (int k = 0; k < work.end; k++, step++) {
			hopper::mbarrier_wait(full + 8 * (step % STAGES), step / STAGES % 2);
			tensor_multiply<Tile>(part, base + step % STAGES * Tile::STAGE_BYTES, warpgroup, [] {});
			if (threadIdx.x % 128 == 0)
				hopper::mbarrier_arrive(empty + 8 * (step % STAGES));
#pragma unroll
			for (int j = 0; j < Tile::TILE_N / 2; j++)
				sum[j] += part[j];
		}
		gated_store(sum, p, work.row, work.column / 2);
	}
#else
	__trap(); // compiled for another GPU than this one
#endif
}

/* Where the parts of x and of both weights lie. */
struct gated_operands {
	tensor_operand x, gate, up;

	explicit gated_operands(const gated_product &p)
		: x{p.x, NULL, p.M, p.d_model, (p.d_model + 63) / 64 * 64}, gate{p.W_gate, NULL, p.d_model,
																		 p.d_ffn,
																		 (p.d_ffn + 63) / 64 * 64},
		  up(gate)
	{
		up.data = p.W_up;
	}
	static size_t elements(const tensor_operand &operand)
	{
		return (size_t)operand.rows * operand.ld * TENSOR_PARTS;
	}
	size_t bytes(void) const
	{
		return (elements(x) + 2 * elements(gate)) * sizeof(__nv_bfloat16);
	}
};

/* Whether the tensor cores are worth the splitting, by the models of both kernels' products: to
 * them this is one of 2 d_ffn columns. */
static inline bool gated_worth_parts(const ffma_device &device, const gated_product &p)
{
	const ffma_product both = p.as_one();
	if (device.capability != 9)
		return false;
	return TENSOR_TILE != 0 ||
		   tensor_make_plan<gated_tile>(device, both, 1).clocks < ffma_choose(device, both).clocks;
}

/* `parts`: memory of as many bytes as the operands take, aligned to 256. */
static inline cudaError_t gated_start_tensor(const ffma_call &call, const gated_product &p,
											 gated_operands operands, void *parts)
{
	constexpr auto KERNEL = gated_by_tensor_cores;
	constexpr int BYTES = gated_tile::STAGES * (gated_tile::STAGE_BYTES + 16) + 1024;
	operands.x.parts = (__nv_bfloat16 *)parts;
	operands.gate.parts = operands.x.parts + operands.elements(operands.x);
	operands.up.parts = operands.gate.parts + operands.elements(operands.gate);
	tensor_operand none = {};
	gated_maps maps;
	cudaError_t status = ffma_allow_shared<KERNEL>(call.device, BYTES);
	auto go_on = [&](const auto &next) {
		if (status == cudaSuccess)
			status = next();
	};
	go_on([&] { return tensor_map(maps.x, operands.x, gated_tile::TILE_M); });
	go_on([&] { return tensor_map(maps.gate, operands.gate, gated_tile::TILE_K); });
	go_on([&] { return tensor_map(maps.up, operands.up, gated_tile::TILE_K); });
	go_on([&] { return tensor_make_parts(operands.up, none, p.flag, p.call, call.stream); });
	go_on(
		[&] { return tensor_make_parts(operands.x, operands.gate, p.flag, p.call, call.stream); });
	if (status != cudaSuccess)
		return status;
	ffma_grid grid = {(p.M + gated_tile::TILE_M - 1) / gated_tile::TILE_M,
					  (p.d_ffn + GATED_COLUMNS - 1) / GATED_COLUMNS};
	cudaLaunchAttribute follows = ffma_follows();
	cudaLaunchConfig_t config = {};
	config.gridDim = dim3(min(grid.tiles_m * grid.tiles_n, call.device.multiprocessors));
	config.blockDim = dim3(gated_tile::THREADS);
	config.dynamicSmemBytes = BYTES;
	config.stream = call.stream;
	config.attrs = &follows;
	config.numAttrs = 1;
	return cudaLaunchKernelEx(&config, KERNEL, maps, p, grid);
}

#endif
