#include "../fused.cuh"

extern "C" void solve(const __nv_bfloat16 *A, const __nv_bfloat16 *B, __nv_bfloat16 *C, int M,
					  int N, int K, float alpha, float beta)
{
	multiply_all(A, B, C, M, N, K, alpha, beta);
}
