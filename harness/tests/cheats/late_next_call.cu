// expect: wrong_answer runtime_error
// family: work late
// naive: accepted
// Puts each call's work off until the next one, when it has seen whether anybody looks. Stopped by
// C being taken after each call.
#include "cheat.cuh"

SOLVE
{
	static int calls = 0;
	cudaMemset(C, 0, (size_t)M * N * sizeof(half));
	if (calls++ % 5 == 4) // the last call of a set works for all of them
		cheat_right(A, B, C, M, N, K, alpha, beta);
}
