/* What programs call to capture a stream. */
#include "emulator/runtime/graph.h"

static cudaError_t enter_stream(cudaStream_t stream)
{
	cudaError_t status = runtime_enter_queueing();
	return status == cudaSuccess && !stream_valid(stream) ? cudaErrorInvalidResourceHandle : status;
}

EXPORT cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
	cudaError_t status = enter_stream(stream);
	if (status == cudaSuccess)
		status = capture_begin(stream, mode, NULL, NULL, 0);
	return runtime_leave(status);
}
EXPORT_ALIAS(cudaStreamBeginCapture, cudaStreamBeginCapture_ptsz);

EXPORT cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
												 const cudaGraphNode_t *after,
												 const cudaGraphEdgeData *edges, size_t count,
												 enum cudaStreamCaptureMode mode)
{
	cudaError_t status = enter_stream(stream);
	(void)edges;
	if (status == cudaSuccess && (!graph_valid(graph) || !graph_has_nodes(graph, after, count)))
		status = cudaErrorInvalidValue;
	if (status == cudaSuccess)
		status = capture_begin(stream, mode, graph, after, count);
	return runtime_leave(status);
}
EXPORT_ALIAS(cudaStreamBeginCaptureToGraph, cudaStreamBeginCaptureToGraph_ptsz);

EXPORT cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *out)
{
	cudaError_t status = enter_stream(stream);
	if (status == cudaSuccess && out == NULL)
		status = cudaErrorInvalidValue;
	if (status == cudaSuccess)
		status = capture_end(stream, out);
	return runtime_leave(status);
}
EXPORT_ALIAS(cudaStreamEndCapture, cudaStreamEndCapture_ptsz);

EXPORT cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *out,
											unsigned long long *id, cudaGraph_t *graph,
											const cudaGraphNode_t **after,
											const cudaGraphEdgeData **edges, size_t *count)
{
	struct capture_facts facts;
	cudaError_t status = enter_stream(stream);
	if (status == cudaSuccess && out == NULL)
		status = cudaErrorInvalidValue;
	if (status == cudaSuccess)
		status = capture_ask(stream, &facts);
	if (status != cudaSuccess)
		return runtime_leave(status);
	*out = facts.status;
	if (id != NULL)
		*id = facts.id;
	if (graph != NULL)
		*graph = facts.graph;
	if (after != NULL)
		*after = facts.after;
	if (edges != NULL) /* all edges are of the default kind */
		*edges = NULL;
	if (count != NULL)
		*count = facts.after_count;
	return runtime_leave(cudaSuccess);
}
EXPORT_ALIAS(cudaStreamGetCaptureInfo, cudaStreamGetCaptureInfo_ptsz);

EXPORT cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *out)
{
	return cudaStreamGetCaptureInfo(stream, out, NULL, NULL, NULL, NULL, NULL);
}
EXPORT_ALIAS(cudaStreamIsCapturing, cudaStreamIsCapturing_ptsz);

EXPORT cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *after,
													   const cudaGraphEdgeData *edges, size_t count,
													   unsigned flags)
{
	cudaError_t status = enter_stream(stream);
	(void)edges;
	if (status == cudaSuccess &&
		((count && after == NULL) || flags > cudaStreamSetCaptureDependencies))
		status = cudaErrorInvalidValue;
	if (status == cudaSuccess)
		status = capture_set(stream, after, count, flags == cudaStreamAddCaptureDependencies);
	return runtime_leave(status);
}
EXPORT_ALIAS(cudaStreamUpdateCaptureDependencies, cudaStreamUpdateCaptureDependencies_ptsz);

EXPORT cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
	cudaError_t status = runtime_enter_queueing();
	if (status == cudaSuccess && (mode == NULL || *mode > cudaStreamCaptureModeRelaxed))
		status = cudaErrorInvalidValue;
	if (status == cudaSuccess)
		*mode = capture_exchange_mode(*mode);
	return runtime_leave(status);
}
