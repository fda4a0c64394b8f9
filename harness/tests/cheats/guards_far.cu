// expect: runtime_error
// expect-cuda: rule_violation
// family: guards changed
// naive: accepted
// Keeps 4 KiB of its own behind the guard band of C, where nobody looks. Stopped by the end of the
// arena there, or by the band of the next buffer.
#include "cheat.cuh"

static __global__ void beside(half *at, int count)
{
	for (int i = 0; i < count; i++)
		at[i] = __float2half(1.0f);
}

SOLVE
{
	cheat_right(A, B, C, M, N, K, alpha, beta);
	beside<<<1, 1>>>(C + (size_t)M * N + 1000, 24);
}
