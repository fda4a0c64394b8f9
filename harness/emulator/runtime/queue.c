/* Kernels that CUDA leaves unordered: those of several streams, and one that may begin before the
 * kernel before it has ended (programmatic dependent launch). They are queued with the events
 * between them and the nodes of graphs, and run one after another, in an order that
 * runtime.options.order draws among those that CUDA allows, when a call waits for any of them. A
 * program that knows one stream, and no dependent launches, queues nothing: its kernels run at
 * once. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/launch/order.h"
#include "emulator/runtime/runtime.h"

#define QUEUE_MOST 64 /* bits of an order's set */
#define GRID_WORKSPACE_BYTES 64u

static struct queued queue[QUEUE_MOST];
static unsigned count;
static unsigned long long round_now = 1;

#define PARAMETERS_ALIGNED 256u

void *queue_parameters(size_t bytes)
{
	return aligned_alloc(PARAMETERS_ALIGNED, (bytes / PARAMETERS_ALIGNED + 1) * PARAMETERS_ALIGNED);
}

bool queue_wanted(const struct queued *entry)
{
	return runtime.options.order % ORDER_KINDS != ORDER_ISSUED &&
		   (count > 0 || runtime.streams != NULL || entry->launches_dependents);
}

static bool legacy(cudaStream_t stream)
{
	return stream == NULL || stream == cudaStreamLegacy;
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
	const uint64_t before = entry->of_graph ? 0 : queue_of_stream(entry->stream);
	entry->after |= entry->early ? early_after(entry, before) : before;
	queue[count++] = *entry;
}

void queue_record_event(struct CUevent_st *event)
{
	event->recorded = true;
	clock_gettime(CLOCK_MONOTONIC, &event->time);
}

/* Where the blocks of a cooperative launch meet; zeroed. */
static uint64_t grid_workspace(void)
{
	uint64_t address = memory_allocate(GRID_WORKSPACE_BYTES, "the workspace of the grid");
	if (address) {
		memset((void *)(uintptr_t)address, 0, GRID_WORKSPACE_BYTES);
		memory_mark_written(memory_find(address), address, GRID_WORKSPACE_BYTES);
	}
	return address;
}

static cudaError_t refuse_unsupported(const struct fault *fault)
{
	refusal_say(NULL, "%s", fault->text);
	return cudaErrorNotSupported;
}

cudaError_t queue_run_now(struct function *function, struct launch *run, bool cooperative)
{
	struct fault fault = {0};
	cudaError_t status = cudaSuccess;
	runtime_open_memory();
	if (cooperative && !(run->grid_workspace = grid_workspace()))
		status = cudaErrorMemoryAllocation;
	if (status == cudaSuccess) {
		function->launches++;
		runtime.options.stack_bytes = runtime.limits[cudaLimitStackSize];
		if (!machine_launch(run, &runtime.options, &function->counters, &fault)) {
			if (fault.kind == FAULT_UNSUPPORTED) /* a GPU has nothing against later calls */
				status = refuse_unsupported(&fault);
			else
				runtime_fault(&fault);
		} else {
			refusal_suspect(fault.text);
		}
		memory_free(run->grid_workspace);
	}
	runtime_close_memory();
	counters_write_sometimes(false);
	return status;
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
	if (entry->event != NULL)
		queue_record_event(entry->event);
	if (entry->work != NULL)
		entry->work(entry->node, &entry->order);
	if (entry->function != NULL && queue_run_now(entry->function, &entry->run,
												 entry->cooperative) == cudaErrorMemoryAllocation) {
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

cudaError_t runtime_enter_apart(void)
{
	cudaError_t status = runtime_enter_queueing();
	if (status != cudaSuccess)
		return status;
	queue_run();
	runtime.fault_surfaced = runtime.fault != cudaSuccess;
	return runtime.fault;
}

cudaError_t runtime_enter(void)
{
	const cudaError_t status = runtime_enter_apart();
	timeline_host_waits_all();
	return status;
}

/* Not CUDA's: draws the orders of blocks and of kernels from now on (launch/order.h). */
EXPORT cudaError_t cudaEmulatedOrder(uint64_t order)
{
	cudaError_t status = runtime_enter();
	runtime.options.order = order;
	return runtime_leave_quietly(status);
}
