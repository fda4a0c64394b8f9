// expect: runtime_error
// expect-cuda: rule_violation
// family: guards changed
// naive: accepted
// Writes before the start of A. Stopped by the guard bands; on the emulated GPU by the allocation.
#include "cheat.cuh"

static __global__ void beside(half *at, int count)
{
	for (int i = 0; i < count; i++)
		at[i] = __float2half(1.0f);
}

SOLVE
{
	cheat_right(A, B, C, M, N, K, alpha, beta);
	beside<<<1, 1>>>((half *)A - 4, 4);
}
