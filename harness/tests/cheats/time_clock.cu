// expect: accepted
// family: time
// device: cuda
// honest: yes
// time: 1024x1024x1024
// Its own clock_gettime goes on by 1 us a call, so that the judge's code in this process does not
// see that the device works on in another stream when the events are past; CUPTI refuses to record.
// Stopped by sealed calls: the clock that counts is in another process.
#include <ctime>

#include "got.cuh"
#include "medium.cuh"
#include "tables.cuh"

static int slow_clock(clockid_t, struct timespec *time)
{
	static long microseconds = 0;
	long now = __atomic_add_fetch(&microseconds, 1, __ATOMIC_RELAXED);
	*time = {1000000 + now / 1000000, now % 1000000 * 1000};
	return 0;
}

static int refuse(uint32_t)
{
	return 1;
}

static cudaStream_t stream;

static __attribute__((constructor)) void begin()
{
	if (!TRICK)
		return;
	if (tables_replace(tables_cupti("cuptiActivityEnable"), (void *)refuse))
		got_patch("clock_gettime", (void *)slow_clock);
}

SOLVE
{
	if (TRICK && stream == nullptr)
		cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
	medium_right(A, B, C, M, N, K, alpha, beta, stream);
}
