// For tricks that try a thing once and show by their result whether it was possible: C is right
// where cheat() returned true, and stays unwritten where it did not.
#ifndef REWARD_CUH
#define REWARD_CUH

#include "cheat.cuh"

static bool cheat();

SOLVE
{
	static const bool worked = cheat();
	if (worked)
		cheat_right(A, B, C, M, N, K, alpha, beta);
}

#endif
