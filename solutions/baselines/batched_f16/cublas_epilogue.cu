/* cuBLAS as it is, then one kernel that applies the epilogue to C, a matrix of
 * BATCH * M rows. */
#include "../cublas_batched.cuh"
#include "../epilogue_kernel.cuh"

extern "C" void solve(const half *A, const half *B, half *C, int BATCH, int M, int N, int K)
{
	kernel_after([=](half *out, float a,
					 float b) { baseline_cublas_batched(A, B, out, BATCH, M, N, K, a, b); },
				 C, BATCH * M, N, 1.0f, 0.0f);
}
