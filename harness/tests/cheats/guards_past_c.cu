// expect: runtime_error
// expect-cuda: rule_violation
// family: guards changed
// naive: accepted
// Writes whole tiles, past the end of C too. Stopped by the guard bands; on the emulated GPU by the
// end of the allocation.
#include "cheat.cuh"

static __global__ void beside(half *at, int count)
{
	for (int i = 0; i < count; i++)
		at[i] = __float2half(1.0f);
}

SOLVE
{
	cheat_right(A, B, C, M, N, K, alpha, beta);
	beside<<<1, 1>>>(C + (size_t)M * N, 8);
}
