/* cuBLAS as it is, then one kernel that applies the epilogue to Y. */
#include "../cublas.cuh"
#include "../epilogue_kernel.cuh"

extern "C" void solve(const half *X, const half *W, half *Y, int M, int N, int K, float alpha,
					  float beta)
{
	auto product = [=](half *out, float a, float b) {
		baseline_cublas(X, W, out, M, N, K, a, b, BASELINE_B_TRANSPOSED);
	};
	kernel_after(product, Y, M, N, alpha, beta);
}
