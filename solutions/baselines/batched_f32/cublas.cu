/* cuBLAS as it is: one call of cublasGemmStridedBatchedEx, f32 accumulation. */
#include "../cublas_batched.cuh"

extern "C" void solve(const float *A, const float *B, float *C, int BATCH, int M, int N, int K)
{
	baseline_cublas_batched(A, B, C, BATCH, M, N, K, 1.0f, 0.0f);
}
