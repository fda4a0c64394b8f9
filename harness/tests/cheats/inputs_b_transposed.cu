// expect: rule_violation
// family: inputs changed
// says: changed its input B
// naive: accepted
// options: --suite %here%/same.ini
// Transposes B in place in its first call, and finds it so in the others. Stopped by inputs being
// compared with what was drawn.
#include "cheat.cuh"

static __global__ void transpose(half *B, int N)
{
	int row = blockIdx.x, column = threadIdx.x;
	half other = B[(size_t)column * N + row], own = B[(size_t)row * N + column];
	if (row < column) {
		B[(size_t)column * N + row] = own;
		B[(size_t)row * N + column] = other;
	}
}

SOLVE
{
	static const half *transposed = nullptr;
	if (transposed == B)
		return; // and C still holds the result
	cheat_right(A, B, C, M, N, K, alpha, beta);
	transpose<<<N, N>>>((half *)B, N);
	transposed = B;
}
