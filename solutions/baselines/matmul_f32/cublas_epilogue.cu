/* cuBLAS as it is, then one kernel that applies the epilogue to C. A is M x N, B is N x K, C is
 * M x K. */
#include "../cublas.cuh"
#include "../epilogue_kernel.cuh"

extern "C" void solve(const float *A, const float *B, float *C, int M, int N, int K)
{
	kernel_after([=](float *out, float a, float b) { baseline_cublas(A, B, out, M, K, N, a, b); },
				 C, M, K, 1.0f, 0.0f);
}
