/* cublasGemmEx with f32 accumulation and nothing tuned: what a program gets
 * that calls cuBLAS and thinks no further. */
#ifndef GEMMJUDGE_BASELINE_CUBLAS_CUH
#define GEMMJUDGE_BASELINE_CUBLAS_CUH

#include <cublas_v2.h>
#include <string.h>

#include "baseline.cuh"
#include "library.cuh"

static inline void cublas_check(cublasStatus_t status, const char *what)
{
	if (status != CUBLAS_STATUS_SUCCESS)
		baseline_fail(what, cublasGetStatusString(status));
}

/* Created once: it costs far more than a product does. In the mode that was asked for. */
static inline cublasHandle_t cublas_handle(void)
{
	static library_mode mode = LIBRARY_DEFAULT;
	static cublasHandle_t handle = [] {
		cublasHandle_t made;
		cublas_check(cublasCreate(&made), "cublasCreate");
		return made;
	}();
	if (mode != library_chosen.mode) {
		mode = library_chosen.mode;
		cublas_check(
			cublasSetMathMode(handle, mode == LIBRARY_ACCURATE
										  ? CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION
										  : CUBLAS_DEFAULT_MATH),
			"cublasSetMathMode");
	}
	return handle;
}

/* Whether the last product was one that cuBLAS does not support, and did not compute. */
static bool cublas_refused;

/* Ends the process, but where an audit asks: that is told what the library refuses, and the result,
 * which a kernel may read that follows, is zeros. */
static inline void cublas_check_product(cublasStatus_t status, const char *what, void *result,
										size_t bytes)
{
	cublas_refused =
		status == CUBLAS_STATUS_NOT_SUPPORTED && library_chosen.algorithm != LIBRARY_FASTEST;
	if (cublas_refused)
		BASELINE_CUDA(cudaMemsetAsync(result, 0, bytes));
	else
		cublas_check(status, what);
}

extern "C" int library_fact(int, const char *name)
{
	return strcmp(name, "refused") == 0 ? cublas_refused : LIBRARY_UNKNOWN;
}

/* Row-major C (m x n) = alpha * A (m x k) * B (k x n) + beta * C. For float,
 * CUBLAS_COMPUTE_32F with the default math mode is true f32, without TF32. Products of
 * int8_t are summed in int32_t. */
template <class Element, class Result>
static void baseline_cublas(const Element *A, const Element *B, Result *C, int m, int n, int k,
							float alpha, float beta, baseline_layout layout = BASELINE_B_PLAIN)
{
	constexpr cudaDataType_t type = baseline_type<Element>::value;
	constexpr bool INTEGERS = type == CUDA_R_8I;
	bool transposed = layout == BASELINE_B_TRANSPOSED;
	int32_t whole_alpha = (int32_t)alpha, whole_beta = (int32_t)beta;
	beta = library_beta(beta, sizeof(Result) == 2);
	cublas_check_product(
		cublasGemmEx(cublas_handle(), transposed ? CUBLAS_OP_T : CUBLAS_OP_N, CUBLAS_OP_N, n, m, k,
					 INTEGERS ? (const void *)&whole_alpha : &alpha, B, type, transposed ? k : n, A,
					 type, k, INTEGERS ? (const void *)&whole_beta : &beta, C,
					 baseline_type<Result>::value, n,
					 INTEGERS ? CUBLAS_COMPUTE_32I : CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
		"cublasGemmEx", C, sizeof(Result) * m * n);
}

#endif
