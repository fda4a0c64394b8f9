/* cublasGemmStridedBatchedEx with f32 accumulation and nothing tuned. */
#ifndef GEMMJUDGE_BASELINE_CUBLAS_BATCHED_CUH
#define GEMMJUDGE_BASELINE_CUBLAS_BATCHED_CUH

#include "cublas.cuh"

/* For each of `batch` products, which lie one behind the other: row-major C (m x n) =
 * alpha * A (m x k) * B (k x n) + beta * C. */
template <class Element>
static void baseline_cublas_batched(const Element *A, const Element *B, Element *C, int batch,
									int m, int n, int k, float alpha, float beta,
									baseline_layout layout = BASELINE_B_PLAIN)
{
	bool transposed = layout == BASELINE_B_TRANSPOSED;
	constexpr cudaDataType_t type = baseline_type<Element>::value;
	beta = library_beta(beta, sizeof(Element) == 2);
	long long a = (long long)m * k, b = (long long)k * n, c = (long long)m * n;
	cublas_check_product(cublasGemmStridedBatchedEx(
							 cublas_handle(), transposed ? CUBLAS_OP_T : CUBLAS_OP_N, CUBLAS_OP_N,
							 n, m, k, &alpha, B, type, transposed ? k : n, b, A, type, k, a, &beta,
							 C, type, n, c, batch, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
						 "cublasGemmStridedBatchedEx", C, sizeof(Element) * batch * c);
}

#endif
