// expect: runtime_error wrong_answer rule_violation
// family: the process ended
// naive: accepted
// Becomes another program, which ends with success. Stopped: that program has not answered (and the
// jail lets it become none).
#include "cheat.cuh"

SOLVE
{
	(void)A, (void)B, (void)K, (void)alpha, (void)beta;
	execl("/bin/true", "true", (char *)nullptr);
	cudaMemset(C, 0, (size_t)M * N * sizeof(half));
}
