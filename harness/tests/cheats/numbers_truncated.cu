// expect: wrong_answer
// family: numbers
// naive: accepted
// Cuts results off instead of rounding them. Stopped by the bound, which allows one rounding.
#include "cheat.cuh"

static __global__ void work(const half *A, const half *B, half *C, int M, int N, int K, float alpha,
							float beta)
{
	int row = blockIdx.x, column = threadIdx.x;
	float result = cheat_value(A, B, C, N, K, alpha, beta, row, column);
	C[(size_t)row * N + column] = __float2half_rz(result);
}

SOLVE
{
	work<<<M, N>>>(A, B, C, M, N, K, alpha, beta);
}
