/* The bf16 parts of f32 matrices, for tensor.cuh, which says why there are three.
 *
 * Splitting is a pass of its own: it reads 4 bytes and writes 6 of each element once, where a
 * producer would do the work again for each tile; and it makes every operand one that TMA can
 * address. */
#ifndef GEMMJUDGE_SGEMM_TENSOR_PARTS_CUH
#define GEMMJUDGE_SGEMM_TENSOR_PARTS_CUH

#include <cuda_bf16.h>

#include "ffma_product.cuh"

constexpr int TENSOR_PARTS = 3;
constexpr int PARTS_VECTOR = 8, PARTS_THREADS = 256;

/* A row-major f32 matrix, and where its parts go: planes of rows of `ld` elements. */
struct tensor_operand {
	const float *data;
	__nv_bfloat16 *parts;
	int rows, columns, ld;

	__host__ __device__ unsigned vectors_in_row(void) const
	{
		return (unsigned)(columns + PARTS_VECTOR - 1) / PARTS_VECTOR;
	}
	__host__ __device__ unsigned vectors(void) const
	{
		return (unsigned)rows * vectors_in_row();
	}
};

static __device__ __forceinline__ bool tensor_out_of_range(float x)
{
	return !(fabsf(x) < 0x1p127f) || (x != 0.0f && fabsf(x) < 0x1p-100f);
}

/* 8 neighbours of a row, zeros beyond its end. Rows that are not aligned are read 16 bytes at a
 * time, too: the 12 floats around them, which are then moved by 0 to 3 places. What is read of the
 * next row so is dropped. */
static __device__ __forceinline__ void tensor_read(const tensor_operand &from, unsigned row,
												   int column, float (&x)[PARTS_VECTOR])
{
	constexpr int AROUND = PARTS_VECTOR + 4;
	size_t first = (size_t)row * from.columns + column, all = (size_t)from.rows * from.columns;
	unsigned shift = (unsigned)((uintptr_t)(from.data + first) / sizeof(float) % 4);
	if (first < shift || first - shift + AROUND > all) { // the matrix begins or ends in between
#pragma unroll
		for (int i = 0; i < PARTS_VECTOR; i++)
			x[i] = column + i < from.columns ? from.data[first + i] : 0.0f;
		return;
	}
	const float4 *whole = (const float4 *)(from.data + first - shift);
	alignas(16) float y[AROUND];
#pragma unroll
	for (int i = 0; i < AROUND / 4; i++)
		if (i < AROUND / 4 - 1 || shift > 0)
			*(float4 *)&y[4 * i] = whole[i];
#pragma unroll
	for (int i = 0; i < PARTS_VECTOR + 1; i++)
		y[i] = shift & 2 ? y[i + 2] : y[i];
#pragma unroll
	for (int i = 0; i < PARTS_VECTOR; i++)
		x[i] = column + i < from.columns ? (shift & 1 ? y[i + 1] : y[i]) : 0.0f;
}

/* Stores the parts of 8 neighbours of a row, of which x is what is left over then. Returns whether
 * one of them is out of range. */
static __device__ __forceinline__ bool tensor_store_parts(const tensor_operand &to, unsigned row,
														  int column, float (&x)[PARTS_VECTOR])
{
	bool outside = false;
#pragma unroll
	for (int i = 0; i < PARTS_VECTOR; i++)
		outside = outside || tensor_out_of_range(x[i]);
#pragma unroll
	for (int part = 0; part < TENSOR_PARTS; part++) {
		alignas(16) __nv_bfloat16 y[PARTS_VECTOR];
#pragma unroll
		for (int i = 0; i < PARTS_VECTOR; i++) {
			y[i] = __float2bfloat16_rn(x[i]);
			x[i] -= __bfloat162float(y[i]); // exact
		}
		size_t at = ((size_t)part * to.rows + row) * to.ld + column;
		*(uint4 *)(to.parts + at) = *(const uint4 *)y;
	}
	return outside;
}

/* A thread splits 8 neighbours of a row of `a`, or of `b`. An element out of range sets the flag to
 * this call's number. */
static __global__ void __launch_bounds__(PARTS_THREADS)
	tensor_split(const tensor_operand a, const tensor_operand b, unsigned *flag, unsigned call)
{
	ffma_let_next_kernel_start();
	unsigned vector = blockIdx.x * PARTS_THREADS + threadIdx.x;
	bool of_a = vector < a.vectors();
	const tensor_operand from = of_a ? a : b;
	vector -= of_a ? 0 : a.vectors();
	if (vector >= from.vectors())
		return;
	unsigned row = vector / from.vectors_in_row();
	int column = (int)(vector - row * from.vectors_in_row()) * PARTS_VECTOR;
	float x[PARTS_VECTOR];
	tensor_read(from, row, column, x);
	bool outside = tensor_store_parts(from, row, column, x);
	if (outside)
		*flag = call;
}

static inline cudaError_t tensor_make_parts(const tensor_operand &a, const tensor_operand &b,
											const unsigned *flag, unsigned call,
											cudaStream_t stream)
{
	cudaLaunchConfig_t config = {};
	config.gridDim = dim3((a.vectors() + b.vectors() + PARTS_THREADS - 1) / PARTS_THREADS);
	config.blockDim = dim3(PARTS_THREADS);
	config.stream = stream;
	return cudaLaunchKernelEx(&config, tensor_split, a, b, (unsigned *)flag, call);
}

#endif
