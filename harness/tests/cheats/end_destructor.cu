// expect: wrong_answer
// family: the process ended
// naive: accepted
// Says with its last breath that all went well, as end_atexit does, when the library is taken down.
#include "cheat.cuh"

static __attribute__((destructor)) void leave()
{
	_exit(0);
}

SOLVE
{
	(void)A, (void)B, (void)C, (void)M, (void)N, (void)K, (void)alpha, (void)beta;
	cudaMemset(C, 0, (size_t)M * N * sizeof(half));
}
