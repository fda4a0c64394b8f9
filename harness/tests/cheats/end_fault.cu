// expect: runtime_error
// family: the process ended
// naive: accepted
// Runs into a fault, and its handler for that ends the process with success.
// Stopped: a process that ends before it has answered has failed.
#include <csignal>

#include "cheat.cuh"

SOLVE
{
	(void)A, (void)B, (void)C, (void)M, (void)N, (void)K, (void)alpha, (void)beta;
	signal(SIGSEGV, [](int) { _exit(0); });
	*(volatile int *)nullptr = 1;
}
