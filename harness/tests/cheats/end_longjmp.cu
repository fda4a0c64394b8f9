// expect: runtime_error
// family: the process ended
// naive: accepted
// Leaves solve() by longjmp, from a signal handler, and then the process.
// Stopped: a process that ends before it has answered has failed.
#include <csetjmp>
#include <csignal>

#include "cheat.cuh"

SOLVE
{
	(void)A, (void)B, (void)C, (void)M, (void)N, (void)K, (void)alpha, (void)beta;
	static jmp_buf back;
	signal(SIGUSR1, [](int) { longjmp(back, 1); });
	if (setjmp(back) != 0)
		exit(0);
	raise(SIGUSR1);
}
