// expect: runtime_error
// family: the process ended
// naive: accepted
// Ends the process while it is loaded. Stopped: a process that ends before it has answered has
// failed.
#include "cheat.cuh"

static __attribute__((constructor)) void leave()
{
	_exit(0);
}

SOLVE
{
	(void)A, (void)B, (void)C, (void)M, (void)N, (void)K, (void)alpha, (void)beta;
}
