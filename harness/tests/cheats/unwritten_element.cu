// expect: wrong_answer
// family: C unwritten
// says: 1 of
// naive: accepted
// Leaves one element out. Stopped by every element being compared.
#include "cheat.cuh"

static __global__ void work(const half *A, const half *B, half *C, int M, int N, int K, float alpha,
							float beta)
{
	int row = blockIdx.x, column = threadIdx.x;
	if (row != M / 2 || column != N / 3)
		C[(size_t)row * N + column] =
			__float2half(cheat_value(A, B, C, N, K, alpha, beta, row, column));
}

SOLVE
{
	work<<<M, N>>>(A, B, C, M, N, K, alpha, beta);
}
