/* The product of both stand-ins: any of the types, any split along K, each scheme of adding partial
 * sums. An element a thread; matrices are column-major, as the libraries' are. */
#ifndef STAND_IN_PRODUCT_CUH
#define STAND_IN_PRODUCT_CUH

#include <cublasLt.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <stdint.h>

#ifndef STAND_IN_IS_NEW
#define STAND_IN_IS_NEW 0
#endif
constexpr int STAND_IN_MAJOR = 13, STAND_IN_MINOR = STAND_IN_IS_NEW ? 9 : 0, STAND_IN_PATCH = 0;

struct stand_in_matrix {
	const void *at;
	cudaDataType_t type;
	int64_t ld, stride; // elements between columns, and between matrices of a batch
	bool transposed;
};

struct stand_in_product {
	int m, n, k, batch;
	stand_in_matrix a, b, c; // c is read and written
	bool integers;           // sums, alpha and beta are int32_t
	float alpha, beta;
	int32_t whole_alpha, whole_beta;
	int split, reduction; // cublasLtReductionScheme_t
};

static __device__ float stand_in_load(const void *at, cudaDataType_t type, int64_t i)
{
	switch (type) {
	case CUDA_R_16F: return __half2float(((const half *)at)[i]);
	case CUDA_R_16BF: return __bfloat162float(((const __nv_bfloat16 *)at)[i]);
	case CUDA_R_8F_E4M3: return (float)((const __nv_fp8_e4m3 *)at)[i];
	default: return ((const float *)at)[i];
	}
}

static __device__ float stand_in_rounded(float x, cudaDataType_t type)
{
	switch (type) {
	case CUDA_R_16F: return __half2float(__float2half_rn(x));
	case CUDA_R_16BF: return __bfloat162float(__float2bfloat16_rn(x));
	default: return x;
	}
}

static __device__ void stand_in_store(void *at, cudaDataType_t type, int64_t i, float x)
{
	switch (type) {
	case CUDA_R_16F: ((half *)at)[i] = __float2half_rn(x); break;
	case CUDA_R_16BF: ((__nv_bfloat16 *)at)[i] = __float2bfloat16_rn(x); break;
	default: ((float *)at)[i] = x;
	}
}

/* The place of element (row, column) of op(matrix). */
static __device__ int64_t stand_in_place(const stand_in_matrix &matrix, int64_t row, int64_t column,
										 int64_t batch)
{
	return batch * matrix.stride +
		   (matrix.transposed ? column + row * matrix.ld : row + column * matrix.ld);
}

static __device__ float stand_in_sum(const stand_in_product &p, int row, int column, int batch)
{
	float sum = 0.0f;
	const int part = (p.k + p.split - 1) / p.split;
	for (int begin = 0; begin < p.k; begin += part) {
		float partial = 0.0f;
		for (int i = begin; i < min(begin + part, p.k); i++)
			partial += stand_in_load(p.a.at, p.a.type, stand_in_place(p.a, row, i, batch)) *
					   stand_in_load(p.b.at, p.b.type, stand_in_place(p.b, i, column, batch));
		if (p.reduction == CUBLASLT_REDUCTION_SCHEME_OUTPUT_TYPE)
			partial = stand_in_rounded(partial, p.c.type);
		sum += partial;
		if (p.reduction == CUBLASLT_REDUCTION_SCHEME_INPLACE)
			sum = stand_in_rounded(sum, p.c.type);
	}
	return sum;
}

static __global__ void stand_in_gemm(stand_in_product p)
{
	int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y, batch = blockIdx.z;
	if (row >= p.m)
		return;
	int64_t at = stand_in_place(p.c, row, column, batch);
	void *c = (void *)p.c.at;
	if (p.integers) {
		int32_t sum = 0;
		for (int i = 0; i < p.k; i++)
			sum += ((const int8_t *)p.a.at)[stand_in_place(p.a, row, i, batch)] *
				   ((const int8_t *)p.b.at)[stand_in_place(p.b, i, column, batch)];
		int32_t before = p.whole_beta != 0 ? p.whole_beta * ((int32_t *)c)[at] : 0;
		((int32_t *)c)[at] = p.whole_alpha * sum + before;
		return;
	}
	float product = p.alpha * stand_in_sum(p, row, column, batch);
	float before = p.beta != 0.0f ? stand_in_load(c, p.c.type, at) : 0.0f;
	if (p.beta == 1.0f)
		product = stand_in_rounded(product, p.c.type);
	stand_in_store(c, p.c.type, at, product + p.beta * before);
}

static cublasStatus_t stand_in_start(const stand_in_product &p, cudaStream_t stream)
{
	dim3 grid((p.m + 63) / 64, p.n, p.batch);
	stand_in_gemm<<<grid, 64, 0, stream>>>(p);
	return cudaPeekAtLastError() == cudaSuccess ? CUBLAS_STATUS_SUCCESS
												: CUBLAS_STATUS_EXECUTION_FAILED;
}

static bool stand_in_splits(const stand_in_product &p)
{
	bool is_16_bit = p.c.type == CUDA_R_16F || p.c.type == CUDA_R_16BF;
	return is_16_bit && (p.m % 8 != 0 || p.n % 8 != 0 || p.k % 8 != 0);
}

#endif
