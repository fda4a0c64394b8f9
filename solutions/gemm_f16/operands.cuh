/* What steps 14 to 21 need on the host: operands as TMA can address them, and tensor maps.
 *
 * TMA wants rows that begin at multiples of 16 bytes. An operand whose rows do not is copied into
 * padded rows first, by a kernel of its own: that costs its bytes twice and a launch, about 2 us
 * and 0.5 us a megabyte on an H200. (hopper.cu copies within its kernel.) */
#ifndef GEMM_F16_OPERANDS_CUH
#define GEMM_F16_OPERANDS_CUH

#include <cuda.h>
#include <cuda_fp16.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static inline void check(bool good, const char *what)
{
	if (!good) {
		fprintf(stderr, "gemm_f16: %s failed: %s\n", what, cudaGetErrorString(cudaGetLastError()));
		abort();
	}
}

/* A row-major matrix with `ld` elements from row to row. */
struct operand {
	const half *data;
	int rows, columns, ld;
};

constexpr int PAD_VECTOR = 8; // elements of 16 bytes

/* A thread makes 8 elements of a padded row. Rows are along the grid's x, which has room for 2^31 -
 * 1 blocks, where y has room for 65535. What lies behind the row's end is never read. */
static __global__ void pad_rows(operand from, half *to, int ld)
{
	int column = (blockIdx.y * blockDim.x + threadIdx.x) * PAD_VECTOR;
	int row = blockIdx.x * blockDim.y + threadIdx.y;
	if (row >= from.rows || column >= from.columns)
		return;
	alignas(16) half x[PAD_VECTOR] = {};
#pragma unroll
	for (int i = 0; i < PAD_VECTOR; i++)
		if (column + i < from.columns)
			x[i] = from.data[(size_t)row * from.ld + column + i];
	*(uint4 *)(to + (size_t)row * ld + column) = *(const uint4 *)x;
}

/* Workspace number 0 or 1, of at least so many bytes. */
static half *workspace(int number, size_t bytes)
{
	static half *memory[2];
	static size_t has[2];
	if (bytes > has[number]) {
		check(cudaFree(memory[number]) == cudaSuccess &&
				  cudaMalloc(&memory[number], bytes) == cudaSuccess,
			  "cudaMalloc");
		has[number] = bytes;
	}
	return memory[number];
}

/* The matrix itself, or its padded copy in workspace `number`. */
static operand addressable(operand matrix, int number)
{
	if ((uintptr_t)matrix.data % 16 == 0 && matrix.ld % PAD_VECTOR == 0)
		return matrix;
	int ld = (matrix.columns + 63) / 64 * 64;
	half *to = workspace(number, (size_t)matrix.rows * ld * sizeof(half));
	dim3 block(32, 8);
	dim3 grid((matrix.rows + 7) / 8, (matrix.columns + 32 * PAD_VECTOR - 1) / (32 * PAD_VECTOR));
	pad_rows<<<grid, block>>>(matrix, to, ld);
	check(cudaPeekAtLastError() == cudaSuccess, "pad_rows");
	return {to, matrix.rows, matrix.columns, ld};
}

/* A tensor map of boxes of 64 columns, which is one row of the 128-byte swizzle; outside of the
 * matrix TMA reads zeros, and writes nothing. */
static CUtensorMap map_of(const operand &matrix, int box_rows)
{
	static decltype(&cuTensorMapEncodeTiled) encode = [] {
		void *found = NULL;
		cudaDriverEntryPointQueryResult result;
		check(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000,
											   cudaEnableDefault, &result) == cudaSuccess &&
				  result == cudaDriverEntryPointSuccess,
			  "cuTensorMapEncodeTiled");
		return (decltype(&cuTensorMapEncodeTiled))found;
	}();
	CUtensorMap map;
	cuuint64_t sizes[2] = {(cuuint64_t)matrix.columns, (cuuint64_t)matrix.rows};
	cuuint64_t pitches[1] = {(cuuint64_t)matrix.ld * sizeof(half)};
	cuuint32_t box[2] = {64, (cuuint32_t)box_rows}, steps[2] = {1, 1};
	check(encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, (void *)matrix.data, sizes, pitches, box,
				 steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
				 CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
				 CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS,
		  "cuTensorMapEncodeTiled");
	return map;
}

#endif
