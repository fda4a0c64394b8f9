/* What programs call to make graphs, and to ask what is in them. */
#include <string.h>

#include "emulator/runtime/graph.h"

static cudaError_t enter_graph(cudaGraph_t graph)
{
	cudaError_t status = runtime_enter();
	return status == cudaSuccess && !graph_valid(graph) ? cudaErrorInvalidValue : status;
}

static cudaError_t enter_node(cudaGraphNode_t node)
{
	cudaError_t status = runtime_enter();
	return status == cudaSuccess && !graph_node_valid(node) ? cudaErrorInvalidValue : status;
}

EXPORT cudaError_t cudaGraphCreate(cudaGraph_t *out, unsigned flags)
{
	cudaError_t status = runtime_enter();
	if (status == cudaSuccess && (out == NULL || flags))
		status = cudaErrorInvalidValue;
	cudaGraph_t graph = status == cudaSuccess ? graph_new() : NULL;
	if (status == cudaSuccess && graph == NULL)
		status = cudaErrorMemoryAllocation;
	if (graph != NULL) {
		graph_give(graph);
		*out = graph;
	}
	return runtime_leave(status);
}

EXPORT cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
	cudaError_t status = runtime_enter();
	if (status == cudaSuccess && !graph_take_back(graph))
		status = cudaErrorInvalidValue;
	if (status == cudaSuccess)
		graph_free(graph);
	return runtime_leave(status);
}

EXPORT cudaError_t cudaGraphClone(cudaGraph_t *out, cudaGraph_t graph)
{
	cudaError_t status = enter_graph(graph);
	if (status == cudaSuccess && out == NULL)
		status = cudaErrorInvalidValue;
	cudaGraph_t copy = status == cudaSuccess ? graph_copy(graph) : NULL;
	if (status == cudaSuccess && copy == NULL)
		status = cudaErrorMemoryAllocation;
	if (copy != NULL) {
		graph_give(copy);
		*out = copy;
	}
	return runtime_leave(status);
}

EXPORT cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *out, cudaGraphNode_t node,
											cudaGraph_t clone)
{
	cudaError_t status = enter_graph(clone);
	if (status == cudaSuccess && (out == NULL || !graph_node_valid(node)))
		status = cudaErrorInvalidValue;
	if (status == cudaSuccess && (*out = graph_find_copy(clone, node)) == NULL)
		status = cudaErrorInvalidValue;
	return runtime_leave(status);
}

EXPORT cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *out)
{
	cudaError_t status = enter_node(node);
	if (status == cudaSuccess && out == NULL)
		status = cudaErrorInvalidValue;
	if (status == cudaSuccess)
		*out = node->work.type;
	return runtime_leave(status);
}

EXPORT cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node)
{
	cudaError_t status = enter_node(node);
	if (status == cudaSuccess)
		graph_remove(node);
	return runtime_leave(status);
}

/* ---- lists ---------------------------------------------------------------------------- */

/* What a program has room for, in a list whose length it may only want to know. */
struct listing {
	void **first, **second; /* NULL: not wanted */
	size_t room, found;
};

static struct listing listing_begin(void *first, void *second, const size_t *count)
{
	return (struct listing){first, second, *count, 0};
}

static void listing_add(struct listing *list, void *first, void *second)
{
	if (list->first != NULL && list->found < list->room)
		list->first[list->found] = first;
	if (list->second != NULL && list->found < list->room)
		list->second[list->found] = second;
	list->found++;
}

/* Behind the last one, there is NULL as far as there is room. */
static void listing_end(struct listing *list, size_t *count)
{
	const bool wanted = list->first != NULL || list->second != NULL;
	const size_t found = list->found;
	while (wanted && list->found < list->room)
		listing_add(list, NULL, NULL);
	*count = wanted && list->room < found ? list->room : found;
}

static cudaError_t list_nodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count, bool roots)
{
	if (count == NULL)
		return cudaErrorInvalidValue;
	struct listing list = listing_begin(nodes, NULL, count);
	for (cudaGraphNode_t at = graph->first; at != NULL; at = at->next)
		if (!roots || at->after_count == 0)
			listing_add(&list, at, NULL);
	listing_end(&list, count);
	return cudaSuccess;
}

EXPORT cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
	cudaError_t status = enter_graph(graph);
	if (status == cudaSuccess)
		status = list_nodes(graph, nodes, count, false);
	return runtime_leave(status);
}

EXPORT cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
	cudaError_t status = enter_graph(graph);
	if (status == cudaSuccess)
		status = list_nodes(graph, nodes, count, true);
	return runtime_leave(status);
}

/* All edges are of the default kind. */
static void clear_edges(cudaGraphEdgeData *edges, size_t count)
{
	if (edges != NULL)
		memset(edges, 0, count * sizeof *edges);
}

/* Edges from `from` and to `to`; NULL: any node. */
static void list_edges(cudaGraph_t graph, const struct CUgraphNode_st *from,
					   const struct CUgraphNode_st *to, struct listing *list, size_t *count)
{
	for (cudaGraphNode_t at = graph->first; at != NULL; at = at->next)
		for (size_t i = 0; i < at->after_count; i++)
			if ((to == NULL || to == at) && (from == NULL || from == at->after[i]))
				listing_add(list, at->after[i], at);
	listing_end(list, count);
}

EXPORT cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
									 cudaGraphEdgeData *edges, size_t *count)
{
	cudaError_t status = enter_graph(graph);
	if (status == cudaSuccess && (count == NULL || (from == NULL) != (to == NULL)))
		status = cudaErrorInvalidValue;
	if (status == cudaSuccess) {
		struct listing list = listing_begin(from, to, count);
		list_edges(graph, NULL, NULL, &list, count);
		clear_edges(edges, from != NULL ? *count : 0);
	}
	return runtime_leave(status);
}

/* Those that the node comes after, or that come after it. */
static cudaError_t list_neighbours(cudaGraphNode_t node, bool before, cudaGraphNode_t *nodes,
								   cudaGraphEdgeData *edges, size_t *count)
{
	cudaError_t status = enter_node(node);
	if (status == cudaSuccess && count == NULL)
		status = cudaErrorInvalidValue;
	if (status == cudaSuccess) {
		struct listing list = listing_begin(before ? nodes : NULL, before ? NULL : nodes, count);
		list_edges(node->graph, before ? NULL : node, before ? node : NULL, &list, count);
		clear_edges(edges, nodes != NULL ? *count : 0);
	}
	return runtime_leave(status);
}

EXPORT cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes,
												cudaGraphEdgeData *edges, size_t *count)
{
	return list_neighbours(node, true, nodes, edges, count);
}

EXPORT cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *nodes,
												  cudaGraphEdgeData *edges, size_t *count)
{
	return list_neighbours(node, false, nodes, edges, count);
}

/* ---- dependencies --------------------------------------------------------------------- */

static cudaError_t check_edges(cudaGraph_t graph, const cudaGraphNode_t *from,
							   const cudaGraphNode_t *to, size_t count)
{
	if (!graph_has_nodes(graph, from, count) || !graph_has_nodes(graph, to, count))
		return cudaErrorInvalidValue;
	for (size_t i = 0; i < count; i++)
		if (from[i] == to[i])
			return cudaErrorInvalidValue;
	return cudaSuccess;
}

EXPORT cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
											const cudaGraphNode_t *to,
											const cudaGraphEdgeData *edges, size_t count)
{
	cudaError_t status = enter_graph(graph);
	(void)edges;
	if (status == cudaSuccess)
		status = check_edges(graph, from, to, count);
	for (size_t i = 0; status == cudaSuccess && i < count; i++)
		status =
			graph_depends(to[i], from[i]) ? cudaErrorInvalidValue : graph_depend(to[i], from[i]);
	return runtime_leave(status);
}

EXPORT cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
											   const cudaGraphNode_t *to,
											   const cudaGraphEdgeData *edges, size_t count)
{
	cudaError_t status = enter_graph(graph);
	(void)edges;
	if (status == cudaSuccess)
		status = check_edges(graph, from, to, count);
	for (size_t i = 0; status == cudaSuccess && i < count; i++)
		status = graph_undepend(to[i], from[i]) ? cudaSuccess : cudaErrorInvalidValue;
	return runtime_leave(status);
}
