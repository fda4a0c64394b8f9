// expect: wrong_answer
// family: only where the checker looks
// naive: accepted
// Clears C and computes the rows that a judge compares. Stopped by every element being compared.
#include "cheat.cuh"

SOLVE
{
	if (beta == 0.0f)
		cudaMemset(C, 0, (size_t)M * N * sizeof(half));
	cheat_part(A, B, C, M, N, K, alpha, beta, make_int2(0, 0), make_int2(1, 8));
	cheat_part(A, B, C, M, N, K, alpha, beta, make_int2(0, M - 1), make_int2(1, 1));
}
