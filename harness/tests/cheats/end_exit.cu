// expect: runtime_error
// family: the process ended
// naive: accepted
// Ends the process as if all were well. Stopped: a process that ends before it has answered has
// failed.
#include "cheat.cuh"

SOLVE
{
	(void)A, (void)B, (void)C, (void)M, (void)N, (void)K, (void)alpha, (void)beta;
	_exit(0);
}
