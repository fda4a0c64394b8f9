// expect: wrong_answer
// family: numbers
// naive: accepted
// Keeps results between -1 and 1. Stopped by values of every size.
#include "cheat.cuh"

static __global__ void work(const half *A, const half *B, half *C, int M, int N, int K, float alpha,
							float beta)
{
	int row = blockIdx.x, column = threadIdx.x;
	float result = cheat_value(A, B, C, N, K, alpha, beta, row, column);
	C[(size_t)row * N + column] = __float2half(fminf(fmaxf(result, -1.0f), 1.0f));
}

SOLVE
{
	work<<<M, N>>>(A, B, C, M, N, K, alpha, beta);
}
