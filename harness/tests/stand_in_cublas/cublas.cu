/* libcublas.so.13, as far as the baselines need it: README.md. */
#include <cublas_v2.h>

#include "product.cuh"

struct cublasContext {
	cublasMath_t mode;
};

cublasStatus_t cublasCreate_v2(cublasHandle_t *handle)
{
	*handle = new cublasContext{CUBLAS_DEFAULT_MATH};
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode)
{
	handle->mode = mode;
	return CUBLAS_STATUS_SUCCESS;
}

const char *cublasGetStatusString(cublasStatus_t status)
{
	return status == CUBLAS_STATUS_SUCCESS ? "success" : "refused by the stand-in for cuBLAS";
}

cublasStatus_t cublasGetProperty(libraryPropertyType type, int *value)
{
	*value = type == MAJOR_VERSION   ? STAND_IN_MAJOR
			 : type == MINOR_VERSION ? STAND_IN_MINOR
									 : STAND_IN_PATCH;
	return CUBLAS_STATUS_SUCCESS;
}

/* In the default mode partial sums are rounded, in a version that does. */
static void split(cublasHandle_t handle, stand_in_product *p)
{
	bool accurate = (handle->mode & CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION) != 0;
	p->split = stand_in_splits(*p) ? 4 : 1;
	p->reduction = p->split == 1                 ? CUBLASLT_REDUCTION_SCHEME_NONE
				   : accurate || STAND_IN_IS_NEW ? CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE
												 : CUBLASLT_REDUCTION_SCHEME_INPLACE;
}

cublasStatus_t cublasGemmStridedBatchedEx(
	cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k,
	const void *alpha, const void *A, cudaDataType_t a, int lda, long long stride_a, const void *B,
	cudaDataType_t b, int ldb, long long stride_b, const void *beta, void *C, cudaDataType_t c,
	int ldc, long long stride_c, int batch, cublasComputeType_t compute, cublasGemmAlgo_t)
{
	bool integers = compute == CUBLAS_COMPUTE_32I;
	if (integers && k == 16) /* as NVIDIA's does at some shapes */
		return CUBLAS_STATUS_NOT_SUPPORTED;
	stand_in_product p = {m,
						  n,
						  k,
						  batch,
						  {A, a, lda, stride_a, op_a != CUBLAS_OP_N},
						  {B, b, ldb, stride_b, op_b != CUBLAS_OP_N},
						  {C, c, ldc, stride_c, false},
						  integers,
						  integers ? 0.0f : *(const float *)alpha,
						  integers ? 0.0f : *(const float *)beta,
						  integers ? *(const int32_t *)alpha : 0,
						  integers ? *(const int32_t *)beta : 0,
						  1,
						  0};
	split(handle, &p);
	return stand_in_start(p, 0);
}

cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b,
							int m, int n, int k, const void *alpha, const void *A, cudaDataType_t a,
							int lda, const void *B, cudaDataType_t b, int ldb, const void *beta,
							void *C, cudaDataType_t c, int ldc, cublasComputeType_t compute,
							cublasGemmAlgo_t algorithm)
{
	return cublasGemmStridedBatchedEx(handle, op_a, op_b, m, n, k, alpha, A, a, lda, 0, B, b, ldb,
									  0, beta, C, c, ldc, 0, 1, compute, algorithm);
}

/* y = alpha * op(A) * x + beta * y; A is m x n. */
cublasStatus_t cublasSgemv_v2(cublasHandle_t handle, cublasOperation_t op, int m, int n,
							  const float *alpha, const float *A, int lda, const float *x,
							  int x_step, const float *beta, float *y, int y_step)
{
	int rows = op == CUBLAS_OP_N ? m : n, sums = op == CUBLAS_OP_N ? n : m;
	if (x_step != 1 || y_step != 1)
		return CUBLAS_STATUS_NOT_SUPPORTED;
	return cublasGemmEx(handle, op, CUBLAS_OP_N, rows, 1, sums, alpha, A, CUDA_R_32F, lda, x,
						CUDA_R_32F, sums, beta, y, CUDA_R_32F, rows, CUBLAS_COMPUTE_32F,
						CUBLAS_GEMM_DEFAULT);
}
