// expect: wrong_answer
// family: some calls only
// naive: accepted
// options: --suite %here%/same.ini
// Works in two calls of five: the warm-up, and the one that a judge looks at. Stopped by
// every case being compared.
#include "cheat.cuh"

SOLVE
{
	static int calls = 0;
	if (calls++ % 5 < 2)
		cheat_right(A, B, C, M, N, K, alpha, beta);
}
