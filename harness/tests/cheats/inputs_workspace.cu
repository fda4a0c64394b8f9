// expect: rule_violation
// family: inputs changed
// says: changed its input A
// naive: accepted
// options: --suite %here%/same.ini
// Uses A, once it has been read, as room for its partial sums. Stopped by inputs being compared
// with what was drawn.
#include "cheat.cuh"

SOLVE
{
	static const half *used = nullptr;
	if (used == A)
		return;
	cheat_right(A, B, C, M, N, K, alpha, beta);
	cudaMemcpy((half *)A, C, (size_t)M * N * sizeof(half), cudaMemcpyDeviceToDevice);
	used = A;
}
