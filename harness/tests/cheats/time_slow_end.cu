// expect: accepted
// family: time
// device: cuda
// honest: yes
// gains: nothing
// time: 1024x1024x1024
// Takes its time where none is measured: before a pass, before sealed calls are prepared, when a
// group is given back, for the first call of a process. Allowed, and of no use.
#include "peek.cuh"

static void at_request(uint32_t type, char *, size_t)
{
	if (type != PEEK_RUN && type != PEEK_TIME && type != PEEK_SEALED && type != PEEK_END)
		return;
	medium_nothing<<<1, 1>>>(2000000);
	cudaDeviceSynchronize();
	usleep(5000);
}

static __attribute__((constructor)) void begin()
{
	peek_requested = at_request;
}

SOLVE
{
	medium_right(A, B, C, M, N, K, alpha, beta);
}
