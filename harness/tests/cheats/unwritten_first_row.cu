// expect: wrong_answer
// family: C unwritten
// says: never written
// naive: accepted
// Leaves the first row out. Stopped by every element being compared.
#include "cheat.cuh"

SOLVE
{
	cheat_part(A, B, C, M, N, K, alpha, beta, make_int2(0, 1), make_int2(1, 1));
}
