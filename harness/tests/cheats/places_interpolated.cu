// expect: wrong_answer
// family: only where the checker looks
// naive: accepted
// Computes one row in eight and draws straight lines between them: smooth, and right where a judge
// samples. Stopped by every element being compared.
#include "cheat.cuh"

static __global__ void between(half *C, int M, int N)
{
	int row = blockIdx.x, above = row / 8 * 8, below = above + 8 < M ? above + 8 : M - 1;
	if (row == above || row == below)
		return;
	float part = (float)(row - above) / (float)(below - above);
	float from = __half2float(C[(size_t)above * N + threadIdx.x]);
	float to = __half2float(C[(size_t)below * N + threadIdx.x]);
	C[(size_t)row * N + threadIdx.x] = __float2half(from + part * (to - from));
}

SOLVE
{
	cheat_part(A, B, C, M, N, K, alpha, beta, make_int2(0, 0), make_int2(1, 8));
	cheat_part(A, B, C, M, N, K, alpha, beta, make_int2(0, M - 1), make_int2(1, M));
	between<<<M, N>>>(C, M, N);
}
