// expect: wrong_answer
// family: some calls only
// naive: accepted
// options: --suite %here%/same.ini
// Works in every other call. Stopped by every case being compared.
#include "cheat.cuh"

SOLVE
{
	static int calls = 0;
	if (calls++ % 2 == 0)
		cheat_right(A, B, C, M, N, K, alpha, beta);
}
