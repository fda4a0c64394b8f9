// expect: time_limit
// because: for all of its cases
// family: processes
// options: --file-timeout 1.5
// against: --file-timeout 60
// then: accepted
// Sleeps in every case for less than a case may take, so that others wait for hours where there are
// many cases. A file has a limit for all of them.
#include "cheat.cuh"

SOLVE
{
	static int calls = 0;
	if (calls++ < 4)
		usleep(600000);
	cheat_right(A, B, C, M, N, K, alpha, beta);
}
