// expect: wrong_answer
// family: numbers
// naive: accepted
// options: --cases 8
// Is right up to 40 and wrong above, where a judge with small cases does not come. Stopped by sizes
// that are drawn for each run.
#include "cheat.cuh"

static __global__ void work(const half *A, const half *B, half *C, int M, int N, int K, float alpha,
							float beta)
{
	int row = blockIdx.x, column = threadIdx.x;
	half *c = C + (size_t)row * N + column;
	float sum = 0.0f;
	for (int k = 0; k < (K < 40 ? K : 32); k++) {
		float a = __half2float(A[(size_t)row * K + k]), b = __half2float(B[(size_t)k * N + column]);
		sum += a * b;
	}
	*c = __float2half(beta != 0.0f ? alpha * sum + beta * __half2float(*c) : alpha * sum);
}

SOLVE
{
	work<<<M, N>>>(A, B, C, M, N, K, alpha, beta);
}
