// expect: accepted
// family: the compiler
// shown: an honest file
// Asks the compiler for the time. Nothing is wrong with that.
#include "cheat.cuh"

static const char *const made __attribute__((used)) = __DATE__ " " __TIME__;

SOLVE
{
	cheat_right(A, B, C, M, N, K, alpha, beta);
}
