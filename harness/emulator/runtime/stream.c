/* Streams and events. Kernels run in order inside the call that asks for them, or are queued
 * (queue.c); a stream is only a handle, and an event is the host time at which
 * it was recorded: elapsed times are true of this process and say nothing about
 * a GPU. */
#include <stdlib.h>

#include "emulator/runtime/graph.h"
#include "emulator/runtime/newer.h"

#define PRIORITY_GREATEST (-5)

bool stream_valid(cudaStream_t stream)
{
	if (stream == NULL || stream == cudaStreamLegacy || stream == cudaStreamPerThread)
		return true;
	const struct CUstream_st *at = runtime.streams;
	while (at != NULL && at != stream)
		at = at->next;
	return at != NULL;
}

static bool stream_made(cudaStream_t stream)
{
	return stream_valid(stream) && stream != NULL && stream != cudaStreamLegacy &&
		   stream != cudaStreamPerThread;
}

static cudaError_t enter_stream(cudaStream_t stream)
{
	cudaError_t status = runtime_enter_apart();
	return status == cudaSuccess && !stream_valid(stream) ? cudaErrorInvalidResourceHandle : status;
}

static cudaError_t stream_create(cudaStream_t *out, unsigned flags, int priority)
{
	if (out == NULL || flags > cudaStreamNonBlocking)
		return cudaErrorInvalidValue;
	struct CUstream_st *stream = calloc(1, sizeof *stream);
	if (stream == NULL)
		return cudaErrorMemoryAllocation;
	stream->flags = flags;
	stream->priority = priority > 0                   ? 0
					   : priority < PRIORITY_GREATEST ? PRIORITY_GREATEST
													  : priority;
	stream->id = ++runtime.streams_made + 2; /* after the three that always exist */
	stream->next = runtime.streams;
	runtime.streams = stream;
	*out = stream;
	return cudaSuccess;
}

EXPORT cudaError_t cudaStreamCreateWithPriority(cudaStream_t *out, unsigned flags, int priority)
{
	cudaError_t status = runtime_enter_queueing();
	if (status == cudaSuccess)
		status = stream_create(out, flags, priority);
	return runtime_leave(status);
}

EXPORT cudaError_t cudaStreamCreateWithFlags(cudaStream_t *out, unsigned flags)
{
	return cudaStreamCreateWithPriority(out, flags, 0);
}

EXPORT cudaError_t cudaStreamCreate(cudaStream_t *out)
{
	return cudaStreamCreateWithPriority(out, cudaStreamDefault, 0);
}

EXPORT cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
	cudaError_t status = runtime_enter();
	if (status == cudaSuccess && !stream_made(stream))
		status = cudaErrorInvalidResourceHandle;
	if (status != cudaSuccess)
		return runtime_leave(status);
	struct CUstream_st **at = &runtime.streams;
	while (*at != stream)
		at = &(*at)->next;
	*at = stream->next;
	capture_forget_stream(stream);
	free(stream);
	return runtime_leave(cudaSuccess);
}

void stream_drop_all(void)
{
	queue_drop();
	timeline_host_waits_all();
	while (runtime.streams != NULL) {
		struct CUstream_st *stream = runtime.streams;
		runtime.streams = stream->next;
		free(stream);
	}
	while (runtime.events != NULL) {
		struct CUevent_st *event = runtime.events;
		runtime.events = event->next;
		free(event);
	}
}

/* For calls that wait for the stream, or ask how far it is. */
static cudaError_t enter_wait(cudaStream_t stream)
{
	cudaError_t status = enter_stream(stream);
	if (status == cudaSuccess)
		status = capture_forbids_wait(stream);
	if (status == cudaSuccess)
		timeline_host_waits_stream(stream);
	return status;
}

EXPORT cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
	return runtime_leave(enter_wait(stream));
}
EXPORT_ALIAS(cudaStreamSynchronize, cudaStreamSynchronize_ptsz);

EXPORT cudaError_t cudaStreamQuery(cudaStream_t stream)
{
	return runtime_leave(enter_wait(stream));
}
EXPORT_ALIAS(cudaStreamQuery, cudaStreamQuery_ptsz);

EXPORT cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned *out)
{
	cudaError_t status = enter_stream(stream);
	if (status == cudaSuccess)
		*out = stream_made(stream) ? stream->flags : cudaStreamDefault;
	return runtime_leave(status);
}
EXPORT_ALIAS(cudaStreamGetFlags, cudaStreamGetFlags_ptsz);

EXPORT cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *out)
{
	cudaError_t status = enter_stream(stream);
	if (status == cudaSuccess)
		*out = stream_made(stream) ? stream->priority : 0;
	return runtime_leave(status);
}
EXPORT_ALIAS(cudaStreamGetPriority, cudaStreamGetPriority_ptsz);

EXPORT cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *out)
{
	cudaError_t status = enter_stream(stream);
	if (status == cudaSuccess)
		*out = stream_made(stream) ? stream->id : (unsigned long long)(uintptr_t)stream;
	return runtime_leave(status);
}
EXPORT_ALIAS(cudaStreamGetId, cudaStreamGetId_ptsz);

EXPORT cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *out)
{
	cudaError_t status = enter_stream(stream);
	if (status == cudaSuccess)
		*out = 0;
	return runtime_leave(status);
}
EXPORT_ALIAS(cudaStreamGetDevice, cudaStreamGetDevice_ptsz);

/* Tuning that has no effect here (access policy windows, priorities). */
EXPORT cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaLaunchAttributeID id,
										  const cudaLaunchAttributeValue *value)
{
	(void)id, (void)value;
	return runtime_leave(enter_stream(stream));
}
EXPORT_ALIAS(cudaStreamSetAttribute, cudaStreamSetAttribute_ptsz);

EXPORT cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
	cudaError_t status = runtime_enter();
	if (status == cudaSuccess && least != NULL)
		*least = 0;
	if (status == cudaSuccess && greatest != NULL)
		*greatest = PRIORITY_GREATEST;
	return runtime_leave(status);
}

/* Host functions run outside of the lock: the old form may call the runtime. */
cudaError_t stream_host_function(cudaStream_t stream, cudaHostFn_t function, void *data, bool *now)
{
	struct branch *branch = NULL;
	cudaError_t status = enter_stream(stream);
	if (status == cudaSuccess && function == NULL)
		status = cudaErrorInvalidValue;
	if (status == cudaSuccess)
		status = capture_of(stream, &branch);
	if (status == cudaSuccess && branch != NULL)
		status = capture_add(
			branch, &(struct graph_work){.type = cudaGraphNodeTypeHost, .host = {function, data}});
	*now = status == cudaSuccess && branch == NULL;
	if (*now)
		timeline_host_waits_stream(stream);
	return runtime_leave_call("cudaLaunchHostFunc", status);
}

EXPORT cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data)
{
	bool now;
	cudaError_t status = stream_host_function(stream, function, data, &now);
	if (now)
		function(data);
	return status;
}
EXPORT_ALIAS(cudaLaunchHostFunc, cudaLaunchHostFunc_ptsz);

EXPORT cudaError_t cudaLaunchHostFunc_v2(cudaStream_t stream, cudaHostFn_t function, void *data,
										 unsigned mode)
{
	if (mode >= HOST_SYNC_MODES)
		return runtime_leave((runtime_enter(), cudaErrorInvalidValue));
	return cudaLaunchHostFunc(stream, function, data);
}
EXPORT_ALIAS(cudaLaunchHostFunc_v2, cudaLaunchHostFunc_v2_ptsz);

EXPORT cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback,
										 void *data, unsigned flags)
{
	cudaError_t status = enter_wait(stream);
	(void)flags;
	if (status == cudaSuccess && callback == NULL)
		status = cudaErrorInvalidValue;
	runtime_leave(status);
	if (status == cudaSuccess)
		callback(stream, cudaSuccess, data);
	return status;
}
EXPORT_ALIAS(cudaStreamAddCallback, cudaStreamAddCallback_ptsz);

static cudaError_t known_event(cudaError_t status, cudaEvent_t event)
{
	if (status != cudaSuccess)
		return status;
	const struct CUevent_st *at = runtime.events;
	while (at != NULL && at != event)
		at = at->next;
	return at != NULL ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

static cudaError_t enter_event(cudaEvent_t event)
{
	return known_event(runtime_enter_apart(), event);
}

/* For calls that wait for the event, or ask for its time. */
static cudaError_t enter_recorded(cudaEvent_t event)
{
	cudaError_t status = enter_event(event);
	if (status == cudaSuccess && capture_has_event(event))
		status = cudaErrorCapturedEvent;
	if (status == cudaSuccess)
		status = capture_forbids();
	if (status == cudaSuccess)
		timeline_host_waits(&event->clock);
	return status;
}

EXPORT cudaError_t cudaEventCreateWithFlags(cudaEvent_t *out, unsigned flags)
{
	cudaError_t status = runtime_enter_queueing();
	struct CUevent_st *event = NULL;
	if (status == cudaSuccess && out == NULL)
		status = cudaErrorInvalidValue;
	if (status == cudaSuccess && (event = calloc(1, sizeof *event)) == NULL)
		status = cudaErrorMemoryAllocation;
	if (event != NULL) {
		event->flags = flags;
		event->next = runtime.events;
		runtime.events = event;
		*out = event;
	}
	return runtime_leave(status);
}

EXPORT cudaError_t cudaEventCreate(cudaEvent_t *out)
{
	return cudaEventCreateWithFlags(out, cudaEventDefault);
}

EXPORT cudaError_t cudaEventDestroy(cudaEvent_t event)
{
	cudaError_t status = enter_event(event);
	if (status != cudaSuccess)
		return runtime_leave(status);
	struct CUevent_st **at = &runtime.events;
	while (*at != event)
		at = &(*at)->next;
	*at = event->next;
	capture_forget_event(event);
	free(event);
	return runtime_leave(cudaSuccess);
}

/* An event, or a wait for one, among what is queued. */
static void queue_event(cudaStream_t stream, cudaEvent_t event, uint64_t after)
{
	queue_add(&(struct queued){.stream = stream, .event = event, .after = after});
}

/* Events of a graph that others wait for. */
static cudaError_t lacks_external(struct branch *branch, const char *call)
{
	runtime_say("%s(external) is not implemented", runtime_call_name(call));
	capture_spoil(branch);
	return cudaErrorNotSupported;
}

static cudaError_t lacks_external_wait(cudaStream_t stream)
{
	struct branch *branch;
	cudaError_t status = capture_of(stream, &branch);
	if (status != cudaSuccess || branch == NULL)
		return status;
	return lacks_external(branch, "cudaStreamWaitEvent");
}

EXPORT cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags)
{
	struct branch *branch = NULL;
	cudaError_t status = known_event(runtime_enter_queueing(), event);
	if (status == cudaSuccess && !stream_valid(stream))
		status = cudaErrorInvalidResourceHandle;
	if (status == cudaSuccess)
		status = capture_of(stream, &branch);
	if (status == cudaSuccess && branch != NULL && flags & cudaEventRecordExternal)
		status = lacks_external(branch, "cudaEventRecordWithFlags");
	if (status == cudaSuccess && capture_record(branch, event))
		return runtime_leave(status);
	if (status == cudaSuccess) {
		event->queued = 0;
		timeline_record(stream, &event->clock);
		queue_record_event(event);
	}
	if (status == cudaSuccess && queue_of_stream(stream)) {
		queue_event(stream, event, 0);
		event->round = queue_round();
		event->queued = queue_last();
	}
	return runtime_leave(status);
}
EXPORT_ALIAS(cudaEventRecordWithFlags, cudaEventRecordWithFlags_ptsz);

EXPORT cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
	return cudaEventRecordWithFlags(event, stream, 0);
}
EXPORT_ALIAS(cudaEventRecord, cudaEventRecord_ptsz);

EXPORT cudaError_t cudaEventQuery(cudaEvent_t event)
{
	return runtime_leave(enter_recorded(event));
}

EXPORT cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
	return runtime_leave(enter_recorded(event));
}

EXPORT cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
	cudaError_t status = known_event(runtime_enter_queueing(), event);
	bool captured = false;
	if (status == cudaSuccess && !stream_valid(stream))
		status = cudaErrorInvalidResourceHandle;
	if (status == cudaSuccess && flags & cudaEventWaitExternal)
		status = lacks_external_wait(stream);
	if (status == cudaSuccess)
		status = capture_wait(stream, event, &captured);
	if (status == cudaSuccess && !captured)
		timeline_wait(stream, &event->clock);
	if (status == cudaSuccess && !captured && event->queued && event->round == queue_round())
		queue_event(stream, NULL, event->queued);
	return runtime_leave(status);
}
EXPORT_ALIAS(cudaStreamWaitEvent, cudaStreamWaitEvent_ptsz);

EXPORT cudaError_t cudaEventElapsedTime(float *out, cudaEvent_t start, cudaEvent_t end)
{
	cudaError_t status = enter_recorded(start);
	if (status == cudaSuccess) {
		runtime_leave(status);
		status = enter_recorded(end);
	}
	if (status == cudaSuccess && out == NULL)
		status = cudaErrorInvalidValue;
	if (status == cudaSuccess && (!start->recorded || !end->recorded ||
								  (start->flags | end->flags) & cudaEventDisableTiming))
		status = cudaErrorInvalidResourceHandle;
	if (status == cudaSuccess)
		*out = (float)(end->time.tv_sec - start->time.tv_sec) * 1e3f +
			   (float)(end->time.tv_nsec - start->time.tv_nsec) * 1e-6f;
	return runtime_leave(status);
}
