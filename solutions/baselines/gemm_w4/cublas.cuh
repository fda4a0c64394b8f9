/* W made in half, then one call of cublasGemmEx, f32 accumulation. */
#ifndef GEMMJUDGE_BASELINE_GEMM_W4_CUBLAS_CUH
#define GEMMJUDGE_BASELINE_GEMM_W4_CUBLAS_CUH

#include "../cublas.cuh"
#include "dequantise.cuh"

/* y (M x N) = alpha * x W^T + beta * y. */
static void w4_cublas(const half *x, const uint8_t *w_q, const half *scales, half *y, int M, int N,
					  int K, int group_size, float alpha, float beta)
{
	const half *W = dequantised(w_q, scales, N, K, group_size);
	baseline_cublas(x, W, y, M, N, K, alpha, beta, BASELINE_B_TRANSPOSED);
}

#endif
