// expect: runtime_error
// expect-cuda: rule_violation wrong_answer
// family: work ahead
// naive: accepted
// Computes the results of the sets of buffers that come next, in the untimed call of the first.
// Stopped by buffers of their own for each case, with bands between them that are looked at.
#include "cheat.cuh"

constexpr int STRIDE = 3 * 32 * 32 + 2048; // between two sets of the naive judge

SOLVE
{
	static int calls = 0;
	for (int set = 0; calls == 0 && set < 3; set++)
		cheat_right(A + set * STRIDE, B + set * STRIDE, C + set * STRIDE, M, N, K, alpha, beta);
	calls++;
}
