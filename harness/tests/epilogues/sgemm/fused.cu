#include "../fused.cuh"

extern "C" void solve(const float *A, const float *B, float *C, int M, int N, int K, float alpha,
					  float beta)
{
	multiply_all(A, B, C, M, N, K, alpha, beta);
}
