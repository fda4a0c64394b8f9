// expect: runtime_error
// family: the process ended
// naive: accepted
// Another thread ends the process. Stopped: a process that ends before it has answered has failed.
#include <thread>

#include "cheat.cuh"

SOLVE
{
	(void)A, (void)B, (void)C, (void)M, (void)N, (void)K, (void)alpha, (void)beta;
	std::thread([] { _exit(0); }).detach();
	sleep(1);
}
