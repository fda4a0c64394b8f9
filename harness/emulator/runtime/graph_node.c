/* Nodes that programs add to graphs, and what they say and change of them. */
#include <stdlib.h>
#include <string.h>

#include "emulator/runtime/graph.h"

/* What stays of a kernel node whose parameters are set anew: its attributes. */
static void keep_attributes(const struct queued *kernel, struct launch_request *request)
{
	const uint32_t *cluster = kernel->run.cluster;
	request->cluster = (dim3){cluster[0], cluster[1], cluster[2]};
	request->cooperative = kernel->cooperative;
	request->modes = kernel->modes;
	request->programmatic = kernel->early;
}

static cudaError_t make_kernel(const struct cudaKernelNodeParamsV2 *parameters,
							   const struct CUgraphNode_st *old, struct graph_work *out)
{
	struct launch_request request = {
		.grid = parameters->gridDim,
		.block = parameters->blockDim,
		.arguments = parameters->kernelParams,
		.shared_bytes = parameters->sharedMemBytes,
	};
	if (old != NULL && old->work.type == cudaGraphNodeTypeKernel)
		keep_attributes(&old->work.kernel, &request);
	cudaError_t status = launch_extra(parameters->extra, &request);
	if (status == cudaSuccess)
		status = function_find(parameters->func, &request.function);
	return status == cudaSuccess ? launch_prepare(&request, &out->kernel) : status;
}

static cudaError_t make_copy(const char *call, const struct cudaMemcpy3DParms *parameters,
							 struct copy_work *out)
{
	cudaError_t status = copy_from_3d(call, parameters, out);
	return status == cudaSuccess ? copy_check(call, out) : status;
}

static cudaError_t make_fill(const char *call, const struct cudaMemsetParamsV2 *parameters,
							 struct fill *out)
{
	*out = (struct fill){parameters->dst,         parameters->pitch, parameters->value,
						 parameters->elementSize, parameters->width, parameters->height};
	return fill_check(call, out);
}

static cudaError_t make_child(const struct cudaChildGraphNodeParams *parameters,
							  struct graph_work *out)
{
	if (!graph_valid(parameters->graph))
		return cudaErrorInvalidValue;
	out->child = graph_copy(parameters->graph);
	return out->child != NULL ? cudaSuccess : cudaErrorMemoryAllocation;
}

static cudaError_t make_host(const struct cudaHostNodeParamsV2 *parameters, struct graph_work *out)
{
	out->host = (struct cudaHostNodeParams){parameters->fn, parameters->userData};
	return parameters->fn != NULL ? cudaSuccess : cudaErrorInvalidValue;
}

/* Looks at the parameters and makes work of them. A kernel keeps the attributes of that of `old`,
 * which may be NULL. The work is to be freed even where this fails. */
static cudaError_t make_work(const char *call, const struct cudaGraphNodeParams *parameters,
							 const struct CUgraphNode_st *old, struct graph_work *out)
{
	*out = (struct graph_work){.type = parameters->type};
	switch (parameters->type) {
	case cudaGraphNodeTypeKernel: return make_kernel(&parameters->kernel, old, out);
	case cudaGraphNodeTypeMemcpy:
		return make_copy(call, &parameters->memcpy.copyParams, &out->copy);
	case cudaGraphNodeTypeMemset: return make_fill(call, &parameters->memset, &out->fill);
	case cudaGraphNodeTypeHost: return make_host(&parameters->host, out);
	case cudaGraphNodeTypeGraph: return make_child(&parameters->graph, out);
	case cudaGraphNodeTypeEmpty: return cudaSuccess;
	default:
		runtime_say("%s(type=%d) is not implemented", runtime_call_name(call),
					(int)parameters->type);
		return cudaErrorNotSupported;
	}
}

/* ---- the same for every kind ---------------------------------------------------------- */

/* Each of them takes the lock. `parameters`: NULL is an invalid value. */
static cudaError_t add_node(const char *call, cudaGraphNode_t *out, cudaGraph_t graph,
							const cudaGraphNode_t *after, size_t count,
							const struct cudaGraphNodeParams *parameters)
{
	struct graph_work work = {0};
	cudaError_t status = runtime_enter();
	if (status == cudaSuccess && (out == NULL || parameters == NULL || !graph_valid(graph)))
		status = cudaErrorInvalidValue;
	if (status == cudaSuccess)
		status = make_work(call, parameters, NULL, &work);
	if (status == cudaSuccess)
		status = graph_add(graph, after, count, &work, out);
	else
		graph_work_free(&work);
	return runtime_leave_call(call, status);
}

static cudaError_t set_work(const char *call, cudaGraphNode_t node,
							const struct cudaGraphNodeParams *parameters)
{
	struct graph_work work = {0};
	cudaError_t status = make_work(call, parameters, node, &work);
	if (status == cudaSuccess)
		return graph_set(node, &work);
	graph_work_free(&work);
	return status;
}

static cudaError_t set_node(const char *call, cudaGraphNode_t node,
							const struct cudaGraphNodeParams *parameters)
{
	cudaError_t status = runtime_enter();
	if (status == cudaSuccess && (parameters == NULL || !graph_node_valid(node)))
		status = cudaErrorInvalidValue;
	if (status == cudaSuccess)
		status = set_work(call, node, parameters);
	return runtime_leave_call(call, status);
}

static cudaError_t set_exec(const char *call, cudaGraphExec_t exec, cudaGraphNode_t node,
							const struct cudaGraphNodeParams *parameters)
{
	cudaGraphNode_t copy = NULL;
	cudaError_t status = runtime_enter();
	if (status == cudaSuccess &&
		(parameters == NULL || !graph_exec_valid(exec) || !graph_node_valid(node)))
		status = cudaErrorInvalidValue;
	if (status == cudaSuccess && (copy = graph_find_copy(exec->graph, node)) == NULL)
		status = cudaErrorInvalidValue;
	if (status == cudaSuccess)
		status = set_work(call, copy, parameters);
	return runtime_leave_call(call, status);
}

/* The parameters of an older call, as cudaGraphAddNode() takes them: those begin with the same
 * bytes, and newer toolkits have put more behind them. */
static const struct cudaGraphNodeParams *as_any(struct cudaGraphNodeParams *any, void *place,
												const void *parameters, size_t size)
{
	if (parameters == NULL)
		return NULL;
	memcpy(place, parameters, size);
	return any;
}

#define LAST_IS_SAME(older, last) (offsetof(struct older, last) == offsetof(struct older##V2, last))
_Static_assert(LAST_IS_SAME(cudaKernelNodeParams, extra) &&
				   LAST_IS_SAME(cudaMemsetParams, height) &&
				   LAST_IS_SAME(cudaHostNodeParams, userData),
			   "parameters of cudaGraphAddNode() begin as those of the older calls");

/* clang-format off */
#define ANY(Kind, place)                                                                           \
	struct cudaGraphNodeParams any = {.type = cudaGraphNodeType##Kind};                            \
	const struct cudaGraphNodeParams *all = as_any(&any, &any.place, parameters, sizeof *parameters)
#define KIND(Kind, place, given)                                                                   \
	EXPORT cudaError_t cudaGraphAdd##Kind##Node(cudaGraphNode_t *out, cudaGraph_t graph,           \
												const cudaGraphNode_t *after, size_t count,        \
												const struct given *parameters)                    \
	{                                                                                              \
		ANY(Kind, place);                                                                          \
		return add_node(__func__, out, graph, after, count, all);                                  \
	}                                                                                              \
	EXPORT cudaError_t cudaGraph##Kind##NodeSetParams(cudaGraphNode_t node,                        \
													  const struct given *parameters)              \
	{                                                                                              \
		ANY(Kind, place);                                                                          \
		return set_node(__func__, node, all);                                                      \
	}                                                                                              \
	EXPORT cudaError_t cudaGraphExec##Kind##NodeSetParams(                                         \
		cudaGraphExec_t exec, cudaGraphNode_t node, const struct given *parameters)                \
	{                                                                                              \
		ANY(Kind, place);                                                                          \
		return set_exec(__func__, exec, node, all);                                                \
	}
KIND(Kernel, kernel, cudaKernelNodeParams)
KIND(Memcpy, memcpy.copyParams, cudaMemcpy3DParms)
KIND(Memset, memset, cudaMemsetParams)
KIND(Host, host, cudaHostNodeParams)
/* clang-format on */

EXPORT cudaError_t cudaGraphAddNode(cudaGraphNode_t *out, cudaGraph_t graph,
									const cudaGraphNode_t *after, const cudaGraphEdgeData *edges,
									size_t count, struct cudaGraphNodeParams *parameters)
{
	(void)edges;
	return add_node(__func__, out, graph, after, count, parameters);
}

EXPORT cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node,
										  struct cudaGraphNodeParams *parameters)
{
	return set_node(__func__, node, parameters);
}

EXPORT cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
											  struct cudaGraphNodeParams *parameters)
{
	return set_exec(__func__, exec, node, parameters);
}

EXPORT cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *out, cudaGraph_t graph,
										 const cudaGraphNode_t *after, size_t count)
{
	const struct cudaGraphNodeParams all = {.type = cudaGraphNodeTypeEmpty};
	return add_node(__func__, out, graph, after, count, &all);
}

EXPORT cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *out, cudaGraph_t graph,
											  const cudaGraphNode_t *after, size_t count,
											  cudaGraph_t child)
{
	const struct cudaGraphNodeParams all = {.type = cudaGraphNodeTypeGraph, .graph = {child, 0}};
	return add_node(__func__, out, graph, after, count, &all);
}

EXPORT cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
														cudaGraph_t child)
{
	const struct cudaGraphNodeParams all = {.type = cudaGraphNodeTypeGraph, .graph = {child, 0}};
	return set_exec(__func__, exec, node, &all);
}

/* ---- copies of one row ---------------------------------------------------------------- */

static struct cudaGraphNodeParams one_row(void *to, const void *from, size_t size,
										  enum cudaMemcpyKind kind)
{
	struct cudaGraphNodeParams all = {.type = cudaGraphNodeTypeMemcpy};
	all.memcpy.copyParams = (struct cudaMemcpy3DParms){
		.dstPtr = {to, size, size, 1},
		.srcPtr = {(void *)from, size, size, 1},
		.extent = {size, 1, 1},
		.kind = kind,
	};
	return all;
}

EXPORT cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *out, cudaGraph_t graph,
											const cudaGraphNode_t *after, size_t count, void *to,
											const void *from, size_t size, enum cudaMemcpyKind kind)
{
	const struct cudaGraphNodeParams all = one_row(to, from, size, kind);
	return add_node(__func__, out, graph, after, count, &all);
}

EXPORT cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *to, const void *from,
												  size_t size, enum cudaMemcpyKind kind)
{
	const struct cudaGraphNodeParams all = one_row(to, from, size, kind);
	return set_node(__func__, node, &all);
}

EXPORT cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node,
													  void *to, const void *from, size_t size,
													  enum cudaMemcpyKind kind)
{
	const struct cudaGraphNodeParams all = one_row(to, from, size, kind);
	return set_exec(__func__, exec, node, &all);
}

/* ---- what nodes say of themselves ----------------------------------------------------- */

static cudaError_t enter_node(cudaGraphNode_t node, enum cudaGraphNodeType type, const void *out)
{
	cudaError_t status = runtime_enter();
	if (status == cudaSuccess &&
		(out == NULL || !graph_node_valid(node) || node->work.type != type))
		status = cudaErrorInvalidValue;
	return status;
}

/* Addresses of the node's own parameters. */
static void **arguments_of(cudaGraphNode_t node)
{
	struct kernel_properties facts;
	const struct kernel *kernel = node->work.kernel.function->kernel;
	kernel_properties(kernel, &facts);
	if (node->arguments == NULL)
		node->arguments = calloc(facts.parameter_count + 1, sizeof *node->arguments);
	for (size_t i = 0; node->arguments != NULL && i < facts.parameter_count; i++) {
		size_t offset, size;
		kernel_parameter(kernel, i, &offset, &size);
		node->arguments[i] = (char *)node->work.kernel.parameters + offset;
	}
	return node->arguments;
}

EXPORT cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node,
												struct cudaKernelNodeParams *out)
{
	cudaError_t status = enter_node(node, cudaGraphNodeTypeKernel, out);
	if (status == cudaSuccess && arguments_of(node) == NULL)
		status = cudaErrorMemoryAllocation;
	if (status != cudaSuccess)
		return runtime_leave(status);
	const struct queued *kernel = &node->work.kernel;
	const struct function *function = kernel->function;
	*out = (struct cudaKernelNodeParams){
		.func = (void *)(function->host != NULL ? function->host : function),
		.gridDim = kernel->grid,
		.blockDim = kernel->block,
		.sharedMemBytes = (unsigned)kernel->run.dynamic_shared_bytes,
		.kernelParams = node->arguments,
	};
	return runtime_leave(cudaSuccess);
}

EXPORT cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, struct cudaMemsetParams *out)
{
	cudaError_t status = enter_node(node, cudaGraphNodeTypeMemset, out);
	if (status != cudaSuccess)
		return runtime_leave(status);
	const struct fill *fill = &node->work.fill;
	*out = (struct cudaMemsetParams){fill->to,    fill->pitch, fill->value, (unsigned)fill->element,
									 fill->width, fill->height};
	return runtime_leave(cudaSuccess);
}

EXPORT cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, struct cudaHostNodeParams *out)
{
	cudaError_t status = enter_node(node, cudaGraphNodeTypeHost, out);
	if (status == cudaSuccess)
		*out = node->work.host;
	return runtime_leave(status);
}

EXPORT cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, struct cudaMemcpy3DParms *out)
{
	cudaError_t status = enter_node(node, cudaGraphNodeTypeMemcpy, out);
	if (status != cudaSuccess)
		return runtime_leave(status);
	const struct copy_work *copy = &node->work.copy;
	const size_t to_rows = copy->to_pitch ? copy->to_slice / copy->to_pitch : 0;
	const size_t from_rows = copy->from_pitch ? copy->from_slice / copy->from_pitch : 0;
	*out = (struct cudaMemcpy3DParms){
		.dstPtr = {copy->to, copy->to_pitch, copy->width, to_rows ? to_rows : copy->height},
		.srcPtr = {(void *)copy->from, copy->from_pitch, copy->width,
				   from_rows ? from_rows : copy->height},
		.extent = {copy->width, copy->height, copy->depth},
		.kind = copy->kind,
	};
	return runtime_leave(cudaSuccess);
}

EXPORT cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *out)
{
	cudaError_t status = enter_node(node, cudaGraphNodeTypeGraph, out);
	if (status == cudaSuccess)
		*out = node->work.child;
	return runtime_leave(status);
}

/* ---- attributes of kernels ------------------------------------------------------------ */

static cudaError_t set_attribute(cudaGraphNode_t node, const cudaLaunchAttribute *attribute)
{
	const struct queued *kernel = &node->work.kernel;
	struct kernel_properties facts;
	struct graph_work work = {.type = cudaGraphNodeTypeKernel};
	struct launch_request request = {
		.function = kernel->function,
		.grid = kernel->grid,
		.block = kernel->block,
		.packed = kernel->parameters,
		.shared_bytes = kernel->run.dynamic_shared_bytes,
	};
	kernel_properties(kernel->function->kernel, &facts);
	request.packed_bytes = facts.parameter_bytes;
	keep_attributes(kernel, &request);
	cudaError_t status = launch_attribute(attribute, &request);
	if (status == cudaSuccess)
		status = launch_prepare(&request, &work.kernel);
	if (status == cudaSuccess)
		return graph_set(node, &work);
	graph_work_free(&work);
	return status;
}

EXPORT cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID id,
												   const cudaLaunchAttributeValue *value)
{
	cudaError_t status = enter_node(node, cudaGraphNodeTypeKernel, value);
	if (status == cudaSuccess)
		status = set_attribute(node, &(cudaLaunchAttribute){.id = id, .val = *value});
	return runtime_leave(status);
}
