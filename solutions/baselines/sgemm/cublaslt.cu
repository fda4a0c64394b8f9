/* cuBLASLt at its best: the fastest of its suggestions for each shape. */
#include "../cublaslt.cuh"

extern "C" void solve(const float *A, const float *B, float *C, int M, int N, int K, float alpha,
					  float beta)
{
	baseline_cublaslt(A, B, C, M, N, K, alpha, beta);
}
