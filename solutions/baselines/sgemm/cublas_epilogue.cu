/* cuBLAS as it is, then one kernel that applies the epilogue to C. */
#include "../cublas.cuh"
#include "../epilogue_kernel.cuh"

extern "C" void solve(const float *A, const float *B, float *C, int M, int N, int K, float alpha,
					  float beta)
{
	kernel_after([=](float *out, float a, float b) { baseline_cublas(A, B, out, M, N, K, a, b); },
				 C, M, N, alpha, beta);
}
