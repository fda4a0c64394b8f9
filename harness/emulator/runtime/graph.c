/* Graphs as data: nodes, what they do, and what they come after. */
#include <stdlib.h>
#include <string.h>

#include "emulator/runtime/graph.h"

static cudaGraph_t graphs; /* the program's */
static cudaGraphExec_t execs;
static unsigned long long nodes_made;

cudaGraph_t graph_new(void)
{
	return calloc(1, sizeof(struct CUgraph_st));
}

void graph_work_free(struct graph_work *work)
{
	free(work->kernel.parameters);
	work->kernel.parameters = NULL;
	graph_free(work->child);
	work->child = NULL;
}

static void node_free(cudaGraphNode_t node)
{
	graph_work_free(&node->work);
	free(node->arguments);
	free(node->after);
	free(node);
}

void graph_free(cudaGraph_t graph)
{
	if (graph == NULL)
		return;
	while (graph->first != NULL) {
		cudaGraphNode_t node = graph->first;
		graph->first = node->next;
		node_free(node);
	}
	free(graph);
}

static bool has_graph(cudaGraph_t graph, cudaGraph_t wanted)
{
	if (graph == wanted)
		return true;
	for (cudaGraphNode_t at = graph->first; at != NULL; at = at->next)
		if (at->work.child != NULL && has_graph(at->work.child, wanted))
			return true;
	return false;
}

bool graph_valid(cudaGraph_t graph)
{
	for (cudaGraph_t at = graphs; graph != NULL && at != NULL; at = at->next)
		if (has_graph(at, graph))
			return true;
	return false;
}

static bool has_node(cudaGraph_t graph, cudaGraphNode_t node)
{
	for (cudaGraphNode_t at = graph->first; at != NULL; at = at->next)
		if (at == node || (at->work.child != NULL && has_node(at->work.child, node)))
			return true;
	return false;
}

bool graph_node_valid(cudaGraphNode_t node)
{
	for (cudaGraph_t at = graphs; node != NULL && at != NULL; at = at->next)
		if (has_node(at, node))
			return true;
	return false;
}

bool graph_has_nodes(cudaGraph_t graph, const cudaGraphNode_t *nodes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (nodes == NULL || !graph_node_valid(nodes[i]) || nodes[i]->graph != graph)
			return false;
	return true;
}

void graph_give(cudaGraph_t graph)
{
	graph->next = graphs;
	graphs = graph;
}

bool graph_take_back(cudaGraph_t graph)
{
	cudaGraph_t *at = &graphs;
	while (*at != NULL && *at != graph)
		at = &(*at)->next;
	if (*at == NULL)
		return false;
	*at = graph->next;
	return true;
}

cudaGraphExec_t graph_exec_new(cudaGraph_t graph)
{
	cudaGraphExec_t exec = calloc(1, sizeof *exec);
	if (exec == NULL || (exec->graph = graph_copy(graph)) == NULL) {
		free(exec);
		return NULL;
	}
	exec->next = execs;
	execs = exec;
	return exec;
}

bool graph_exec_valid(cudaGraphExec_t exec)
{
	cudaGraphExec_t at = execs;
	while (at != NULL && at != exec)
		at = at->next;
	return at != NULL;
}

void graph_exec_free(cudaGraphExec_t exec)
{
	cudaGraphExec_t *at = &execs;
	while (*at != exec)
		at = &(*at)->next;
	*at = exec->next;
	graph_free(exec->graph);
	free(exec);
}

void graph_drop_all(void)
{
	while (execs != NULL)
		graph_exec_free(execs);
	while (graphs != NULL) {
		cudaGraph_t graph = graphs;
		graphs = graph->next;
		graph_free(graph);
	}
}

static size_t parameter_bytes(const struct graph_work *work)
{
	struct kernel_properties facts;
	kernel_properties(work->kernel.function->kernel, &facts);
	return facts.parameter_bytes;
}

bool graph_work_copy(struct graph_work *out, const struct graph_work *from)
{
	*out = *from;
	if (from->kernel.parameters != NULL) {
		const size_t bytes = parameter_bytes(from);
		if ((out->kernel.parameters = queue_parameters(bytes)) == NULL)
			return false;
		memcpy(out->kernel.parameters, from->kernel.parameters, bytes);
	}
	return from->child == NULL || (out->child = graph_copy(from->child)) != NULL;
}

static cudaGraphNode_t node_add(cudaGraph_t graph, struct graph_work *work)
{
	cudaGraphNode_t node = calloc(1, sizeof *node);
	if (node == NULL) {
		graph_work_free(work);
		return NULL;
	}
	node->graph = graph;
	node->id = ++nodes_made;
	node->work = *work;
	*(graph->last != NULL ? &graph->last->next : &graph->first) = node;
	graph->last = node;
	graph->count++;
	return node;
}

cudaError_t graph_depend(cudaGraphNode_t node, cudaGraphNode_t on)
{
	if (graph_depends(node, on))
		return cudaSuccess;
	cudaGraphNode_t *more = realloc(node->after, (node->after_count + 1) * sizeof(*more));
	if (more == NULL)
		return cudaErrorMemoryAllocation;
	node->after = more;
	node->after[node->after_count++] = on;
	return cudaSuccess;
}

bool graph_depends(const struct CUgraphNode_st *node, const struct CUgraphNode_st *on)
{
	for (size_t i = 0; i < node->after_count; i++)
		if (node->after[i] == on)
			return true;
	return false;
}

bool graph_undepend(cudaGraphNode_t node, const struct CUgraphNode_st *on)
{
	size_t kept = 0;
	for (size_t i = 0; i < node->after_count; i++)
		if (node->after[i] != on)
			node->after[kept++] = node->after[i];
	const bool was = kept < node->after_count;
	node->after_count = kept;
	return was;
}

void graph_remove(cudaGraphNode_t node)
{
	cudaGraph_t graph = node->graph;
	cudaGraphNode_t before = NULL;
	for (cudaGraphNode_t at = graph->first; at != NULL; at = at->next) {
		graph_undepend(at, node);
		if (at->next == node)
			before = at;
	}
	*(before != NULL ? &before->next : &graph->first) = node->next;
	if (graph->last == node)
		graph->last = before;
	graph->count--;
	node_free(node);
}

static bool in_graph(cudaGraph_t graph, cudaGraphNode_t node)
{
	cudaGraphNode_t at = graph->first;
	while (at != NULL && at != node)
		at = at->next;
	return at != NULL;
}

cudaError_t graph_add(cudaGraph_t graph, const cudaGraphNode_t *after, size_t count,
					  struct graph_work *work, cudaGraphNode_t *out)
{
	cudaError_t status = count && after == NULL ? cudaErrorInvalidValue : cudaSuccess;
	for (size_t i = 0; status == cudaSuccess && i < count; i++)
		status = in_graph(graph, after[i]) ? cudaSuccess : cudaErrorInvalidValue;
	if (status != cudaSuccess) {
		graph_work_free(work);
		return status;
	}
	cudaGraphNode_t node = node_add(graph, work);
	if (node == NULL)
		return cudaErrorMemoryAllocation;
	for (size_t i = 0; status == cudaSuccess && i < count; i++)
		status = graph_depend(node, after[i]);
	*out = node;
	return status;
}

cudaError_t graph_set(cudaGraphNode_t node, struct graph_work *work)
{
	if (node->work.type != work->type) {
		graph_work_free(work);
		return cudaErrorInvalidValue;
	}
	graph_work_free(&node->work);
	free(node->arguments);
	node->arguments = NULL;
	node->work = *work;
	return cudaSuccess;
}

static cudaGraphNode_t copy_of(cudaGraph_t graph, cudaGraphNode_t node)
{
	cudaGraphNode_t at = graph->first;
	while (at != NULL && at->origin != node->id)
		at = at->next;
	return at;
}

static bool copy_nodes(cudaGraph_t to, cudaGraph_t from)
{
	for (cudaGraphNode_t at = from->first; at != NULL; at = at->next) {
		struct graph_work work;
		const bool copied = graph_work_copy(&work, &at->work);
		cudaGraphNode_t node = copied ? node_add(to, &work) : NULL;
		if (node == NULL)
			return false;
		node->origin = at->id;
		node->disabled = at->disabled;
	}
	for (cudaGraphNode_t at = from->first; at != NULL; at = at->next)
		for (size_t i = 0; i < at->after_count; i++)
			if (graph_depend(copy_of(to, at), copy_of(to, at->after[i])) != cudaSuccess)
				return false;
	return true;
}

cudaGraph_t graph_copy(cudaGraph_t graph)
{
	cudaGraph_t copy = graph_new();
	if (copy != NULL && copy_nodes(copy, graph))
		return copy;
	graph_free(copy);
	return NULL;
}

cudaGraphNode_t graph_find_copy(cudaGraph_t graph, cudaGraphNode_t node)
{
	cudaGraphNode_t found = copy_of(graph, node);
	for (cudaGraphNode_t at = graph->first; found == NULL && at != NULL; at = at->next)
		if (at->work.child != NULL)
			found = graph_find_copy(at->work.child, node);
	return found;
}

static void unvisit(cudaGraph_t graph)
{
	for (cudaGraphNode_t at = graph->first; at != NULL; at = at->next)
		at->visited = false;
}

static bool reaches(cudaGraphNode_t node, cudaGraphNode_t on)
{
	if (node == on)
		return true;
	if (node->visited)
		return false;
	node->visited = true;
	for (size_t i = 0; i < node->after_count; i++)
		if (reaches(node->after[i], on))
			return true;
	return false;
}

bool graph_comes_after(cudaGraphNode_t node, cudaGraphNode_t on)
{
	unvisit(node->graph);
	return reaches(node, on);
}

static bool all_visited(const struct CUgraphNode_st *node)
{
	for (size_t i = 0; i < node->after_count; i++)
		if (!node->after[i]->visited)
			return false;
	return true;
}

/* Nodes are mostly added behind what they depend on, so that one round is enough. */
bool graph_walk(cudaGraph_t graph, void (*each)(cudaGraphNode_t node, void *data), void *data)
{
	size_t left = graph->count, before = left + 1;
	unvisit(graph);
	while (left && left < before) {
		before = left;
		for (cudaGraphNode_t at = graph->first; at != NULL; at = at->next) {
			if (at->visited || !all_visited(at))
				continue;
			at->visited = true;
			if (each != NULL)
				each(at, data);
			left--;
		}
	}
	return left == 0;
}
