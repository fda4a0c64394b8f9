// expect: runtime_error
// family: the process ended
// naive: accepted
// Ends the process by the system call, which no library can see.
// Stopped: a process that ends before it has answered has failed.
#include <sys/syscall.h>

#include "cheat.cuh"

SOLVE
{
	(void)A, (void)B, (void)C, (void)M, (void)N, (void)K, (void)alpha, (void)beta;
	syscall(SYS_exit_group, 0);
}
