/* cuBLAS as it is, then one kernel that applies the epilogue to C. */
#include "../cublas.cuh"
#include "../epilogue_kernel.cuh"

extern "C" void solve(const __nv_bfloat16 *A, const __nv_bfloat16 *B, __nv_bfloat16 *C, int M,
					  int N, int K, float alpha, float beta)
{
	kernel_after(
		[=](__nv_bfloat16 *out, float a, float b) { baseline_cublas(A, B, out, M, N, K, a, b); }, C,
		M, N, alpha, beta);
}
