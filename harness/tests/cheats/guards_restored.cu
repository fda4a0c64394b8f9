// expect: runtime_error
// expect-cuda: accepted
// family: guards changed
// naive: accepted
// Writes past the end of C and puts back what was there. On a GPU nothing is left to be seen, and
// nobody was harmed: allowed. The emulated GPU sees the access itself.
#include "cheat.cuh"

static __global__ void beside(half *at)
{
	half before = *at;
	*at = __float2half(1.0f);
	__threadfence();
	*at = before;
}

SOLVE
{
	cheat_right(A, B, C, M, N, K, alpha, beta);
	beside<<<1, 1>>>(C + (size_t)M * N);
}
