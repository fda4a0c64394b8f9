#include "contestant/timing.h"

#include "base/clock.h"

/* A chunk is the calls before an event. So many chunks are queued at most, of about so long each:
 * the device never waits for the host, and the stream ends some milliseconds after it is due. Of
 * calls that take longer a chunk has one. */
#define CHUNKS STREAM_QUEUED
#define CHUNK_SECONDS 2e-3
#define CHUNK_CALLS_MAX 256u

struct chunks {
	cudaEvent_t ends[CHUNKS];
	uint32_t calls; /* of each from here on */
	uint64_t made;  /* chunks */
	double waited;  /* clock_seconds(), when the last wait for one ended */
};

/* Until one more chunk may be queued. Chunks grow until they are long enough: what lies between two
 * waits is then the time of one. */
static cudaError_t chunk_wait(const struct cudart *cudart, struct chunks *chunks)
{
	cudaError_t code = cudaSuccess;
	if (chunks->made >= CHUNKS)
		code = cudart->event_synchronize(chunks->ends[chunks->made % CHUNKS]);
	double now = clock_seconds();
	if (chunks->made > CHUNKS && now - chunks->waited < CHUNK_SECONDS / 2 &&
		chunks->calls < CHUNK_CALLS_MAX)
		chunks->calls *= 2;
	chunks->waited = now;
	return code;
}

static cudaError_t chunk_make(const struct timing *timing, const struct contestant_stream *asked,
							  struct chunks *chunks, uint64_t *calls)
{
	uint32_t sets = timing->opened->arena.sets;
	for (uint32_t i = 0; i < chunks->calls; i++) {
		uint32_t set = (uint32_t)(*calls % (sets - 1)); /* of those that are not `aside` */
		timing_call(timing, set < asked->aside ? set : set + 1);
		++*calls;
	}
	return timing->cudart->event_record(chunks->ends[chunks->made++ % CHUNKS], NULL);
}

static cudaError_t make_calls(const struct timing *timing, const struct contestant_stream *asked,
							  struct chunks *chunks, struct streamed *out)
{
	const struct cudart *cudart = timing->cudart;
	cudaError_t code = cudart->device_synchronize();
	double start = clock_seconds();
	while (code == cudaSuccess && clock_seconds() - start < asked->seconds) {
		code = chunk_make(timing, asked, chunks, &out->calls);
		if (code == cudaSuccess)
			code = chunk_wait(cudart, chunks);
	}
	if (code == cudaSuccess && asked->ends) {
		timing_call(timing, asked->aside);
		out->calls++;
	}
	if (code == cudaSuccess)
		code = cudart->device_synchronize();
	out->seconds = clock_seconds() - start;
	return code;
}

bool timing_stream(const struct timing *timing, const struct contestant_stream *asked,
				   struct streamed *out, cudaError_t *code, struct error *err)
{
	const struct cudart *cudart = timing->cudart;
	struct chunks chunks = {.calls = 1};
	if (cudart->event_create == NULL || cudart->event_record == NULL ||
		cudart->event_synchronize == NULL || cudart->event_destroy == NULL)
		return error_set(err, CUDART_FILE " has no events");
	*out = (struct streamed){0};
	*code = cudaSuccess;
	for (uint32_t i = 0; i < CHUNKS && *code == cudaSuccess; i++)
		*code = cudart->event_create(&chunks.ends[i]);
	if (*code == cudaSuccess)
		*code = make_calls(timing, asked, &chunks, out);
	for (uint32_t i = 0; i < CHUNKS; i++)
		if (chunks.ends[i] != NULL)
			cudart->event_destroy(chunks.ends[i]);
	return true;
}
