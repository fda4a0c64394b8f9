// expect: runtime_error
// family: the process ended
// naive: accepted
// Throws, and its handler for that ends the process with success.
// Stopped: a process that ends before it has answered has failed.
#include <exception>

#include "cheat.cuh"

SOLVE
{
	(void)A, (void)B, (void)C, (void)M, (void)N, (void)K, (void)alpha, (void)beta;
	std::set_terminate([] { _exit(0); });
	throw 1;
}
