// For tricks whose success the test sees outside (a file, a process): C is right in any case.
#ifndef EFFECT_CUH
#define EFFECT_CUH

#include "cheat.cuh"

static void cheat();

SOLVE
{
	static const bool tried = (cheat(), true);
	(void)tried;
	cheat_right(A, B, C, M, N, K, alpha, beta);
}

#endif
