/* cuBLASLt at its best, then one kernel that applies the epilogue to Y. */
#include "../cublaslt.cuh"
#include "../epilogue_kernel.cuh"

extern "C" void solve(const half *X, const half *W, half *Y, int M, int N, int K, float alpha,
					  float beta)
{
	auto product = [=](half *out, float a, float b) {
		baseline_cublaslt(X, W, out, M, N, K, a, b, LT_NO_EPILOGUE, BASELINE_B_TRANSPOSED);
	};
	kernel_after(product, Y, M, N, alpha, beta);
}
