// expect: wrong_answer
// family: numbers
// naive: accepted
// Takes alpha for 1. Stopped by cases with another alpha.
#include "cheat.cuh"

static __global__ void work(const half *A, const half *B, half *C, int M, int N, int K, float alpha,
							float beta)
{
	int row = blockIdx.x, column = threadIdx.x;
	float result = cheat_value(A, B, C, N, K, 1.0f, beta, row, column);
	C[(size_t)row * N + column] = __float2half(result);
}

SOLVE
{
	work<<<M, N>>>(A, B, C, M, N, K, alpha, beta);
}
