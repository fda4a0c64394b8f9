/* The bf16 parts (sgemm/tensor.cuh) of LoRA's two operands as one product has them:
 *
 *     output = [x | lora_scale * hidden] [W | B]^T
 *
 * with k from 0 to d_in + rank. The left one has rows as tensor.cuh's operand A; the right one is
 * transposed on its way, as operand B has k down its rows: splitting is a pass over W anyway, and
 * to write what was read in another order costs a trip through shared memory. */
#ifndef GEMMJUDGE_LORA_LONG_PARTS_CUH
#define GEMMJUDGE_LORA_LONG_PARTS_CUH

#include "../sgemm/tensor.cuh"

constexpr int LONG_TILE = 64, LONG_THREADS = 256; // of the transposition

/* What an operand's parts are made of, and where the kernels say that it is out of bf16's range. */
struct long_source {
	const float *W, *B;
	int d_in, d_out, rank;
	unsigned *flag;
	unsigned call;
};

/* Blocks: tiles of W along k, then those of B; and their rows. */
static __global__ void __launch_bounds__(LONG_THREADS)
	long_split_right(const long_source from, const tensor_operand to)
{
	constexpr int LD = LONG_TILE + 1; // neighbours of a column lie in different banks
	__shared__ float tile[LONG_TILE * LD];
	int tiles_w = (from.d_in + LONG_TILE - 1) / LONG_TILE, index = blockIdx.x;
	bool of_w = index < tiles_w;
	const float *data = of_w ? from.W : from.B;
	int length = of_w ? from.d_in : from.rank;
	int k0 = (of_w ? index : index - tiles_w) * LONG_TILE, row0 = blockIdx.y * LONG_TILE;
#pragma unroll
	for (int i = 0; i < LONG_TILE * LONG_TILE / LONG_THREADS; i++) {
		int e = (int)threadIdx.x + i * LONG_THREADS, row = e / LONG_TILE, k = e % LONG_TILE;
		bool inside = row0 + row < from.d_out && k0 + k < length;
		tile[row * LD + k] = inside ? data[(size_t)(row0 + row) * length + k0 + k] : 0.0f;
	}
	__syncthreads();
	constexpr int VECTORS = LONG_TILE / PARTS_VECTOR; // of a row of the parts
	bool outside = false;
#pragma unroll
	for (int i = 0; i < LONG_TILE * VECTORS / LONG_THREADS; i++) {
		int e = (int)threadIdx.x + i * LONG_THREADS, k = e / VECTORS,
			row = e % VECTORS * PARTS_VECTOR;
		float x[PARTS_VECTOR];
#pragma unroll
		for (int j = 0; j < PARTS_VECTOR; j++)
			x[j] = tile[(row + j) * LD + k];
		if (k0 + k <
			length) // beyond the last row of W are zeros, for which a row of parts has room
			outside |= tensor_store_parts(to, (of_w ? 0 : from.d_in) + k0 + k, row0 + row, x);
	}
	if (outside)
		*from.flag = from.call;
}

/* x A^T as rows_multiply() leaves it, in planes to be added up; and where the sums go, for FMAs. */
struct long_hidden {
	const float *planes;
	float *sums;
	int splits;
	float lora_scale;
};

/* A thread an element: the hidden layer, as it is and, scaled, as parts behind those of x. */
static __global__ void __launch_bounds__(LONG_THREADS)
	long_split_hidden(const long_hidden hidden, const long_source from, const tensor_operand to)
{
	size_t count = (size_t)to.rows * from.rank;
	size_t i = (size_t)blockIdx.x * LONG_THREADS + threadIdx.x;
	if (i >= count)
		return;
	float x = 0.0f;
#pragma unroll 8 // so many loads are in flight
	for (int plane = 0; plane < hidden.splits; plane++)
		x += hidden.planes[plane * count + i];
	hidden.sums[i] = x;
	x *= hidden.lora_scale;
	if (tensor_out_of_range(x))
		*from.flag = from.call;
	size_t at = i / from.rank * to.ld + from.d_in + i % from.rank;
#pragma unroll
	for (int part = 0; part < TENSOR_PARTS; part++) {
		__nv_bfloat16 y = __float2bfloat16_rn(x);
		x -= __bfloat162float(y); // exact
		to.parts[(size_t)part * to.rows * to.ld + at] = y;
	}
}

/* Of the operands with room for their parts: x and W are read, and what hidden's planes have. */
static inline cudaError_t long_make_parts(const ffma_call &call, const long_hidden &hidden,
										  const long_source &from, const tensor_operand &left,
										  const tensor_operand &right)
{
	auto tiles = [](int size) { return (unsigned)(size + LONG_TILE - 1) / LONG_TILE; };
	/* The last vector of a row of x may reach into the hidden layer's columns, which come later. */
	const tensor_operand none = {}, x = {left.data, left.parts, left.rows, from.d_in, left.ld};
	cudaError_t status = tensor_make_parts(x, none, from.flag, from.call, call.stream);
	cudaLaunchConfig_t config = {};
	config.blockDim = dim3(LONG_THREADS);
	config.stream = call.stream;
	config.gridDim = dim3(tiles(from.d_in) + tiles(from.rank), tiles(from.d_out));
	if (status == cudaSuccess)
		status = cudaLaunchKernelEx(&config, long_split_right, from, right);
	size_t count = (size_t)left.rows * from.rank;
	config.gridDim = dim3((unsigned)((count + LONG_THREADS - 1) / LONG_THREADS));
	return status != cudaSuccess
			   ? status
			   : cudaLaunchKernelEx(&config, long_split_hidden, hidden, from, left);
}

#endif
