// expect: wrong_answer
// family: some calls only
// naive: accepted
// options: --suite %here%/same.ini
// Leaves one call in three out, at random. Stopped by every case being compared.
#include "cheat.cuh"

SOLVE
{
	static unsigned state = 12345;
	state = state * 1103515245u + 12345u;
	if (state >> 16 & 1 || (state >> 17) % 3 != 0)
		cheat_right(A, B, C, M, N, K, alpha, beta);
}
