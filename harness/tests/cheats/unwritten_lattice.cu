// expect: wrong_answer
// family: C unwritten
// says: never written
// naive: accepted
// Writes one element in nine. Stopped by every element being compared.
#include "cheat.cuh"

SOLVE
{
	cheat_part(A, B, C, M, N, K, alpha, beta, make_int2(0, 0), make_int2(3, 3));
}
