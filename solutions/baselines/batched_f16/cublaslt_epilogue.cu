/* cuBLASLt at its best, then one kernel that applies the epilogue to C, a matrix of
 * BATCH * M rows. */
#include "../cublaslt.cuh"
#include "../epilogue_kernel.cuh"

extern "C" void solve(const half *A, const half *B, half *C, int BATCH, int M, int N, int K)
{
	kernel_after(
		[=](half *out, float a, float b) {
			baseline_cublaslt(A, B, out, M, N, K, a, b, LT_NO_EPILOGUE, BASELINE_B_PLAIN, BATCH);
		},
		C, BATCH * M, N, 1.0f, 0.0f);
}
