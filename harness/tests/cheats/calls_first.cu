// expect: wrong_answer
// family: some calls only
// naive: accepted
// options: --suite %here%/same.ini
// Works in the first call, and trusts C to be right afterwards. Stopped by C being another one,
// with marks in it, in every call.
#include "cheat.cuh"

SOLVE
{
	static int calls = 0;
	if (calls++ % 5 == 0) // a warm-up, then four calls
		cheat_right(A, B, C, M, N, K, alpha, beta);
}
