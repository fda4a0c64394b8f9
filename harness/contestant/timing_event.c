#include "contestant/timing.h"

#include <stddef.h>

#include "base/clock.h"

/* Work that goes on after the default stream's is done, for longer than a
 * synchronisation of an idle device takes, runs in streams of the solution's own
 * which do not wait for the default one. */
#define OTHER_STREAM_SECONDS 5e-6

void timing_call(const struct timing *timing, uint32_t index)
{
	struct call_operands operands;
	/* On a real device this only computes addresses. */
	opened_take(timing->opened, timing->cudart, timing->first + index, &operands);
	solution_call(timing->solution, timing->test, &operands);
	cudaError_t left = timing->cudart->get_last_error();
	if (*timing->left == cudaSuccess)
		*timing->left = left;
}

struct event_pair {
	cudaEvent_t start, stop;
};

/* One call between the events. `late`: the second one is recorded when the whole
 * device is idle, at the price of the host's way there and back. */
static cudaError_t measure(const struct timing *timing, uint32_t index, struct event_pair events,
						   bool late, float *milliseconds)
{
	const struct cudart *cudart = timing->cudart;
	cudaError_t code = cudart->event_record(events.start, NULL);
	if (code != cudaSuccess)
		return code;
	timing_call(timing, index);
	if (late)
		code = cudart->device_synchronize();
	if (code == cudaSuccess)
		code = cudart->event_record(events.stop, NULL);
	if (code == cudaSuccess)
		code = cudart->event_synchronize(events.stop);
	if (code == cudaSuccess)
		code = cudart->event_elapsed(milliseconds, events.start, events.stop);
	return code;
}

/* Whether the device was still at work when the default stream was done. */
static cudaError_t look_for_other_streams(const struct cudart *cudart, bool *found)
{
	double before = clock_seconds();
	cudaError_t code = cudart->device_synchronize();
	double between = clock_seconds();
	if (code == cudaSuccess)
		code = cudart->device_synchronize(); /* idle now: what the call itself costs */
	double idle = clock_seconds() - between;
	*found = between - before > idle + OTHER_STREAM_SECONDS;
	return code;
}

static cudaError_t measure_all(const struct timing *timing, struct event_pair events,
							   float *microseconds)
{
	uint32_t votes = 0, done = 0;
	float milliseconds = 0;
	bool found;
	cudaError_t code = cudaSuccess;
	for (; done < timing->warmups && code == cudaSuccess; done++) {
		code = measure(timing, done, events, false, &milliseconds);
		if (code == cudaSuccess)
			code = look_for_other_streams(timing->cudart, &found);
		votes += code == cudaSuccess && found;
	}
	/* The majority: a single slow synchronisation is the machine's noise. */
	bool late = votes * 2 > timing->warmups;
	for (uint32_t i = 0; i < timing->calls && code == cudaSuccess; i++) {
		code = measure(timing, timing->warmups + i, events, late, &milliseconds);
		microseconds[i] = milliseconds * 1000.0f;
		if (code == cudaSuccess)
			code = timing->cudart->device_synchronize();
	}
	return code;
}

bool timing_event(const struct timing *timing, float *microseconds, cudaError_t *code,
				  struct error *err)
{
	const struct cudart *cudart = timing->cudart;
	struct event_pair events = {NULL, NULL};
	if (cudart->event_create == NULL || cudart->event_record == NULL ||
		cudart->event_synchronize == NULL || cudart->event_elapsed == NULL ||
		cudart->event_destroy == NULL)
		return error_set(err, CUDART_FILE " has no events");
	*code = cudart->event_create(&events.start);
	if (*code == cudaSuccess)
		*code = cudart->event_create(&events.stop);
	if (*code == cudaSuccess)
		*code = cudart->device_synchronize();
	if (*code == cudaSuccess)
		*code = measure_all(timing, events, microseconds);
	if (events.start != NULL)
		cudart->event_destroy(events.start);
	if (events.stop != NULL)
		cudart->event_destroy(events.stop);
	return true;
}
