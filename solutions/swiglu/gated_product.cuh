/* The hidden layer of SwiGLU, silu(x W_gate) * (x W_up), by FMAs; and what it has in common with
 * gated_tensor.cuh. */
#ifndef GEMMJUDGE_SWIGLU_GATED_PRODUCT_CUH
#define GEMMJUDGE_SWIGLU_GATED_PRODUCT_CUH

#include "../sgemm/ffma.cuh"
#include "silu.cuh"

/* hidden = silu(x W_gate) * (x W_up); x is M x d_model, the weights are d_model x d_ffn, dense and
 * row-major. `hidden` is aligned to 16 bytes. */
struct gated_product {
	const float *x, *W_gate, *W_up;
	float *hidden;
	int M, d_model, d_ffn;
	/* Where tensor_split() says that an operand has an element which is out of bf16's range, by the
	 * number of this call. */
	const unsigned *flag;
	unsigned call;

	/* A plain product with as much work and as large operands. */
	__host__ __device__ ffma_product as_one(void) const
	{
		return {x, W_gate, 1, M, 2 * d_ffn, d_model};
	}
};

static __device__ __forceinline__ float gated(float gate, float up)
{
	return stage_silu<float>{}(gate)*up;
}

/* A tile of the hidden layer for each block, one product after the other, so that both tiles of
 * sums are in registers at the end. With a flag: only if it has this call's number. */
template <class Shape, int VECTOR_B>
static __global__ void __launch_bounds__(Shape::THREADS, Shape::BLOCKS)
	gated_by_fmas(const gated_product p, const ffma_grid grid)
{
	if (p.flag != NULL && *p.flag != p.call)
		return;
	__shared__ typename Shape::tiles tiles;
	typename Shape::sums gate = {}, up = {};
	int m, n;
	grid.find(blockIdx.x, m, n);
	int row0 = m * Shape::BLOCK_M, column0 = n * Shape::BLOCK_N;
	auto multiply = [&](typename Shape::sums &sum, const float *weight) {
		Shape::template run<VECTOR_B>(tiles, sum, p.x, p.d_model, weight, p.d_ffn, p.M, p.d_ffn,
									  p.d_model, row0, column0);
	};
	multiply(gate, p.W_gate);
	__syncthreads(); // everybody has read the last fragments
	multiply(up, p.W_up);
#pragma unroll
	for (int m = 0; m < Shape::COUNT_M; m++)
#pragma unroll
		for (int i = 0; i < Shape::V; i++)
#pragma unroll
			for (int n = 0; n < Shape::COUNT_N; n++)
#pragma unroll
				for (int j = 0; j < Shape::V; j++)
					gate.at[m][i][n][j] = gated(gate.at[m][i][n][j], up.at[m][i][n][j]);
	Shape::each(gate, row0, column0, [&](int row, int column, const float(&x)[Shape::V]) {
		float *to = p.hidden + (size_t)row * p.d_ffn + column;
		if (row >= p.M)
			return;
		if constexpr (VECTOR_B == 4) { // rows are whole vectors, and all of them aligned
			if (column < p.d_ffn)
				*(float4 *)to = make_float4(x[0], x[1], x[2], x[3]);
		} else {
#pragma unroll
			for (int j = 0; j < Shape::V; j++)
				if (column + j < p.d_ffn)
					to[j] = x[j];
		}
	});
}

/* Two of ffma.cuh's tiles, of which fewer blocks share a multiprocessor, as a thread has two sums
 * for each element: one for most shapes, and one of 16 rows, for as few. */
typedef ffma_shape<64, 64, 32, 32, 5, 8, 8, 3> gated_square;
typedef ffma_shape<16, 64, 8, 64, 4, 2, 16, 4> gated_thin;

template <class Shape>
static cudaError_t gated_launch_fmas(const ffma_call &call, const gated_product &p)
{
	ffma_grid grid;
	cudaLaunchConfig_t config =
		ffma_config<Shape>(call, {p.x, p.W_gate, 1, p.M, p.d_ffn, p.d_model}, 1, grid);
	bool vector = load_vector(p.W_gate, p.d_ffn) && load_vector(p.W_up, p.d_ffn);
	return vector ? cudaLaunchKernelEx(&config, gated_by_fmas<Shape, 4>, p, grid)
				  : cudaLaunchKernelEx(&config, gated_by_fmas<Shape, 1>, p, grid);
}

static inline cudaError_t gated_start_fmas(const ffma_call &call, const gated_product &p)
{
	return p.M <= gated_thin::BLOCK_M ? gated_launch_fmas<gated_thin>(call, p)
									  : gated_launch_fmas<gated_square>(call, p);
}

#endif
