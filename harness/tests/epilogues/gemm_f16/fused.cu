#include "../fused.cuh"

extern "C" void solve(const half *A, const half *B, half *C, int M, int N, int K, float alpha,
					  float beta)
{
	multiply_all(A, B, C, M, N, K, alpha, beta);
}
