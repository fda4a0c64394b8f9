/* Attributes and occupancy of kernels. */
#include <string.h>

#include "emulator/exec/kernel_name.h"
#include "emulator/runtime/newer.h"
#include "emulator/runtime/runtime.h"

static cudaError_t enter_function(const void *host, struct function **function,
								  struct kernel_properties *facts)
{
	cudaError_t status = runtime_enter_queueing();
	if (status == cudaSuccess)
		status = function_find(host, function);
	if (status == cudaSuccess)
		kernel_properties((*function)->kernel, facts);
	return status;
}

static cudaError_t set_dynamic_shared(struct function *function,
									  const struct kernel_properties *facts, int value)
{
	size_t limit = (size_t)runtime.gpu->shared_per_block_optin;
	if (value < 0 || (size_t)value + facts->static_shared_bytes > limit) {
		char kernel[KERNEL_NAME_SHOWN];
		kernel_name_show(function->name, kernel, sizeof kernel);
		refusal_reason(
			"use smaller tiles, or fewer stages of the pipeline",
			"%d bytes of dynamic shared memory for kernel %s, and a block of this GPU has "
			"%zu KiB at most, less its %zu static bytes",
			value, kernel, limit / KIB, facts->static_shared_bytes);
		return cudaErrorInvalidValue;
	}
	function->dynamic_shared_limit = value;
	function->dynamic_shared_set = true;
	return cudaSuccess;
}

static cudaError_t set_attribute(struct function *function, const struct kernel_properties *facts,
								 enum cudaFuncAttribute attribute, int value)
{
	switch ((int)attribute) {
	case FUNCTION_SHARED_MODE:
		if (value < SIZE_DEFAULT || value >= SHARED_MODE_END)
			return cudaErrorInvalidValue;
		function->shared_mode = value;
		return cudaSuccess;
	case cudaFuncAttributeMaxDynamicSharedMemorySize:
		return set_dynamic_shared(function, facts, value);
	case cudaFuncAttributeNonPortableClusterSizeAllowed:
		function->nonportable_cluster = value != 0;
		return cudaSuccess;
	case cudaFuncAttributePreferredSharedMemoryCarveout:
		return value >= -1 && value <= 100 ? cudaSuccess : cudaErrorInvalidValue;
	case cudaFuncAttributeClusterSchedulingPolicyPreference: return cudaSuccess;
	default:
		refusal_reason(NULL, "function attribute %d cannot be set", (int)attribute);
		return cudaErrorInvalidValue;
	}
}

EXPORT cudaError_t cudaFuncSetAttribute(const void *host, enum cudaFuncAttribute attribute,
										int value)
{
	struct function *function;
	struct kernel_properties facts;
	cudaError_t status = enter_function(host, &function, &facts);
	if (status == cudaSuccess)
		status = set_attribute(function, &facts, attribute, value);
	return runtime_leave(status);
}

EXPORT cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel,
												   enum cudaFuncAttribute attribute, int value,
												   int device)
{
	if (device != 0)
		return runtime_leave((runtime_enter(), cudaErrorInvalidDevice));
	return cudaFuncSetAttribute((const void *)kernel, attribute, value);
}

EXPORT cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *out, const void *host)
{
	struct function *function;
	struct kernel_properties facts;
	cudaError_t status = enter_function(host, &function, &facts);
	if (status == cudaSuccess) {
		int version = runtime.gpu->major * 10 + runtime.gpu->minor;
		int registers = registers_known(function), most = (int)facts.max_threads;
		if (registers == 0 && facts.slots > 0)
			registers_ask(function, "the program asks for them");
		if (registers > 0 && registers_threads(registers) < facts.max_threads)
			most = (int)registers_threads(registers);
		*out = (struct cudaFuncAttributes){
			.sharedSizeBytes = facts.static_shared_bytes,
			.localSizeBytes = facts.local_bytes,
			.maxThreadsPerBlock = most,
			.numRegs = registers > 0 ? registers : facts.registers,
			.ptxVersion = version,
			.binaryVersion = version,
			.maxDynamicSharedSizeBytes =
				(int)runtime_dynamic_shared_limit(function, SIZE_DEFAULT, &facts),
			.preferredShmemCarveout = -1,
			.requiredClusterWidth = (int)facts.required_cluster[0],
			.requiredClusterHeight = (int)facts.required_cluster[1],
			.requiredClusterDepth = (int)facts.required_cluster[2],
			.clusterDimMustBeSet = facts.explicit_cluster || facts.required_cluster[0] != 0,
			.nonPortableClusterSizeAllowed = function->nonportable_cluster,
		};
		*newer_shared_mode(out) = function->shared_mode;
	}
	return runtime_leave(status);
}

EXPORT cudaError_t cudaFuncGetName(const char **out, const void *host)
{
	struct function *function;
	struct kernel_properties facts;
	cudaError_t status = enter_function(host, &function, &facts);
	if (status == cudaSuccess)
		*out = function->name;
	return runtime_leave(status);
}

EXPORT cudaError_t cudaFuncGetParamInfo(const void *host, size_t index, size_t *offset,
										size_t *size)
{
	struct function *function;
	struct kernel_properties facts;
	cudaError_t status = enter_function(host, &function, &facts);
	if (status == cudaSuccess && index >= facts.parameter_count)
		status = cudaErrorInvalidValue;
	if (status == cudaSuccess)
		kernel_parameter(function->kernel, index, offset, size);
	return runtime_leave(status);
}

EXPORT cudaError_t cudaFuncGetParamCount(const void *host, size_t *count)
{
	struct function *function;
	struct kernel_properties facts;
	cudaError_t status = enter_function(host, &function, &facts);
	if (status == cudaSuccess && count == NULL)
		status = cudaErrorInvalidValue;
	if (status == cudaSuccess)
		*count = facts.parameter_count;
	return runtime_leave(status);
}

/* Hints without a meaning here. */
EXPORT cudaError_t cudaFuncSetCacheConfig(const void *host, enum cudaFuncCache config)
{
	struct function *function;
	struct kernel_properties facts;
	(void)config;
	return runtime_leave(enter_function(host, &function, &facts));
}

/* As an H200 has it: none, where no launch may ask for so much dynamic shared memory. What it says
 * of clusters then was not measured. */
static int blocks_allowed(struct function *function, const struct kernel_properties *facts,
						  size_t threads, size_t shared_bytes, int mode)
{
	if (shared_bytes > runtime_dynamic_shared_limit(function, mode, facts))
		return 0;
	return runtime_occupancy_blocks(function, threads, shared_bytes);
}

EXPORT cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
	int *out, const void *host, int threads, size_t shared_bytes, unsigned flags)
{
	struct function *function;
	struct kernel_properties facts;
	cudaError_t status = enter_function(host, &function, &facts);
	(void)flags;
	if (status == cudaSuccess && threads <= 0)
		status = cudaErrorInvalidValue;
	if (status == cudaSuccess)
		*out =
			blocks_allowed(function, &facts, (size_t)threads, shared_bytes, function->shared_mode);
	return runtime_leave(status);
}

EXPORT cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *out, const void *host,
																 int threads, size_t shared_bytes)
{
	return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(out, host, threads, shared_bytes,
																  0);
}

/* As an H200 gives it: a block's share of the multiprocessor's, of which what the system keeps is
 * not taken away, and no more than a launch of the kernel may ask for. */
static size_t available_shared(const struct function *function,
							   const struct kernel_properties *facts, size_t blocks)
{
	size_t share = (size_t)runtime.gpu->shared_per_multiprocessor / blocks / 128 * 128;
	size_t free = share - runtime_least(share, facts->static_shared_bytes);
	return runtime_least(free, runtime_dynamic_shared_limit(function, SIZE_DEFAULT, facts));
}

EXPORT cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *out, const void *host,
															 int blocks, int threads)
{
	struct function *function;
	struct kernel_properties facts;
	cudaError_t status = enter_function(host, &function, &facts);
	if (status == cudaSuccess &&
		(blocks <= 0 || threads <= 0 ||
		 blocks > runtime_occupancy(&facts, (size_t)threads, 0, registers_known(function))))
		status = cudaErrorInvalidValue;
	if (status == cudaSuccess)
		*out = available_shared(function, &facts, (size_t)blocks);
	return runtime_leave(status);
}

/* What a launch so configured says of clusters, and what it allows. */
struct clustering {
	size_t blocks;
	unsigned limit;
	int shared_mode;
};

static cudaError_t cluster_asked(const cudaLaunchConfig_t *config, const struct function *function,
								 const struct kernel_properties *facts, struct clustering *out)
{
	const uint32_t *own = facts->required_cluster;
	struct launch_request request = {.cluster = {1, 1, 1}};
	if (own[0])
		request.cluster = (dim3){own[0], own[1] ? own[1] : 1, own[2] ? own[2] : 1};
	cudaError_t status = launch_configure(config, &request);
	if (status == cudaSuccess && runtime.gpu->major < 9)
		status = cudaErrorNotSupported;
	out->blocks = (size_t)request.cluster.x * request.cluster.y * request.cluster.z;
	out->limit = runtime_cluster_limit(function, request.modes.cluster);
	out->shared_mode = request.modes.shared ? request.modes.shared : function->shared_mode;
	if (facts->max_cluster && facts->max_cluster < out->limit)
		out->limit = facts->max_cluster;
	return status;
}

EXPORT cudaError_t cudaOccupancyMaxPotentialClusterSize(int *out, const void *host,
														const cudaLaunchConfig_t *config)
{
	struct function *function;
	struct kernel_properties facts;
	struct clustering cluster;
	cudaError_t status = enter_function(host, &function, &facts);
	if (status == cudaSuccess)
		status = cluster_asked(config, function, &facts, &cluster);
	if (status == cudaSuccess)
		*out = (int)cluster.limit;
	return runtime_leave(status);
}

/* Clusters stay within a GPC, so that each may have multiprocessors left over. Where several
 * blocks share a multiprocessor, each counts as one more of those, which was not measured. */
static int clusters_at_once(size_t blocks, size_t cluster)
{
	size_t count = 0;
	for (size_t i = 0; i < GPU_CLUSTER_GROUPS; i++)
		count += blocks * (size_t)runtime.gpu->cluster_groups[i] / cluster;
	return (int)count;
}

EXPORT cudaError_t cudaOccupancyMaxActiveClusters(int *out, const void *host,
												  const cudaLaunchConfig_t *config)
{
	struct function *function;
	struct kernel_properties facts;
	struct clustering cluster;
	cudaError_t status = enter_function(host, &function, &facts);
	if (status == cudaSuccess)
		status = cluster_asked(config, function, &facts, &cluster);
	if (status == cudaSuccess && cluster.blocks > cluster.limit)
		status = cudaErrorInvalidClusterSize;
	if (status == cudaSuccess) {
		size_t threads = (size_t)config->blockDim.x * config->blockDim.y * config->blockDim.z;
		threads = facts.blocks_are_clusters ? facts.max_threads : threads;
		int blocks = blocks_allowed(function, &facts, threads, config->dynamicSmemBytes,
									cluster.shared_mode);
		*out = clusters_at_once((size_t)blocks, cluster.blocks ? cluster.blocks : 1);
	}
	return runtime_leave(status);
}
