/* Graphs of work, and the streams that are captured into them. graph.c keeps graphs, capture.c what
 * is captured; neither calls what asks for them. All functions with the lock held. */
#ifndef EMULATOR_RUNTIME_GRAPH_H
#define EMULATOR_RUNTIME_GRAPH_H

#include "emulator/runtime/copy.h"
#include "emulator/runtime/runtime.h"

/* What a node does. An empty node does nothing. */
struct graph_work {
	enum cudaGraphNodeType type;
	struct queued kernel; /* with parameters of its own; ordered by the graph */
	struct copy_work copy;
	struct fill fill;
	struct cudaHostNodeParams host;
	cudaGraph_t child; /* its own */
};

/* Places of the queue, while its round lasts. */
struct queue_places {
	unsigned long long round;
	uint64_t places;
};

struct CUgraphNode_st {
	cudaGraphNode_t next; /* of the graph, in the order in which they were added */
	cudaGraph_t graph;
	unsigned long long id, origin; /* its own, and that of the node that it is a copy of */
	struct graph_work work;
	cudaGraphNode_t *after; /* its dependencies */
	size_t after_count;
	void **arguments; /* of a kernel, for cudaGraphKernelNodeGetParams */
	bool disabled;
	bool visited;                        /* by the walk that is going on */
	struct queue_places begins, is_done; /* of the launch: behind what it begins, and it */
	struct machine_order order;          /* the same for the race check, */
	struct machine_clock clock;          /* and what comes behind it */
};

struct CUgraph_st {
	cudaGraph_t next; /* of those that the program has */
	cudaGraphNode_t first, last;
	size_t count;
};

struct CUgraphExec_st {
	cudaGraphExec_t next;
	cudaGraph_t graph; /* a copy */
	unsigned long long flags;
	struct queue_places last; /* of its last launch, */
	struct machine_clock end; /* and what comes behind that */
};

cudaGraph_t graph_new(void);
void graph_free(cudaGraph_t graph);
bool graph_valid(cudaGraph_t graph);
bool graph_node_valid(cudaGraphNode_t node);
/* Whether all of them are nodes of the graph; `nodes` may be NULL where there are none. */
bool graph_has_nodes(cudaGraph_t graph, const cudaGraphNode_t *nodes, size_t count);
/* A graph of the program's from now on. */
void graph_give(cudaGraph_t graph);
bool graph_take_back(cudaGraph_t graph); /* false: it is none */
/* A copy, whose nodes know their origins; NULL: no memory. */
cudaGraph_t graph_copy(cudaGraph_t graph);
/* The node whose origin is `node`, in children too; NULL: none. */
cudaGraphNode_t graph_find_copy(cudaGraph_t graph, cudaGraphNode_t node);
/* Takes the work with what it holds, whether it succeeds or not. */
cudaError_t graph_add(cudaGraph_t graph, const cudaGraphNode_t *after, size_t count,
					  struct graph_work *work, cudaGraphNode_t *out);
/* The node does something else of the same type from now on. Takes the work, as graph_add() does.
 */
cudaError_t graph_set(cudaGraphNode_t node, struct graph_work *work);
void graph_work_free(struct graph_work *work);
bool graph_work_copy(struct graph_work *out, const struct graph_work *from);
/* One more dependency of a node; one that is there already stays. */
cudaError_t graph_depend(cudaGraphNode_t node, cudaGraphNode_t on);
bool graph_undepend(cudaGraphNode_t node, const struct CUgraphNode_st *on); /* false: none was */
/* Takes the node and its edges out of its graph. */
void graph_remove(cudaGraphNode_t node);
bool graph_depends(const struct CUgraphNode_st *node, const struct CUgraphNode_st *on);
/* Whether `node` comes after `on`, however many nodes lie between, or is that. */
bool graph_comes_after(cudaGraphNode_t node, cudaGraphNode_t on);
/* Gives `each` all nodes, a node's dependencies first; false: they go round in a circle. */
bool graph_walk(cudaGraph_t graph, void (*each)(cudaGraphNode_t node, void *data), void *data);
void graph_drop_all(void);
/* A copy of the graph, to be launched; NULL: no memory. */
cudaGraphExec_t graph_exec_new(cudaGraph_t graph);
bool graph_exec_valid(cudaGraphExec_t exec);
void graph_exec_free(cudaGraphExec_t exec);

/* A stream that is captured, and what its next node depends on. */
struct branch;
/* NULL: the stream is not captured. A capture that an error has ended, or the legacy stream while a
 * blocking one is captured: what CUDA returns. */
cudaError_t capture_of(cudaStream_t stream, struct branch **out);
/* Takes the work, as graph_add() does. */
cudaError_t capture_add(struct branch *branch, struct graph_work *work);
/* An error has ended the branch's capture. */
void capture_spoil(struct branch *branch);
/* What a call returns that waits for a stream, or asks how far it is; and for all of them. */
cudaError_t capture_forbids_wait(cudaStream_t stream);
cudaError_t capture_forbids_waits(void);
/* What a call returns that may wait for the device without saying so (cudaMalloc). */
cudaError_t capture_forbids(void);
/* The event is recorded in a stream: true, it is part of a capture now. */
bool capture_record(struct branch *branch, cudaEvent_t event);
/* A stream waits for the event: *captured, that was for the capture only. */
cudaError_t capture_wait(cudaStream_t stream, cudaEvent_t event, bool *captured);
bool capture_has_event(cudaEvent_t event);
void capture_forget_event(cudaEvent_t event);
void capture_forget_stream(cudaStream_t stream);
void capture_drop_all(void);

/* Of capture_calls.c's. */
struct capture_facts {
	enum cudaStreamCaptureStatus status;
	unsigned long long id;
	cudaGraph_t graph;
	const cudaGraphNode_t *after;
	size_t after_count;
};
cudaError_t capture_begin(cudaStream_t stream, enum cudaStreamCaptureMode mode, cudaGraph_t into,
						  const cudaGraphNode_t *after, size_t count);
cudaError_t capture_end(cudaStream_t stream, cudaGraph_t *out);
cudaError_t capture_ask(cudaStream_t stream, struct capture_facts *out);
cudaError_t capture_set(cudaStream_t stream, const cudaGraphNode_t *after, size_t count, bool add);
enum cudaStreamCaptureMode capture_exchange_mode(enum cudaStreamCaptureMode mode);

#endif
