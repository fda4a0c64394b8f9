// expect: wrong_answer
// family: some calls only
// naive: accepted
// options: --suite %here%/same.ini
// Works in the first two calls of a shape, which are the ones that a judge looks at. Stopped by
// every case being compared.
#include "cheat.cuh"

SOLVE
{
	static int calls = 0, shape = 0;
	static const half *where = nullptr;
	calls = shape == M * N && where == A ? calls + 1 : 0;
	shape = M * N;
	where = A;
	if (calls < 2)
		cheat_right(A, B, C, M, N, K, alpha, beta);
}
