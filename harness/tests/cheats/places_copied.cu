// expect: wrong_answer
// family: only where the checker looks
// naive: accepted
// Computes one row in eight and copies it to the seven below. Stopped by every element being
// compared.
#include "cheat.cuh"

static __global__ void copy(half *C, int M, int N)
{
	int row = blockIdx.x, from = row == M - 1 ? row : row / 8 * 8;
	C[(size_t)row * N + threadIdx.x] = C[(size_t)from * N + threadIdx.x];
}

SOLVE
{
	cheat_part(A, B, C, M, N, K, alpha, beta, make_int2(0, 0), make_int2(1, 8));
	cheat_part(A, B, C, M, N, K, alpha, beta, make_int2(0, M - 1), make_int2(1, M));
	copy<<<M, N>>>(C, M, N);
}
