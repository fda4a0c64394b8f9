/* Functions of modules: their attributes, launches and occupancy. */
#include <string.h>

#include "emulator/driver/driver.h"

/* A launch attribute of the driver's is one of the runtime's, byte for byte. */
_Static_assert(sizeof(CUlaunchAttribute) == sizeof(cudaLaunchAttribute) &&
				   (int)CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION ==
					   (int)cudaLaunchAttributeClusterDimension &&
				   (int)CU_LAUNCH_ATTRIBUTE_COOPERATIVE == (int)cudaLaunchAttributeCooperative,
			   "launch attributes of the driver and of the runtime are the same");

/* ---- attributes --------------------------------------------------------------------- */

static cudaError_t get_attribute(int *out, CUfunction_attribute attribute, const void *function)
{
	struct cudaFuncAttributes facts;
	cudaError_t status =
		out != NULL ? cudaFuncGetAttributes(&facts, function) : cudaErrorInvalidValue;
	if (status != cudaSuccess)
		return status;
	switch ((int)attribute) {
	case DRIVER_FUNCTION_NODE_UPDATE: *out = 0; break; /* device-side updates are not emulated */
	case DRIVER_FUNCTION_SHARED_MODE: *out = *newer_shared_mode(&facts); break;
	case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *out = facts.maxThreadsPerBlock; break;
	case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: *out = (int)facts.sharedSizeBytes; break;
	case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: *out = (int)facts.constSizeBytes; break;
	case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: *out = (int)facts.localSizeBytes; break;
	case CU_FUNC_ATTRIBUTE_NUM_REGS: *out = facts.numRegs; break;
	case CU_FUNC_ATTRIBUTE_PTX_VERSION: *out = facts.ptxVersion; break;
	case CU_FUNC_ATTRIBUTE_BINARY_VERSION: *out = facts.binaryVersion; break;
	case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA: *out = facts.cacheModeCA; break;
	case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
		*out = facts.maxDynamicSharedSizeBytes;
		break;
	case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
		*out = facts.preferredShmemCarveout;
		break;
	case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET: *out = facts.clusterDimMustBeSet; break;
	case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH: *out = facts.requiredClusterWidth; break;
	case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT: *out = facts.requiredClusterHeight; break;
	case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH: *out = facts.requiredClusterDepth; break;
	case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
		*out = facts.nonPortableClusterSizeAllowed;
		break;
	case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
		*out = facts.clusterSchedulingPolicyPreference;
		break;
	default: return cudaErrorInvalidValue;
	}
	return cudaSuccess;
}

EXPORT CUresult cuFuncGetAttribute(int *out, CUfunction_attribute attribute, CUfunction function)
{
	return DRIVER(cuFuncGetAttribute, get_attribute(out, attribute, function));
}

EXPORT CUresult cuKernelGetAttribute(int *out, CUfunction_attribute attribute, CUkernel kernel,
									 CUdevice device)
{
	if (device != 0)
		return CUDA_ERROR_INVALID_DEVICE;
	return DRIVER(cuKernelGetAttribute, get_attribute(out, attribute, kernel));
}

/* Of the attributes that can be set, only the newest has not the runtime's number. */
static enum cudaFuncAttribute runtime_attribute(CUfunction_attribute attribute)
{
	if (attribute == DRIVER_FUNCTION_NODE_UPDATE)
		return (enum cudaFuncAttribute)0; /* which is none */
	return attribute == DRIVER_FUNCTION_SHARED_MODE ? FUNCTION_SHARED_MODE
													: (enum cudaFuncAttribute)attribute;
}

EXPORT CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value)
{
	return DRIVER(cuFuncSetAttribute,
				  cudaFuncSetAttribute(function, runtime_attribute(attribute), value));
}

EXPORT CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel,
									 CUdevice device)
{
	if (device != 0)
		return CUDA_ERROR_INVALID_DEVICE;
	return DRIVER(cuKernelSetAttribute,
				  cudaFuncSetAttribute(kernel, runtime_attribute(attribute), value));
}

EXPORT CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache config)
{
	return DRIVER(cuFuncSetCacheConfig,
				  cudaFuncSetCacheConfig(function, (enum cudaFuncCache)config));
}

EXPORT CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice device)
{
	if (device != 0)
		return CUDA_ERROR_INVALID_DEVICE;
	return DRIVER(cuKernelSetCacheConfig,
				  cudaFuncSetCacheConfig(kernel, (enum cudaFuncCache)config));
}

EXPORT CUresult cuFuncGetName(const char **out, CUfunction function)
{
	return out != NULL ? DRIVER(cuFuncGetName, cudaFuncGetName(out, function))
					   : CUDA_ERROR_INVALID_VALUE;
}

EXPORT CUresult cuKernelGetName(const char **out, CUkernel kernel)
{
	return out != NULL ? DRIVER(cuKernelGetName, cudaFuncGetName(out, kernel))
					   : CUDA_ERROR_INVALID_VALUE;
}

EXPORT CUresult cuFuncGetParamCount(CUfunction function, size_t *count)
{
	return DRIVER(cuFuncGetParamCount, cudaFuncGetParamCount(function, count));
}

EXPORT CUresult cuKernelGetParamCount(CUkernel kernel, size_t *count)
{
	return DRIVER(cuKernelGetParamCount, cudaFuncGetParamCount(kernel, count));
}

static cudaError_t get_parameter(const void *function, size_t index, size_t *offset, size_t *size)
{
	size_t bytes;
	return cudaFuncGetParamInfo(function, index, offset, size != NULL ? size : &bytes);
}

EXPORT CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset, size_t *size)
{
	if (offset == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	return DRIVER(cuFuncGetParamInfo, get_parameter(function, index, offset, size));
}

EXPORT CUresult cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t *offset, size_t *size)
{
	if (offset == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	return DRIVER(cuKernelGetParamInfo, get_parameter(kernel, index, offset, size));
}

static cudaError_t check(const void *host, struct binary **binary)
{
	struct function *function = NULL;
	cudaError_t status = runtime_enter();
	if (status == cudaSuccess)
		status = function_find(host, &function);
	if (status == cudaSuccess && binary != NULL)
		*binary = function->binary;
	return runtime_leave(status);
}

EXPORT CUresult cuFuncGetModule(CUmodule *out, CUfunction function)
{
	struct binary *binary = NULL;
	CUresult status =
		out != NULL ? DRIVER(cuFuncGetModule, check(function, &binary)) : CUDA_ERROR_INVALID_VALUE;
	if (status == CUDA_SUCCESS)
		*out = (CUmodule)(void *)binary;
	return status;
}

EXPORT CUresult cuKernelGetFunction(CUfunction *out, CUkernel kernel)
{
	CUresult status =
		out != NULL ? DRIVER(cuKernelGetFunction, check(kernel, NULL)) : CUDA_ERROR_INVALID_VALUE;
	if (status == CUDA_SUCCESS)
		*out = (CUfunction)(void *)kernel;
	return status;
}

EXPORT CUresult cuKernelGetLibrary(CUlibrary *out, CUkernel kernel)
{
	return cuFuncGetModule((CUmodule *)(void *)out, (CUfunction)(void *)kernel);
}

EXPORT CUresult cuFuncIsLoaded(CUfunctionLoadingState *out, CUfunction function)
{
	CUresult status =
		out != NULL ? DRIVER(cuFuncIsLoaded, check(function, NULL)) : CUDA_ERROR_INVALID_VALUE;
	if (status == CUDA_SUCCESS)
		*out = CU_FUNCTION_LOADING_STATE_LOADED;
	return status;
}

EXPORT CUresult cuFuncLoad(CUfunction function)
{
	return DRIVER(cuFuncLoad, check(function, NULL));
}

/* ---- launches ------------------------------------------------------------------------ */

static cudaLaunchConfig_t runtime_config(const CUlaunchConfig *config)
{
	return (cudaLaunchConfig_t){
		.gridDim = {config->gridDimX, config->gridDimY, config->gridDimZ},
		.blockDim = {config->blockDimX, config->blockDimY, config->blockDimZ},
		.dynamicSmemBytes = config->sharedMemBytes,
		.stream = config->hStream,
		.attrs = (cudaLaunchAttribute *)config->attrs,
		.numAttrs = config->numAttrs,
	};
}

static cudaError_t launch_ex(const CUlaunchConfig *config, const void *function, void **arguments,
							 void **extra)
{
	struct launch_request request = {.arguments = arguments};
	cudaLaunchConfig_t same = runtime_config(config);
	cudaError_t status = launch_configure(&same, &request);
	if (status == cudaSuccess)
		status = launch_extra(extra, &request);
	return status == cudaSuccess ? launch_host(function, &request) : status;
}

EXPORT CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function,
								 void **arguments, void **extra)
{
	if (config == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	return DRIVER(cuLaunchKernelEx, launch_ex(config, function, arguments, extra));
}
EXPORT_ALIAS(cuLaunchKernelEx, cuLaunchKernelEx_ptsz);

EXPORT CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y,
							   unsigned grid_z, unsigned block_x, unsigned block_y,
							   unsigned block_z, unsigned shared_bytes, CUstream stream,
							   void **arguments, void **extra)
{
	const CUlaunchConfig config = {grid_x,  grid_y,       grid_z, block_x, block_y,
								   block_z, shared_bytes, stream, NULL,    0};
	return DRIVER(cuLaunchKernel, launch_ex(&config, function, arguments, extra));
}
EXPORT_ALIAS(cuLaunchKernel, cuLaunchKernel_ptsz);

EXPORT CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y,
										  unsigned grid_z, unsigned block_x, unsigned block_y,
										  unsigned block_z, unsigned shared_bytes, CUstream stream,
										  void **arguments)
{
	CUlaunchAttribute cooperative = {.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE,
									 .value = {.cooperative = 1}};
	const CUlaunchConfig config = {grid_x,  grid_y,       grid_z, block_x,      block_y,
								   block_z, shared_bytes, stream, &cooperative, 1};
	return DRIVER(cuLaunchCooperativeKernel, launch_ex(&config, function, arguments, NULL));
}
EXPORT_ALIAS(cuLaunchCooperativeKernel, cuLaunchCooperativeKernel_ptsz);

/* ---- occupancy ----------------------------------------------------------------------- */

EXPORT CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *out, CUfunction function,
																	 int threads,
																	 size_t shared_bytes,
																	 unsigned flags)
{
	if (out == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	return DRIVER(cuOccupancyMaxActiveBlocksPerMultiprocessor,
				  cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(out, function, threads,
																		 shared_bytes, flags));
}

EXPORT CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *out, CUfunction function,
															int threads, size_t shared_bytes)
{
	return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(out, function, threads,
																shared_bytes, 0);
}

EXPORT CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *out, CUfunction function,
														int blocks, int threads)
{
	if (out == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	return DRIVER(cuOccupancyAvailableDynamicSMemPerBlock,
				  cudaOccupancyAvailableDynamicSMemPerBlock(out, function, blocks, threads));
}

EXPORT CUresult cuOccupancyMaxActiveClusters(int *out, CUfunction function,
											 const CUlaunchConfig *config)
{
	if (out == NULL || config == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	cudaLaunchConfig_t same = runtime_config(config);
	return DRIVER(cuOccupancyMaxActiveClusters,
				  cudaOccupancyMaxActiveClusters(out, function, &same));
}

EXPORT CUresult cuOccupancyMaxPotentialClusterSize(int *out, CUfunction function,
												   const CUlaunchConfig *config)
{
	if (out == NULL || config == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	cudaLaunchConfig_t same = runtime_config(config);
	return DRIVER(cuOccupancyMaxPotentialClusterSize,
				  cudaOccupancyMaxPotentialClusterSize(out, function, &same));
}

/* The block of most resident threads, the largest of those; the lock is free, as the callback may
 * call anything. */
static CUresult best_block(int *grid, int *block, CUfunction function, CUoccupancyB2DSize shared_of,
						   size_t shared_bytes, int limit)
{
	int most = 0, largest = 0;
	CUresult status =
		cuFuncGetAttribute(&largest, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function);
	if (limit > 0 && limit < largest)
		largest = limit;
	*grid = *block = 0;
	for (int threads = largest; status == CUDA_SUCCESS && threads > 0;
		 threads = (threads - 1) / 32 * 32) {
		int blocks = 0;
		status = cuOccupancyMaxActiveBlocksPerMultiprocessor(
			&blocks, function, threads, shared_of != NULL ? shared_of(threads) : shared_bytes);
		if (status != CUDA_SUCCESS || blocks * threads <= most)
			continue;
		most = blocks * threads;
		*block = threads;
		*grid = blocks * runtime.gpu->multiprocessors;
	}
	return status;
}

EXPORT CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block,
														  CUfunction function,
														  CUoccupancyB2DSize shared_of,
														  size_t shared_bytes, int limit,
														  unsigned flags)
{
	(void)flags;
	if (grid == NULL || block == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	return best_block(grid, block, function, shared_of, shared_bytes, limit);
}

EXPORT CUresult cuOccupancyMaxPotentialBlockSize(int *grid, int *block, CUfunction function,
												 CUoccupancyB2DSize shared_of, size_t shared_bytes,
												 int limit)
{
	return cuOccupancyMaxPotentialBlockSizeWithFlags(grid, block, function, shared_of, shared_bytes,
													 limit, 0);
}
