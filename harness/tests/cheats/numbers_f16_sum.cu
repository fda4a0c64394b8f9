// expect: wrong_answer
// family: numbers
// naive: accepted
// Adds in half precision. Stopped by a bound that follows from the inputs; a tolerance of 0.05
// passes it.
#include "cheat.cuh"

static __global__ void work(const half *A, const half *B, half *C, int M, int N, int K, float alpha,
							float beta)
{
	int row = blockIdx.x, column = threadIdx.x;
	half *c = C + (size_t)row * N + column;
	half total = __float2half(0.0f);
	for (int k = 0; k < K; k++)
		total = __hfma(A[(size_t)row * K + k], B[(size_t)k * N + column], total);
	float sum = __half2float(total);
	*c = __float2half(beta != 0.0f ? alpha * sum + beta * __half2float(*c) : alpha * sum);
}

SOLVE
{
	work<<<M, N>>>(A, B, C, M, N, K, alpha, beta);
}
