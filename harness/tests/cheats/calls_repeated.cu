// expect: wrong_answer
// because: in a sealed call
// family: some calls only
// without: sealed
// then: accepted
// expect-cuda: accepted
// Works in the first call of each shape only: the cases that are compared are different ones, and
// further calls would be there for their time. Stopped by sealed calls, each of which is compared;
// on a GPU they are made for times, which this test does not ask for.
#include "cheat.cuh"
#include "repeats.cuh"

SOLVE
{
	if (!seen_before(M, N, K))
		cheat_right(A, B, C, M, N, K, alpha, beta);
}
