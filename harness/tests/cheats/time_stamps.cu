// expect: accepted
// family: time
// device: cuda
// honest: yes
// time: 1024x1024x1024
// Its own cuptiGetTimestamp says that all calls but the untimed ones are yet to come, and the last
// one launches an empty kernel in the time of each. Stopped by sealed calls.
#include "peek.cuh"
#include "tables.cuh"

constexpr uint64_t AHEAD = 40000000, APART = 200000; // nanoseconds

static struct {
	int (*real)(uint64_t *);
	uint32_t marks;
	uint64_t first; // mark that is yet to come
} stamps;

static int stamp(uint64_t *time)
{
	int result = stamps.real(time);
	uint32_t mark = stamps.marks++;
	if (mark == peek.warmups)
		stamps.first = *time + AHEAD;
	if (mark >= peek.warmups)
		*time = stamps.first + (mark - peek.warmups) * APART;
	return result;
}

static void at_request(uint32_t, char *, size_t)
{
	stamps.marks = 0;
}

static __attribute__((constructor)) void begin()
{
	if (!TRICK)
		return;
	*(void **)&stamps.real = tables_cupti("cuptiGetTimestamp");
	tables_replace((void *)stamps.real, (void *)stamp);
	peek_requested = at_request;
}

// One empty kernel in the middle of each call's time, as the marks will have it.
static inline void pretend()
{
	uint64_t time;
	cudaDeviceSynchronize();
	for (uint32_t i = 0; i < peek.calls; i++) {
		do
			stamps.real(&time);
		while (time < stamps.first + i * APART + APART / 2);
		medium_nothing<<<1, 1>>>(0);
		cudaDeviceSynchronize();
	}
}

SOLVE
{
	medium_right(A, B, C, M, N, K, alpha, beta);
	if (TRICK && peek.type == PEEK_RUN)
		medium_nothing<<<1, 1>>>(
			0); // loaded before it is due: that takes longer than a call's time
	peek_called();
	if (TRICK && peek.type == PEEK_TIME && peek.spans && peek.index == peek.warmups + peek.calls)
		pretend();
}
