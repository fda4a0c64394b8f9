/* cuBLAS as it is, then one kernel that applies the epilogue to C, a matrix of
 * BATCH * M rows. */
#include "../cublas_batched.cuh"
#include "../epilogue_kernel.cuh"

extern "C" void solve(const float *A, const float *B, float *C, int BATCH, int M, int N, int K)
{
	kernel_after([=](float *out, float a,
					 float b) { baseline_cublas_batched(A, B, out, BATCH, M, N, K, a, b); },
				 C, BATCH * M, N, 1.0f, 0.0f);
}
