/* Graphs that can be launched. A launch gives its nodes to the queue, ordered by the graph's edges
 * alone: nodes that no path orders run in any order, as kernels of two streams do. */
#include "emulator/launch/order.h"
#include "emulator/runtime/graph.h"

static cudaError_t instantiate(cudaGraphExec_t *out, cudaGraph_t graph, unsigned long long flags)
{
	const unsigned long long known =
		cudaGraphInstantiateFlagAutoFreeOnLaunch | cudaGraphInstantiateFlagUpload |
		cudaGraphInstantiateFlagDeviceLaunch | cudaGraphInstantiateFlagUseNodePriority;
	if (out == NULL || !graph_valid(graph) || flags & ~known)
		return cudaErrorInvalidValue;
	if (flags & cudaGraphInstantiateFlagDeviceLaunch) {
		runtime_say("%s(device-launch) is not implemented",
					runtime_call_name("cudaGraphInstantiate"));
		return cudaErrorNotSupported;
	}
	if (!graph_walk(graph, NULL, NULL)) {
		refusal_reason("take one of the dependencies away", "the graph's dependencies go round in "
															"a circle");
		return cudaErrorInvalidValue;
	}
	cudaGraphExec_t exec = graph_exec_new(graph);
	if (exec == NULL)
		return cudaErrorMemoryAllocation;
	exec->flags = flags;
	*out = exec;
	return cudaSuccess;
}

EXPORT cudaError_t cudaGraphInstantiate(cudaGraphExec_t *out, cudaGraph_t graph,
										unsigned long long flags)
{
	cudaError_t status = runtime_enter();
	if (status == cudaSuccess)
		status = instantiate(out, graph, flags);
	return runtime_leave(status);
}
EXPORT_ALIAS(cudaGraphInstantiate, cudaGraphInstantiateWithFlags);

EXPORT cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *out, cudaGraph_t graph,
												  cudaGraphInstantiateParams *parameters)
{
	cudaError_t status = runtime_enter();
	if (status == cudaSuccess && parameters == NULL)
		status = cudaErrorInvalidValue;
	if (status == cudaSuccess) {
		status = instantiate(out, graph, parameters->flags);
		parameters->errNode_out = NULL;
		parameters->result_out =
			status == cudaSuccess ? cudaGraphInstantiateSuccess : cudaGraphInstantiateError;
	}
	return runtime_leave(status);
}
EXPORT_ALIAS(cudaGraphInstantiateWithParams, cudaGraphInstantiateWithParams_ptsz);

static cudaError_t enter_exec(cudaGraphExec_t exec)
{
	cudaError_t status = runtime_enter();
	return status == cudaSuccess && !graph_exec_valid(exec) ? cudaErrorInvalidValue : status;
}

EXPORT cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
	cudaError_t status = enter_exec(exec);
	if (status == cudaSuccess)
		graph_exec_free(exec);
	return runtime_leave(status);
}

EXPORT cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long *out)
{
	cudaError_t status = enter_exec(exec);
	if (status == cudaSuccess && out == NULL)
		status = cudaErrorInvalidValue;
	if (status == cudaSuccess)
		*out = exec->flags;
	return runtime_leave(status);
}

/* There is nothing to be done before the first launch. */
EXPORT cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream)
{
	cudaError_t status = enter_exec(exec);
	if (status == cudaSuccess && !stream_valid(stream))
		status = cudaErrorInvalidResourceHandle;
	return runtime_leave(status);
}
EXPORT_ALIAS(cudaGraphUpload, cudaGraphUpload_ptsz);

static cudaError_t find_node(cudaGraphExec_t exec, cudaGraphNode_t node, cudaGraphNode_t *out)
{
	cudaError_t status = enter_exec(exec);
	if (status == cudaSuccess && !graph_node_valid(node))
		status = cudaErrorInvalidValue;
	if (status == cudaSuccess && (*out = graph_find_copy(exec->graph, node)) == NULL)
		status = cudaErrorInvalidValue;
	return status;
}

static bool can_be_disabled(enum cudaGraphNodeType type)
{
	return type == cudaGraphNodeTypeKernel || type == cudaGraphNodeTypeMemcpy ||
		   type == cudaGraphNodeTypeMemset;
}

EXPORT cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node,
										   unsigned enabled)
{
	cudaGraphNode_t copy = NULL;
	cudaError_t status = find_node(exec, node, &copy);
	if (status == cudaSuccess && !can_be_disabled(copy->work.type))
		status = cudaErrorInvalidValue;
	if (status == cudaSuccess)
		copy->disabled = !enabled;
	return runtime_leave(status);
}

EXPORT cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node,
										   unsigned *out)
{
	cudaGraphNode_t copy = NULL;
	cudaError_t status = find_node(exec, node, &copy);
	if (status == cudaSuccess && (out == NULL || !can_be_disabled(copy->work.type)))
		status = cudaErrorInvalidValue;
	if (status == cudaSuccess)
		*out = !copy->disabled;
	return runtime_leave(status);
}

/* ---- launches ------------------------------------------------------------------------- */

/* Places of a round that is over hold nothing any more. */
static uint64_t places_now(struct queue_places places)
{
	return places.round == queue_round() ? places.places : 0;
}

static struct queue_places places_of(uint64_t places)
{
	return (struct queue_places){queue_round(), places};
}

/* What was valid when the node was added may be so no longer. */
static void run_copy_or_fill(cudaGraphNode_t node, const struct machine_order *order)
{
	const bool copies = node->work.type == cudaGraphNodeTypeMemcpy;
	cudaError_t status = copies ? copy_run("cudaGraphLaunch", &node->work.copy, order, true)
								: fill_run("cudaGraphLaunch", &node->work.fill, order, true);
	struct fault fault = {
		.kind = status == cudaErrorLaunchFailure ? FAULT_UNINITIALISED : FAULT_ADDRESS,
		.text = "a node of the graph could not be run: see the line above",
	};
	if (status != cudaSuccess && runtime.fault == cudaSuccess)
		runtime_fault(&fault);
}

static void run_host(cudaGraphNode_t node, const struct machine_order *order)
{
	timeline_host_waits(&order->before);
	runtime_call_host(node->work.host.fn, node->work.host.userData);
}

struct launching {
	cudaStream_t stream;
	struct queue_places before; /* what was in the stream, and what comes before the graph */
	struct queue_places all;    /* of the graph's, so far */
	struct machine_clock clock; /* what comes before the graph, */
	struct machine_clock end;   /* and behind all of it, so far */
};

static void launch_graph(cudaGraph_t graph, struct launching *launching);

/* What comes before the node. A kernel that may begin early does so with the kernel before it,
 * where that lets it. */
static uint64_t node_after(const struct CUgraphNode_st *node, const struct launching *launching)
{
	uint64_t after = places_now(launching->before);
	const bool early = node->work.kernel.early;
	for (size_t i = 0; i < node->after_count; i++) {
		const struct CUgraphNode_st *on = node->after[i];
		const bool begun = early && on->work.kernel.launches_dependents && !on->disabled;
		after |= places_now(begun ? on->begins : on->is_done);
	}
	return after;
}

/* The order of the node for the race check: after all nodes that it comes after. */
static void order_node(cudaGraphNode_t node, const struct launching *launching)
{
	struct machine_clock clock = launching->clock;
	for (size_t i = 0; i < node->after_count; i++)
		timeline_join(&clock, &node->after[i]->clock);
	node->clock = clock;
	node->order = (struct machine_order){.before = clock};
}

/* It is an operation of its own. */
static void issue_node(cudaGraphNode_t node, struct launching *launching)
{
	timeline_issue_node(node->id, &node->clock, &node->order);
	timeline_see(&node->clock, &node->order);
	timeline_join(&launching->end, &node->clock);
}

static cudaError_t queue_kernel(cudaGraphNode_t node, struct queued *entry)
{
	struct graph_work copy;
	if (!graph_work_copy(&copy, &node->work))
		return cudaErrorMemoryAllocation;
	entry->function = copy.kernel.function;
	entry->run = copy.kernel.run;
	entry->run.id = ++runtime.launches;
	entry->parameters = copy.kernel.parameters;
	entry->cooperative = copy.kernel.cooperative;
	entry->launches_dependents = copy.kernel.launches_dependents;
	return cudaSuccess;
}

static void queue_node(cudaGraphNode_t node, struct launching *launching, uint64_t after)
{
	struct queued entry = {
		.stream = launching->stream, .after = after, .of_graph = true, .node = node};
	struct fault fault = {.kind = FAULT_MEMORY, .text = "no memory for a node of a graph"};
	if (node->work.type == cudaGraphNodeTypeHost)
		entry.work = run_host;
	else if (node->work.type != cudaGraphNodeTypeKernel)
		entry.work = run_copy_or_fill;
	else if (queue_kernel(node, &entry) != cudaSuccess)
		return runtime_fault(&fault);
	issue_node(node, launching);
	entry.order = node->order;
	queue_add(&entry);
	node->is_done = places_of(queue_last());
	launching->all = places_of(places_now(launching->all) | queue_last());
}

static void launch_child(cudaGraphNode_t node, struct launching *launching, uint64_t after)
{
	struct launching child = {.stream = launching->stream,
							  .before = places_of(after),
							  .clock = node->clock,
							  .end = node->clock};
	launch_graph(node->work.child, &child);
	node->clock = child.end;
	timeline_join(&launching->end, &child.end);
	node->is_done = places_of(after | places_now(child.all));
	if (!places_now(child.before)) /* a round has ended meanwhile */
		node->is_done = child.all;
	launching->all = places_of(places_now(launching->all) | places_now(child.all));
}

static void launch_node(cudaGraphNode_t node, void *data)
{
	struct launching *launching = data;
	const uint64_t after = node_after(node, launching);
	node->begins = places_of(after);
	order_node(node, launching);
	if (node->disabled || node->work.type == cudaGraphNodeTypeEmpty)
		node->is_done = places_of(after);
	else if (node->work.type == cudaGraphNodeTypeGraph)
		launch_child(node, launching, after);
	else
		queue_node(node, launching, after);
}

static void launch_graph(cudaGraph_t graph, struct launching *launching)
{
	graph_walk(graph, launch_node, launching);
}

/* Launches of the same graph come one after another, whatever their streams. */
static cudaError_t launch_exec(cudaGraphExec_t exec, cudaStream_t stream)
{
	struct launching launching = {
		.stream = stream,
		.before = places_of(queue_of_stream(stream) | places_now(exec->last)),
	};
	timeline_record(stream, &launching.clock);
	timeline_join(&launching.clock, &exec->end);
	launching.end = launching.clock;
	launch_graph(exec->graph, &launching);
	timeline_wait(stream, &launching.end);
	exec->end = launching.end;
	exec->last = launching.all;
	if (runtime.options.order % ORDER_KINDS == ORDER_ISSUED)
		queue_run();
	return cudaSuccess;
}

static cudaError_t capture_exec(cudaGraphExec_t exec, struct branch *branch)
{
	struct graph_work work = {.type = cudaGraphNodeTypeGraph, .child = graph_copy(exec->graph)};
	return work.child != NULL ? capture_add(branch, &work) : cudaErrorMemoryAllocation;
}

EXPORT cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
	struct branch *branch = NULL;
	cudaError_t status = runtime_enter_queueing();
	if (status == cudaSuccess && !graph_exec_valid(exec))
		status = cudaErrorInvalidValue;
	if (status == cudaSuccess && !stream_valid(stream))
		status = cudaErrorInvalidResourceHandle;
	if (status == cudaSuccess)
		status = capture_of(stream, &branch);
	if (status == cudaSuccess)
		status = branch != NULL ? capture_exec(exec, branch) : launch_exec(exec, stream);
	return runtime_leave(status);
}
EXPORT_ALIAS(cudaGraphLaunch, cudaGraphLaunch_ptsz);

/* ---- updates -------------------------------------------------------------------------- */

/* Whether both have the same nodes and edges, in the order in which they were added. */
static enum cudaGraphExecUpdateResult compare(cudaGraph_t old, cudaGraph_t new,
											  cudaGraphNode_t *wrong)
{
	cudaGraphNode_t a = old->first, b = new->first;
	for (size_t i = 0; a != NULL && b != NULL; a = a->next, b = b->next, i++) {
		a->begins.places = b->begins.places = i;
		*wrong = b;
		if (a->work.type != b->work.type)
			return cudaGraphExecUpdateErrorNodeTypeChanged;
	}
	if (a != NULL || b != NULL)
		return cudaGraphExecUpdateErrorTopologyChanged;
	for (a = old->first, b = new->first; a != NULL; a = a->next, b = b->next) {
		*wrong = b;
		if (a->after_count != b->after_count)
			return cudaGraphExecUpdateErrorTopologyChanged;
		for (size_t i = 0; i < a->after_count; i++)
			if (a->after[i]->begins.places != b->after[i]->begins.places)
				return cudaGraphExecUpdateErrorTopologyChanged;
		if (a->work.child != NULL && compare(a->work.child, b->work.child, wrong))
			return cudaGraphExecUpdateErrorTopologyChanged;
	}
	*wrong = NULL;
	return cudaGraphExecUpdateSuccess;
}

static cudaError_t update(cudaGraphExec_t exec, cudaGraph_t graph,
						  cudaGraphExecUpdateResultInfo *info)
{
	*info = (cudaGraphExecUpdateResultInfo){.result = cudaGraphExecUpdateError};
	if (!graph_valid(graph))
		return cudaErrorInvalidValue;
	info->result = compare(exec->graph, graph, &info->errorNode);
	if (info->result != cudaGraphExecUpdateSuccess)
		return cudaErrorGraphExecUpdateFailure;
	cudaGraph_t copy = graph_copy(graph);
	if (copy == NULL)
		return cudaErrorMemoryAllocation;
	/* its nodes stay those of the graph that it was made of */
	for (cudaGraphNode_t to = copy->first, from = exec->graph->first; to != NULL;
		 to = to->next, from = from->next) {
		to->origin = from->origin;
		to->disabled = from->disabled;
	}
	graph_free(exec->graph);
	exec->graph = copy;
	return cudaSuccess;
}

EXPORT cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
									   cudaGraphExecUpdateResultInfo *info)
{
	cudaGraphExecUpdateResultInfo ignored;
	cudaError_t status = enter_exec(exec);
	if (status == cudaSuccess)
		status = update(exec, graph, info != NULL ? info : &ignored);
	return runtime_leave(status);
}
