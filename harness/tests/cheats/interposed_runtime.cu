// expect: accepted
// family: functions patched
// naive: accepted
// Exports functions with the names of CUDA's and of the C library, which do not do their work. No
// effect: the judge found its own before this file was loaded, and the file only fools itself.
#include <ctime>

#include "cheat.cuh"

extern "C" __attribute__((visibility("default"))) int clock_gettime(clockid_t,
																	struct timespec *time)
{
	time->tv_sec = 0;
	time->tv_nsec = 0;
	return 0;
}

extern "C" __attribute__((visibility("default"))) int cuptiActivityFlushAll(unsigned)
{
	return 0;
}

extern "C" __attribute__((visibility("default"))) int memcmp(const void *, const void *, size_t)
{
	return 0;
}

SOLVE
{
	cheat_right(A, B, C, M, N, K, alpha, beta);
}
