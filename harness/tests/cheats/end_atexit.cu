// expect: wrong_answer
// family: the process ended
// naive: accepted
// Says with its last breath that all went well. Stopped by the verdict being made elsewhere, of C.
#include "cheat.cuh"

SOLVE
{
	(void)A, (void)B, (void)C, (void)M, (void)N, (void)K, (void)alpha, (void)beta;
	static const int registered = atexit([] { _exit(0); });
	(void)registered;
	cudaMemset(C, 0, (size_t)M * N * sizeof(half));
}
