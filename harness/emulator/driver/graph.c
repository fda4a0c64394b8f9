/* Graphs: the runtime's, whose handles these are. */
#include "emulator/driver/driver.h"

/* ---- capture -------------------------------------------------------------------------- */

EXPORT CUresult cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode)
{
	return DRIVER(cuStreamBeginCapture,
				  cudaStreamBeginCapture(stream, (enum cudaStreamCaptureMode)mode));
}
EXPORT_ALIAS(cuStreamBeginCapture_v2, cuStreamBeginCapture_v2_ptsz);

EXPORT CUresult cuStreamEndCapture(CUstream stream, CUgraph *out)
{
	return DRIVER(cuStreamEndCapture, cudaStreamEndCapture(stream, out));
}
EXPORT_ALIAS(cuStreamEndCapture, cuStreamEndCapture_ptsz);

EXPORT CUresult cuStreamGetCaptureInfo_v3(CUstream stream, CUstreamCaptureStatus *out,
										  cuuint64_t *id, CUgraph *graph, const CUgraphNode **after,
										  const CUgraphEdgeData **edges, size_t *count)
{
	return DRIVER(cuStreamGetCaptureInfo,
				  cudaStreamGetCaptureInfo(stream, (enum cudaStreamCaptureStatus *)out,
										   (unsigned long long *)id, graph, after,
										   (const cudaGraphEdgeData **)edges, count));
}
EXPORT_ALIAS(cuStreamGetCaptureInfo_v3, cuStreamGetCaptureInfo_v3_ptsz);

EXPORT CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode)
{
	return DRIVER(cuThreadExchangeStreamCaptureMode,
				  cudaThreadExchangeStreamCaptureMode((enum cudaStreamCaptureMode *)mode));
}

/* ---- graphs and their nodes ----------------------------------------------------------- */

EXPORT CUresult cuGraphCreate(CUgraph *out, unsigned flags)
{
	return DRIVER(cuGraphCreate, cudaGraphCreate(out, flags));
}

EXPORT CUresult cuGraphDestroy(CUgraph graph)
{
	return DRIVER(cuGraphDestroy, cudaGraphDestroy(graph));
}

EXPORT CUresult cuGraphClone(CUgraph *out, CUgraph graph)
{
	return DRIVER(cuGraphClone, cudaGraphClone(out, graph));
}

EXPORT CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *count)
{
	return DRIVER(cuGraphGetNodes, cudaGraphGetNodes(graph, nodes, count));
}

EXPORT CUresult cuGraphGetRootNodes(CUgraph graph, CUgraphNode *nodes, size_t *count)
{
	return DRIVER(cuGraphGetRootNodes, cudaGraphGetRootNodes(graph, nodes, count));
}

EXPORT CUresult cuGraphGetEdges_v2(CUgraph graph, CUgraphNode *from, CUgraphNode *to,
								   CUgraphEdgeData *edges, size_t *count)
{
	return DRIVER(cuGraphGetEdges,
				  cudaGraphGetEdges(graph, from, to, (cudaGraphEdgeData *)edges, count));
}

EXPORT CUresult cuGraphAddDependencies_v2(CUgraph graph, const CUgraphNode *from,
										  const CUgraphNode *to, const CUgraphEdgeData *edges,
										  size_t count)
{
	return DRIVER(
		cuGraphAddDependencies,
		cudaGraphAddDependencies(graph, from, to, (const cudaGraphEdgeData *)edges, count));
}

EXPORT CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType *out)
{
	return DRIVER(cuGraphNodeGetType, cudaGraphNodeGetType(node, (enum cudaGraphNodeType *)out));
}

EXPORT CUresult cuGraphDestroyNode(CUgraphNode node)
{
	return DRIVER(cuGraphDestroyNode, cudaGraphDestroyNode(node));
}

/* The first form of the structure ends before `kern`, which only a node without `func` has. */
static struct cudaKernelNodeParams runtime_kernel(const CUDA_KERNEL_NODE_PARAMS *parameters)
{
	return (struct cudaKernelNodeParams){
		.func = parameters->func != NULL ? (void *)parameters->func : (void *)parameters->kern,
		.gridDim = {parameters->gridDimX, parameters->gridDimY, parameters->gridDimZ},
		.blockDim = {parameters->blockDimX, parameters->blockDimY, parameters->blockDimZ},
		.sharedMemBytes = parameters->sharedMemBytes,
		.kernelParams = parameters->kernelParams,
		.extra = parameters->extra,
	};
}

EXPORT CUresult cuGraphAddKernelNode_v2(CUgraphNode *out, CUgraph graph, const CUgraphNode *after,
										size_t count, const CUDA_KERNEL_NODE_PARAMS *parameters)
{
	if (parameters == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	const struct cudaKernelNodeParams same = runtime_kernel(parameters);
	return DRIVER(cuGraphAddKernelNode, cudaGraphAddKernelNode(out, graph, after, count, &same));
}
EXPORT_FIRST(cuGraphAddKernelNode, cuGraphAddKernelNode_v2);

EXPORT CUresult cuGraphKernelNodeSetParams_v2(CUgraphNode node,
											  const CUDA_KERNEL_NODE_PARAMS *parameters)
{
	if (parameters == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	const struct cudaKernelNodeParams same = runtime_kernel(parameters);
	return DRIVER(cuGraphKernelNodeSetParams, cudaGraphKernelNodeSetParams(node, &same));
}
EXPORT_FIRST(cuGraphKernelNodeSetParams, cuGraphKernelNodeSetParams_v2);

EXPORT CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec exec, CUgraphNode node,
												  const CUDA_KERNEL_NODE_PARAMS *parameters)
{
	if (parameters == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	const struct cudaKernelNodeParams same = runtime_kernel(parameters);
	return DRIVER(cuGraphExecKernelNodeSetParams,
				  cudaGraphExecKernelNodeSetParams(exec, node, &same));
}
EXPORT_FIRST(cuGraphExecKernelNodeSetParams, cuGraphExecKernelNodeSetParams_v2);

EXPORT CUresult cuGraphAddMemsetNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *after,
									 size_t count, const CUDA_MEMSET_NODE_PARAMS *parameters,
									 CUcontext context)
{
	(void)context;
	if (parameters == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	const struct cudaMemsetParams same = {
		driver_pointer(parameters->dst), parameters->pitch, parameters->value,
		parameters->elementSize,         parameters->width, parameters->height};
	return DRIVER(cuGraphAddMemsetNode, cudaGraphAddMemsetNode(out, graph, after, count, &same));
}

EXPORT CUresult cuGraphAddMemcpyNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *after,
									 size_t count, const CUDA_MEMCPY3D *parameters,
									 CUcontext context)
{
	(void)context;
	if (parameters == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	const CUDA_MEMCPY3D *p = parameters;
	const bool to_host = p->dstMemoryType == CU_MEMORYTYPE_HOST;
	const bool from_host = p->srcMemoryType == CU_MEMORYTYPE_HOST;
	void *to = to_host ? p->dstHost : driver_pointer(p->dstDevice);
	void *from = from_host ? (void *)p->srcHost : driver_pointer(p->srcDevice);
	const struct cudaMemcpy3DParms same = {
		.dstArray = p->dstMemoryType == CU_MEMORYTYPE_ARRAY ? (cudaArray_t)p->dstArray : NULL,
		.dstPos = {p->dstXInBytes, p->dstY, p->dstZ},
		.dstPtr = {to, p->dstPitch, p->WidthInBytes, p->dstHeight},
		.srcArray = p->srcMemoryType == CU_MEMORYTYPE_ARRAY ? (cudaArray_t)p->srcArray : NULL,
		.srcPos = {p->srcXInBytes, p->srcY, p->srcZ},
		.srcPtr = {from, p->srcPitch, p->WidthInBytes, p->srcHeight},
		.extent = {p->WidthInBytes, p->Height, p->Depth},
		.kind = cudaMemcpyDefault,
	};
	return DRIVER(cuGraphAddMemcpyNode, cudaGraphAddMemcpyNode(out, graph, after, count, &same));
}

EXPORT CUresult cuGraphAddHostNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *after,
								   size_t count, const CUDA_HOST_NODE_PARAMS *parameters)
{
	if (parameters == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	const struct cudaHostNodeParams same = {parameters->fn, parameters->userData};
	return DRIVER(cuGraphAddHostNode, cudaGraphAddHostNode(out, graph, after, count, &same));
}

EXPORT CUresult cuGraphAddChildGraphNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *after,
										 size_t count, CUgraph child)
{
	return DRIVER(cuGraphAddChildGraphNode,
				  cudaGraphAddChildGraphNode(out, graph, after, count, child));
}

EXPORT CUresult cuGraphAddEmptyNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *after,
									size_t count)
{
	return DRIVER(cuGraphAddEmptyNode, cudaGraphAddEmptyNode(out, graph, after, count));
}

/* ---- launches ------------------------------------------------------------------------- */

EXPORT CUresult cuGraphInstantiateWithFlags(CUgraphExec *out, CUgraph graph,
											unsigned long long flags)
{
	return DRIVER(cuGraphInstantiate, cudaGraphInstantiate(out, graph, flags));
}

/* As it was before CUDA 12: the log stays empty. */
CUresult cuGraphInstantiate_v2(CUgraphExec *out, CUgraph graph, CUgraphNode *wrong, char *log,
							   size_t size);
EXPORT CUresult cuGraphInstantiate_v2(CUgraphExec *out, CUgraph graph, CUgraphNode *wrong,
									  char *log, size_t size)
{
	if (wrong != NULL)
		*wrong = NULL;
	if (log != NULL && size)
		*log = '\0';
	return cuGraphInstantiateWithFlags(out, graph, 0);
}
EXPORT_FIRST(cuGraphInstantiate, cuGraphInstantiate_v2);

EXPORT CUresult cuGraphInstantiateWithParams(CUgraphExec *out, CUgraph graph,
											 CUDA_GRAPH_INSTANTIATE_PARAMS *parameters)
{
	_Static_assert(sizeof *parameters == sizeof(cudaGraphInstantiateParams),
				   "the driver's structure is the runtime's");
	return DRIVER(cuGraphInstantiateWithParams,
				  cudaGraphInstantiateWithParams(out, graph,
												 (cudaGraphInstantiateParams *)(void *)parameters));
}
EXPORT_ALIAS(cuGraphInstantiateWithParams, cuGraphInstantiateWithParams_ptsz);

EXPORT CUresult cuGraphExecUpdate_v2(CUgraphExec exec, CUgraph graph,
									 CUgraphExecUpdateResultInfo *info)
{
	return DRIVER(cuGraphExecUpdate,
				  cudaGraphExecUpdate(exec, graph, (cudaGraphExecUpdateResultInfo *)(void *)info));
}

EXPORT CUresult cuGraphUpload(CUgraphExec exec, CUstream stream)
{
	return DRIVER(cuGraphUpload, cudaGraphUpload(exec, stream));
}
EXPORT_ALIAS(cuGraphUpload, cuGraphUpload_ptsz);

EXPORT CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream)
{
	return DRIVER(cuGraphLaunch, cudaGraphLaunch(exec, stream));
}
EXPORT_ALIAS(cuGraphLaunch, cuGraphLaunch_ptsz);

EXPORT CUresult cuGraphExecDestroy(CUgraphExec exec)
{
	return DRIVER(cuGraphExecDestroy, cudaGraphExecDestroy(exec));
}
