/* Kernels that CUDA leaves unordered: those of several streams, and one that may begin before the
 * kernel before it has ended (programmatic dependent launch). They are queued with the events
 * between them, and run one after another, in an order that runtime.options.order draws among those
 * that CUDA allows, when a call waits for any of them. A program that knows one stream, and no
 * dependent launches, queues nothing. */
#include <stdio.h>
#include <stdlib.h>

#include "emulator/launch/order.h"
#include "emulator/runtime/runtime.h"

#define QUEUE_MOST 64 /* bits of an order's set */

static struct queued queue[QUEUE_MOST];
static unsigned count;
static unsigned long long round_now = 1;

bool queue_wanted(const struct kernel_facts *facts)
{
	return runtime.options.order % ORDER_KINDS != ORDER_ISSUED &&
		   (count > 0 || runtime.streams || facts->launches_dependents);
}

static bool legacy(cudaStream_t stream)
{
	return !stream || stream == cudaStreamLegacy;
}

/* Whether what is issued to one of the streams waits for what was issued to the other. */
static bool in_order(cudaStream_t a, cudaStream_t b)
{
	return a == b || (legacy(a) && (legacy(b) || stream_blocking(b))) ||
		   (legacy(b) && stream_blocking(a));
}

uint64_t queue_of_stream(cudaStream_t stream)
{
	uint64_t found = 0;
	for (unsigned i = 0; i < count; i++)
		found |= (uint64_t)in_order(queue[i].stream, stream) << i;
	return found;
}

uint64_t queue_last(void)
{
	return count ? (uint64_t)1 << (count - 1) : 0;
}

unsigned long long queue_round(void)
{
	return round_now;
}

/* What an early kernel comes after: what the kernel before it in its stream does, but not that
 * kernel itself, where that lets its dependents begin. */
static uint64_t early_after(const struct queued *entry, uint64_t before)
{
	if (!before)
		return before;
	const unsigned last = 63 - (unsigned)__builtin_clzll(before);
	const struct queued *primary = &queue[last];
	if (primary->stream != entry->stream || !primary->launches_dependents)
		return before;
	return before & ~((uint64_t)1 << last);
}

void queue_add(struct queued *entry)
{
	if (count == QUEUE_MOST) {
		queue_run();
		entry->after = 0;
	}
	const uint64_t before = queue_of_stream(entry->stream);
	entry->after |= entry->early ? early_after(entry, before) : before;
	queue[count++] = *entry;
}

static void forget(struct queued *entry)
{
	free(entry->parameters);
	entry->parameters = NULL;
}

static void run_one(struct queued *entry)
{
	entry->run.parameters = entry->parameters;
	entry->run.order = &entry->order;
	if (entry->event)
		stream_record_event(entry->event);
	if (entry->function &&
		launch_now(entry->function, &entry->run, entry->cooperative) == cudaErrorMemoryAllocation) {
		struct fault fault = {.kind = FAULT_MEMORY};
		snprintf(fault.text, sizeof fault.text, "no memory for the workspace of a grid");
		runtime_fault(&fault);
	}
}

void queue_run(void)
{
	uint64_t left = count < QUEUE_MOST ? ((uint64_t)1 << count) - 1 : UINT64_MAX;
	while (left && runtime.fault == cudaSuccess) {
		uint64_t ready = 0;
		for (unsigned i = 0; i < count; i++)
			ready |= (uint64_t)((left >> i & 1) && !(queue[i].after & left)) << i;
		const unsigned next = order_next(runtime.options.order, ready, count);
		run_one(&queue[next]);
		left &= ~((uint64_t)1 << next);
	}
	queue_drop();
}

void queue_drop(void)
{
	for (unsigned i = 0; i < count; i++)
		forget(&queue[i]);
	round_now += count > 0;
	count = 0;
}
