// expect: wrong_answer
// family: numbers
// naive: accepted
// options: --suite %here%/special.ini
// Turns what is no number into 0. Stopped by cases that hold infinities and NaN.
#include "cheat.cuh"

static __global__ void work(const half *A, const half *B, half *C, int M, int N, int K, float alpha,
							float beta)
{
	int row = blockIdx.x, column = threadIdx.x;
	float result = cheat_value(A, B, C, N, K, alpha, beta, row, column);
	C[(size_t)row * N + column] = __float2half(isfinite(result) ? result : 0.0f);
}

SOLVE
{
	work<<<M, N>>>(A, B, C, M, N, K, alpha, beta);
}
