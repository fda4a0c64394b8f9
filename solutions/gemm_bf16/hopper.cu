/* The solution of gemm_f16/hopper.cu in bfloat16: the same code, another
 * element type. Everything about it is said there.
 *
 * reached: see gemm_f16/hopper.cu */
#include "../gemm_f16/hopper/solve.cuh"

extern "C" void solve(const __nv_bfloat16 *A, const __nv_bfloat16 *B, __nv_bfloat16 *C, int M,
					  int N, int K, float alpha, float beta)
{
	hopper::solve(A, B, C, M, N, K, alpha, beta);
}
