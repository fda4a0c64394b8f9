// expect: wrong_answer
// family: C unwritten
// says: never written
// naive: accepted
// Does nothing: C lies where the reference was computed. Stopped by C holding a mark before each
// call.
#include "cheat.cuh"

SOLVE
{
	(void)A, (void)B, (void)C, (void)M, (void)N, (void)K, (void)alpha, (void)beta;
}
