/* Streams that are captured into graphs: instead of being run, what a program asks of them becomes
 * nodes. A stream joins a capture by waiting for an event that was recorded in it. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/runtime/graph.h"

struct capture {
	struct capture *next;
	unsigned long long id;
	cudaGraph_t graph;
	bool own; /* its graph goes where the capture fails; else the program brought it */
	cudaStream_t origin;
	enum cudaStreamCaptureMode mode;
	pthread_t thread;
	bool spoilt;
};

/* Nodes that what comes next depends on. */
struct frontier {
	cudaGraphNode_t *nodes;
	size_t count;
};

struct branch {
	struct branch *next;
	struct capture *capture;
	cudaStream_t stream;
	struct frontier at;
};

/* An event that was last recorded in a captured stream. */
struct mark {
	struct mark *next;
	cudaEvent_t event;
	unsigned long long capture; /* its id: it may have ended */
	struct frontier at;
};

static struct capture *captures;
static struct branch *branches;
static struct mark *marks;
static unsigned long long captures_made;
static _Thread_local enum cudaStreamCaptureMode thread_mode = cudaStreamCaptureModeGlobal;

static bool frontier_copy(struct frontier *out, const cudaGraphNode_t *nodes, size_t count)
{
	cudaGraphNode_t *copy = malloc((count + 1) * sizeof(*copy));
	if (copy == NULL)
		return false;
	if (count)
		memcpy(copy, nodes, count * sizeof(*copy));
	free(out->nodes);
	*out = (struct frontier){copy, count};
	return true;
}

static bool frontier_add(struct frontier *to, const cudaGraphNode_t *nodes, size_t count)
{
	cudaGraphNode_t *more = realloc(to->nodes, (to->count + count + 1) * sizeof(*more));
	if (more == NULL)
		return false;
	to->nodes = more;
	for (size_t i = 0; i < count; i++) {
		size_t j = 0;
		while (j < to->count && to->nodes[j] != nodes[i])
			j++;
		if (j == to->count)
			to->nodes[to->count++] = nodes[i];
	}
	return true;
}

static struct branch *branch_find(cudaStream_t stream)
{
	struct branch *at = branches;
	while (at != NULL && at->stream != stream)
		at = at->next;
	return at;
}

static struct branch *branch_new(struct capture *capture, cudaStream_t stream)
{
	struct branch *branch = calloc(1, sizeof *branch);
	if (branch == NULL)
		return NULL;
	branch->capture = capture;
	branch->stream = stream;
	branch->next = branches;
	branches = branch;
	return branch;
}

static void branch_free(struct branch **at)
{
	struct branch *branch = *at;
	*at = branch->next;
	free(branch->at.nodes);
	free(branch);
}

static struct capture *capture_find(unsigned long long id)
{
	struct capture *at = captures;
	while (at != NULL && at->id != id)
		at = at->next;
	return at;
}

/* With its streams. The graph is whoever's it is by now. */
static void capture_free(struct capture *capture)
{
	for (struct branch **at = &branches; *at != NULL;) {
		if ((*at)->capture == capture)
			branch_free(at);
		else
			at = &(*at)->next;
	}
	struct capture **at = &captures;
	while (*at != capture)
		at = &(*at)->next;
	*at = capture->next;
	free(capture);
}

static cudaError_t spoil(struct capture *capture, cudaError_t status)
{
	capture->spoilt = true;
	return status;
}

void capture_spoil(struct branch *branch)
{
	spoil(branch->capture, cudaSuccess);
}

static bool is_legacy(cudaStream_t stream)
{
	return stream == NULL || stream == cudaStreamLegacy;
}

/* The legacy stream would wait for those that are captured. */
static cudaError_t forbid_legacy(bool spoils)
{
	cudaError_t status = cudaSuccess;
	for (struct branch *at = branches; at != NULL; at = at->next) {
		if (!stream_blocking(at->stream))
			continue;
		status = cudaErrorStreamCaptureImplicit;
		if (spoils)
			spoil(at->capture, status);
	}
	if (status != cudaSuccess)
		refusal_reason("give copies and kernels the stream that is captured, or create it with "
					   "cudaStreamNonBlocking",
					   "the legacy default stream is used while a stream is captured that waits "
					   "for it");
	return status;
}

static cudaError_t refuse_spoilt(void)
{
	refusal_reason("look at the first call that failed after cudaStreamBeginCapture",
				   "an earlier call has ended the capture of the stream");
	return cudaErrorStreamCaptureInvalidated;
}

cudaError_t capture_of(cudaStream_t stream, struct branch **out)
{
	*out = NULL;
	if (captures == NULL)
		return cudaSuccess;
	if (is_legacy(stream))
		return forbid_legacy(true);
	*out = branch_find(stream);
	return *out != NULL && (*out)->capture->spoilt ? refuse_spoilt() : cudaSuccess;
}

cudaError_t capture_add(struct branch *branch, struct graph_work *work)
{
	cudaGraphNode_t node;
	cudaError_t status =
		graph_add(branch->capture->graph, branch->at.nodes, branch->at.count, work, &node);
	if (status == cudaSuccess && !frontier_copy(&branch->at, &node, 1))
		status = cudaErrorMemoryAllocation;
	return status == cudaSuccess ? status : spoil(branch->capture, status);
}

/* ---- what may not be called ----------------------------------------------------------- */

static cudaError_t refuse_call(void)
{
	refusal_reason("call it before cudaStreamBeginCapture, or after cudaStreamEndCapture",
				   "not permitted while a stream is captured");
	return cudaErrorStreamCaptureUnsupported;
}

cudaError_t capture_forbids_wait(cudaStream_t stream)
{
	struct branch *branch;
	cudaError_t status = capture_of(stream, &branch);
	if (status != cudaSuccess || branch == NULL)
		return status;
	return spoil(branch->capture, refuse_call());
}

cudaError_t capture_forbids_waits(void)
{
	for (struct capture *at = captures; at != NULL; at = at->next)
		spoil(at, cudaSuccess);
	return captures != NULL ? refuse_call() : cudaSuccess;
}

static bool forbids(const struct capture *capture)
{
	if (capture->spoilt || capture->mode == cudaStreamCaptureModeRelaxed ||
		thread_mode == cudaStreamCaptureModeRelaxed)
		return false;
	return pthread_equal(capture->thread, pthread_self()) ||
		   (capture->mode == cudaStreamCaptureModeGlobal &&
			thread_mode == cudaStreamCaptureModeGlobal);
}

cudaError_t capture_forbids(void)
{
	cudaError_t status = cudaSuccess;
	for (struct capture *at = captures; at != NULL; at = at->next)
		if (forbids(at))
			status = spoil(at, cudaErrorStreamCaptureUnsupported);
	return status == cudaSuccess ? status : refuse_call();
}

/* ---- events --------------------------------------------------------------------------- */

static struct mark *mark_find(cudaEvent_t event)
{
	struct mark *at = marks;
	while (at != NULL && at->event != event)
		at = at->next;
	return at;
}

bool capture_has_event(cudaEvent_t event)
{
	return mark_find(event) != NULL;
}

void capture_forget_event(cudaEvent_t event)
{
	struct mark **at = &marks;
	while (*at != NULL && (*at)->event != event)
		at = &(*at)->next;
	if (*at == NULL)
		return;
	struct mark *mark = *at;
	*at = mark->next;
	free(mark->at.nodes);
	free(mark);
}

bool capture_record(struct branch *branch, cudaEvent_t event)
{
	capture_forget_event(event);
	struct mark *mark = branch != NULL ? calloc(1, sizeof *mark) : NULL;
	if (mark == NULL || !frontier_copy(&mark->at, branch->at.nodes, branch->at.count)) {
		free(mark);
		return false;
	}
	mark->event = event;
	mark->capture = branch->capture->id;
	mark->next = marks;
	marks = mark;
	return true;
}

static cudaError_t refuse_outside(struct branch *branch)
{
	refusal_reason("record the event in a stream of the same capture, after cudaStreamBeginCapture",
				   "the stream is captured, and the event was recorded outside of the capture");
	return spoil(branch->capture, cudaErrorStreamCaptureIsolation);
}

static cudaError_t join(struct capture *capture, struct branch *branch, cudaStream_t stream,
						const struct mark *mark)
{
	if (branch != NULL && branch->capture != capture) {
		spoil(branch->capture, cudaSuccess);
		return spoil(capture, cudaErrorStreamCaptureMerge);
	}
	if (capture->spoilt)
		return refuse_spoilt();
	if (branch == NULL && (branch = branch_new(capture, stream)) == NULL)
		return cudaErrorMemoryAllocation;
	return frontier_add(&branch->at, mark->at.nodes, mark->at.count) ? cudaSuccess
																	 : cudaErrorMemoryAllocation;
}

cudaError_t capture_wait(cudaStream_t stream, cudaEvent_t event, bool *captured)
{
	struct branch *branch;
	const struct mark *mark = mark_find(event);
	cudaError_t status = capture_of(stream, &branch);
	*captured = branch != NULL || mark != NULL;
	if (status != cudaSuccess || !*captured)
		return status;
	struct capture *capture = mark != NULL ? capture_find(mark->capture) : NULL;
	if (branch != NULL && capture == NULL)
		return refuse_outside(branch);
	if (capture == NULL)
		return cudaErrorCapturedEvent;
	if (is_legacy(stream))
		return spoil(capture, cudaErrorStreamCaptureImplicit);
	return join(capture, branch, stream, mark);
}

/* ---- beginning and end ---------------------------------------------------------------- */

static cudaError_t check_begin(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
	if (mode > cudaStreamCaptureModeRelaxed)
		return cudaErrorInvalidValue;
	if (is_legacy(stream)) {
		refusal_reason("make a stream with cudaStreamCreate, and give it to the calls that are to "
					   "be captured",
					   "the legacy default stream cannot be captured");
		return cudaErrorStreamCaptureUnsupported;
	}
	return branch_find(stream) != NULL ? cudaErrorIllegalState : cudaSuccess;
}

cudaError_t capture_begin(cudaStream_t stream, enum cudaStreamCaptureMode mode, cudaGraph_t into,
						  const cudaGraphNode_t *after, size_t count)
{
	cudaError_t status = check_begin(stream, mode);
	if (status != cudaSuccess)
		return status;
	struct capture *capture = calloc(1, sizeof *capture);
	struct branch *branch = capture != NULL ? branch_new(capture, stream) : NULL;
	cudaGraph_t graph = into != NULL ? into : graph_new();
	if (branch == NULL || graph == NULL || !frontier_copy(&branch->at, after, count)) {
		if (branch != NULL)
			branch_free(&branches);
		free(capture);
		return cudaErrorMemoryAllocation;
	}
	branch->capture = capture;
	*capture = (struct capture){.next = captures,
								.id = ++captures_made,
								.graph = graph,
								.own = into == NULL,
								.origin = stream,
								.mode = mode,
								.thread = pthread_self()};
	captures = capture;
	if (into == NULL)
		graph_give(graph); /* so that its nodes are valid while it is captured */
	return cudaSuccess;
}

/* Every stream that joined has to be waited for by the first one. */
static bool all_joined(const struct capture *capture, const struct branch *origin)
{
	for (const struct branch *at = branches; at != NULL; at = at->next) {
		for (size_t i = 0; at->capture == capture && i < at->at.count; i++) {
			bool joined = false;
			for (size_t j = 0; !joined && j < origin->at.count; j++)
				joined = graph_comes_after(origin->at.nodes[j], at->at.nodes[i]);
			if (!joined)
				return false;
		}
	}
	return true;
}

static cudaError_t check_end(const struct branch *branch)
{
	const struct capture *capture = branch->capture;
	if (capture->spoilt)
		return refuse_spoilt();
	if (all_joined(capture, branch))
		return cudaSuccess;
	refusal_reason("before cudaStreamEndCapture, record an event in each of them, and let the "
				   "first stream wait for it",
				   "streams that joined the capture were not joined with the stream that it began "
				   "in");
	return cudaErrorStreamCaptureUnjoined;
}

cudaError_t capture_end(cudaStream_t stream, cudaGraph_t *out)
{
	struct branch *branch = is_legacy(stream) ? NULL : branch_find(stream);
	*out = NULL;
	if (branch == NULL)
		return cudaErrorIllegalState;
	struct capture *capture = branch->capture;
	if (capture->origin != stream)
		return cudaErrorStreamCaptureUnmatched;
	if (capture->mode != cudaStreamCaptureModeRelaxed &&
		!pthread_equal(capture->thread, pthread_self()))
		return cudaErrorStreamCaptureWrongThread;
	cudaError_t status = check_end(branch);
	if (status == cudaSuccess)
		*out = capture->graph;
	else if (capture->own && graph_take_back(capture->graph))
		graph_free(capture->graph);
	capture_free(capture);
	return status;
}

cudaError_t capture_ask(cudaStream_t stream, struct capture_facts *out)
{
	*out = (struct capture_facts){.status = cudaStreamCaptureStatusNone};
	if (is_legacy(stream))
		return forbid_legacy(false);
	const struct branch *branch = branch_find(stream);
	if (branch == NULL)
		return cudaSuccess;
	*out = (struct capture_facts){
		.status = branch->capture->spoilt ? cudaStreamCaptureStatusInvalidated
										  : cudaStreamCaptureStatusActive,
		.id = branch->capture->id,
		.graph = branch->capture->graph,
		.after = branch->at.nodes,
		.after_count = branch->at.count,
	};
	return cudaSuccess;
}

cudaError_t capture_set(cudaStream_t stream, const cudaGraphNode_t *after, size_t count, bool add)
{
	struct branch *branch;
	cudaError_t status = capture_of(stream, &branch);
	if (status == cudaSuccess && branch == NULL)
		status = cudaErrorIllegalState;
	if (status != cudaSuccess)
		return status;
	if (!graph_has_nodes(branch->capture->graph, after, count))
		return cudaErrorInvalidValue;
	const bool done =
		add ? frontier_add(&branch->at, after, count) : frontier_copy(&branch->at, after, count);
	return done ? cudaSuccess : cudaErrorMemoryAllocation;
}

enum cudaStreamCaptureMode capture_exchange_mode(enum cudaStreamCaptureMode mode)
{
	const enum cudaStreamCaptureMode before = thread_mode;
	thread_mode = mode;
	return before;
}

void capture_forget_stream(cudaStream_t stream)
{
	struct branch **at = &branches;
	while (*at != NULL && (*at)->stream != stream)
		at = &(*at)->next;
	if (*at == NULL)
		return;
	struct capture *capture = (*at)->capture;
	spoil(capture, cudaSuccess);
	branch_free(at);
	if (capture->origin == stream)
		capture_free(capture);
}

void capture_drop_all(void)
{
	while (captures != NULL)
		capture_free(captures);
	while (marks != NULL)
		capture_forget_event(marks->event);
}
