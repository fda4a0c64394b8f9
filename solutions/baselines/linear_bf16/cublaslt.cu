/* cuBLASLt at its best: the fastest of its suggestions for each shape, W transposed. */
#include "../cublaslt.cuh"

extern "C" void solve(const __nv_bfloat16 *X, const __nv_bfloat16 *W, __nv_bfloat16 *Y, int M,
					  int N, int K, float alpha, float beta)
{
	baseline_cublaslt(X, W, Y, M, N, K, alpha, beta, LT_NO_EPILOGUE, BASELINE_B_TRANSPOSED);
}
