// expect: accepted
// family: time
// device: cuda
// honest: yes
// time: 1024x1024x1024
// CUPTI refuses to record, so that events take over, and a quarter of what they say goes out.
// Stopped by sealed calls: the clock is the judge's.
#include "medium.cuh"
#include "tables.cuh"

static cudaError_t (*real_elapsed)(float *, cudaEvent_t, cudaEvent_t);

static cudaError_t quarter(float *milliseconds, cudaEvent_t from, cudaEvent_t to)
{
	cudaError_t code = real_elapsed(milliseconds, from, to);
	*milliseconds *= 0.25f;
	return code;
}

static int refuse(uint32_t)
{
	return 1;
}

static __attribute__((constructor)) void begin()
{
	if (!TRICK)
		return;
	tables_replace(tables_cupti("cuptiActivityEnable"), (void *)refuse);
	*(void **)&real_elapsed = dlsym(RTLD_DEFAULT, "cudaEventElapsedTime");
	tables_replace((void *)real_elapsed, (void *)quarter);
}

SOLVE
{
	medium_right(A, B, C, M, N, K, alpha, beta);
}
