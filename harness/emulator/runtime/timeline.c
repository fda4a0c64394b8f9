/* What comes before what, for the race check: operations are issued to streams, each of which has a
 * timeline; events, waits and the host carry clocks from one to another. Nothing is done where
 * races are not looked for.
 *
 * Calls that may wait for the whole device (allocating, freeing) count as if they did. */
#include <string.h>

#include "emulator/runtime/runtime.h"

/* Timelines of the two streams that always exist; those that are made share the others, in turn:
 * of two that share one less is found. */
enum { TIMELINE_LEGACY, TIMELINE_THREAD, TIMELINE_MADE };

static struct machine_clock host;
static struct machine_clock legacy_clock, thread_clock; /* what comes before the next operation */
static struct machine_clock issued;                     /* the last of each timeline */
static uint32_t triggers[MACHINE_TIMELINES]; /* the last one, if its dependents may begin early */

static bool wanted(void)
{
	return runtime.options.check_race;
}

void timeline_join(struct machine_clock *into, const struct machine_clock *more)
{
	for (int i = 0; i < MACHINE_TIMELINES; i++)
		if (more->seen[i] > into->seen[i])
			into->seen[i] = more->seen[i];
}

static bool legacy(cudaStream_t stream)
{
	return stream == NULL || stream == cudaStreamLegacy;
}

static uint32_t timeline_of(cudaStream_t stream)
{
	if (legacy(stream))
		return TIMELINE_LEGACY;
	if (stream == cudaStreamPerThread)
		return TIMELINE_THREAD;
	return (uint32_t)(TIMELINE_MADE + stream->id % (MACHINE_TIMELINES - TIMELINE_MADE));
}

static struct machine_clock *clock_of(cudaStream_t stream)
{
	return legacy(stream)                  ? &legacy_clock
		   : stream == cudaStreamPerThread ? &thread_clock
										   : &stream->clock;
}

/* What comes before something that is issued to the stream now. */
static struct machine_clock before(cudaStream_t stream)
{
	struct machine_clock clock = host;
	timeline_join(&clock, clock_of(stream));
	if (stream_blocking(stream))
		timeline_join(&clock, &legacy_clock);
	if (legacy(stream)) {
		timeline_join(&clock, &thread_clock);
		for (struct CUstream_st *at = runtime.streams; at != NULL; at = at->next)
			if (stream_blocking(at))
				timeline_join(&clock, &at->clock);
	}
	return clock;
}

void timeline_issue(cudaStream_t stream, bool programmatic, bool launches_dependents,
					struct machine_order *out)
{
	*out = (struct machine_order){0};
	if (!wanted())
		return;
	out->timeline = timeline_of(stream);
	out->before = before(stream);
	out->number = ++issued.seen[out->timeline];
	if (programmatic && triggers[out->timeline] > host.seen[out->timeline])
		out->early = triggers[out->timeline];
	triggers[out->timeline] = launches_dependents ? out->number : 0;
	*clock_of(stream) = out->before;
	clock_of(stream)->seen[out->timeline] = out->number;
}

void timeline_issue_node(unsigned long long which, const struct machine_clock *before,
						 struct machine_order *out)
{
	*out = (struct machine_order){0};
	if (!wanted())
		return;
	out->timeline = (uint32_t)(TIMELINE_MADE + which % (MACHINE_TIMELINES - TIMELINE_MADE));
	out->before = *before;
	out->number = ++issued.seen[out->timeline];
	triggers[out->timeline] = 0;
}

void timeline_see(struct machine_clock *into, const struct machine_order *order)
{
	timeline_join(into, &order->before);
	if (order->number > into->seen[order->timeline])
		into->seen[order->timeline] = order->number;
}

void timeline_record(cudaStream_t stream, struct machine_clock *event)
{
	if (wanted())
		*event = before(stream);
}

void timeline_wait(cudaStream_t stream, const struct machine_clock *event)
{
	if (wanted())
		timeline_join(clock_of(stream), event);
}

void timeline_host_waits(const struct machine_clock *clock)
{
	if (!wanted())
		return;
	timeline_join(&host, clock);
	machine_waited(&host);
}

void timeline_host_waits_stream(cudaStream_t stream)
{
	if (!wanted())
		return;
	const struct machine_clock clock = before(stream);
	timeline_host_waits(&clock);
}

void timeline_host_waits_all(void)
{
	timeline_host_waits(&issued);
}

/* Says a race with a copy as a kernel's. */
static cudaError_t copied(const struct machine_order *order, const struct machine_copy *copy)
{
	struct fault fault;
	if (copy->bytes == 0 || machine_copied(order, copy, &fault))
		return cudaSuccess;
	runtime_fault(&fault);
	return runtime.fault;
}

cudaError_t timeline_copy(const struct machine_order *order, const char *call, bool keep,
						  const void *to, const void *from, size_t size)
{
	cudaError_t status = cudaSuccess;
	struct machine_copy copy = {runtime_call_name(call), (uintptr_t)from, size, false, keep};
	if (wanted() && from != NULL)
		status = copied(order, &copy);
	copy.address = (uintptr_t)to;
	copy.write = true;
	if (wanted() && status == cudaSuccess)
		status = copied(order, &copy);
	return status;
}
