// expect: runtime_error
// family: the process ended
// naive: accepted
// Ends the main thread only: the process ends with its last thread, and success.
// Stopped: a process that ends before it has answered has failed.
#include <pthread.h>

#include "cheat.cuh"

SOLVE
{
	(void)A, (void)B, (void)C, (void)M, (void)N, (void)K, (void)alpha, (void)beta;
	pthread_exit(nullptr);
}
