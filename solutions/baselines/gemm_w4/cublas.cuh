/* W made in half, then one call of cublasGemmEx, f32 accumulation. */
#ifndef GEMMJUDGE_BASELINE_GEMM_W4_CUBLAS_CUH
#define GEMMJUDGE_BASELINE_GEMM_W4_CUBLAS_CUH

#include "../cublas.cuh"
#include "dequantise.cuh"

/* y (M x N) = alpha * x W^T + beta * y. Column-major: y^T = W x^T, where the library sees our
 * rows of W as columns. */
static void w4_cublas(const half *x, const uint8_t *w_q, const half *scales, half *y, int M, int N,
					  int K, int group_size, float alpha, float beta)
{
	const half *W = dequantised(w_q, scales, N, K, group_size);
	cublas_check(cublasGemmEx(cublas_handle(), CUBLAS_OP_T, CUBLAS_OP_N, N, M, K, &alpha, W,
							  CUDA_R_16F, K, x, CUDA_R_16F, K, &beta, y, CUDA_R_16F, N,
							  CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
				 "cublasGemmEx");
}

#endif
