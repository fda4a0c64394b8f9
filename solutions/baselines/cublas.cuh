/* cublasGemmEx with f32 accumulation and nothing tuned: what a program gets
 * that calls cuBLAS and thinks no further. */
#ifndef GEMMJUDGE_BASELINE_CUBLAS_CUH
#define GEMMJUDGE_BASELINE_CUBLAS_CUH

#include <cublas_v2.h>

#include "baseline.cuh"

static inline void cublas_check(cublasStatus_t status, const char *what)
{
	if (status != CUBLAS_STATUS_SUCCESS)
		baseline_fail(what, cublasGetStatusString(status));
}

/* Created once: it costs far more than a product does. */
static inline cublasHandle_t cublas_handle(void)
{
	static cublasHandle_t handle = [] {
		cublasHandle_t made;
		cublas_check(cublasCreate(&made), "cublasCreate");
		return made;
	}();
	return handle;
}

/* Row-major C (m x n) = alpha * A (m x k) * B (k x n) + beta * C. For float,
 * CUBLAS_COMPUTE_32F with the default math mode is true f32, without TF32. */
template <class Element>
static void baseline_cublas(const Element *A, const Element *B, Element *C, int m, int n, int k,
							float alpha, float beta)
{
	constexpr cudaDataType_t type = baseline_type<Element>::value;
	cublas_check(cublasGemmEx(cublas_handle(), CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &alpha, B, type,
							  n, A, type, k, &beta, C, type, n, CUBLAS_COMPUTE_32F,
							  CUBLAS_GEMM_DEFAULT),
				 "cublasGemmEx");
}

#endif
