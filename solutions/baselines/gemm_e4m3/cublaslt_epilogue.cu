/* cuBLASLt at its best, then one kernel that applies the epilogue to C. */
#include "../epilogue_kernel.cuh"
#include "padded_product.cuh"

extern "C" void solve(const __nv_fp8_e4m3 *A, const __nv_fp8_e4m3 *B, __nv_bfloat16 *C, int M,
					  int N, int K, float scale_A, float scale_B)
{
	auto product = [=](__nv_bfloat16 *out, float alpha, float) {
		padded_product(A, B, out, M, N, K, alpha * scale_A * scale_B);
	};
	kernel_after(product, C, M, N, 1.0f, 0.0f);
}
