/* cuBLASLt's fp8 product on any size: it needs K contiguous in both operands, which they are
 * here, and for N and K in multiples of 16. */
#ifndef GEMMJUDGE_BASELINE_E4M3_CUH
#define GEMMJUDGE_BASELINE_E4M3_CUH

#include "../cublaslt.cuh"
#include "../padded.cuh"

/* C (M x N) = scale * A (M x K) * B^T (B is N x K). */
static void padded_product(const __nv_fp8_e4m3 *A, const __nv_fp8_e4m3 *B, __nv_bfloat16 *C, int M,
						   int N, int K, float scale)
{
	int n = padded_size(N), k = padded_size(K);
	const __nv_fp8_e4m3 *a = padded<0>(A, M, K, M, k), *b = padded<1>(B, N, K, n, k);
	bool direct = n == N && (uintptr_t)C % 16 == 0;
	__nv_bfloat16 *c = direct ? C : padded_memory<2, __nv_bfloat16>((size_t)M * n);
	baseline_cublaslt(a, b, c, M, n, k, scale, 0.0f, LT_NO_EPILOGUE, BASELINE_B_TRANSPOSED);
	if (!direct)
		BASELINE_CUDA(cudaMemcpy2DAsync(C, N * sizeof(*C), c, n * sizeof(*C), N * sizeof(*C), M,
										cudaMemcpyDeviceToDevice));
}

#endif
