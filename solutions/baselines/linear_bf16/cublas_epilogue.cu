/* cuBLAS as it is, then one kernel that applies the epilogue to Y. */
#include "../cublas.cuh"
#include "../epilogue_kernel.cuh"

extern "C" void solve(const __nv_bfloat16 *X, const __nv_bfloat16 *W, __nv_bfloat16 *Y, int M,
					  int N, int K, float alpha, float beta)
{
	auto product = [=](__nv_bfloat16 *out, float a, float b) {
		baseline_cublas(X, W, out, M, N, K, a, b, BASELINE_B_TRANSPOSED);
	};
	kernel_after(product, Y, M, N, alpha, beta);
}
