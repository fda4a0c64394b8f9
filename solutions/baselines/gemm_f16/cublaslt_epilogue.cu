/* cuBLASLt at its best, then one kernel that applies the epilogue to C. */
#include "../cublaslt.cuh"
#include "../epilogue_kernel.cuh"

extern "C" void solve(const half *A, const half *B, half *C, int M, int N, int K, float alpha,
					  float beta)
{
	kernel_after([=](half *out, float a, float b) { baseline_cublaslt(A, B, out, M, N, K, a, b); },
				 C, M, N, alpha, beta);
}
