/* Launches and what programs ask about kernels. A launch runs to its end inside
 * the call; a kernel's fault becomes the sticky error, which the next call
 * reports, so that a program sees the order of events that it sees on a GPU. */
#include <string.h>

#include "emulator/runtime/runtime.h"

#define SHARED_DEFAULT ((size_t)48 << 10)
#define CALLS_KEPT 16

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
							   size_t shared, cudaStream_t stream);

/* <<<...>>> pushes its configuration; the stub that it calls pops it. */
static _Thread_local struct {
	dim3 grid, block;
	size_t shared;
	cudaStream_t stream;
} calls[CALLS_KEPT];
static _Thread_local unsigned call_count;

EXPORT unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared,
											cudaStream_t stream)
{
	if (call_count == CALLS_KEPT)
		return 1; /* the generated code then leaves the kernel out */
	calls[call_count].grid = grid;
	calls[call_count].block = block;
	calls[call_count].shared = shared;
	calls[call_count].stream = stream;
	call_count++;
	return 0;
}

EXPORT cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream)
{
	if (call_count == 0)
		return cudaErrorMissingConfiguration;
	call_count--;
	*grid = calls[call_count].grid;
	*block = calls[call_count].block;
	*shared = calls[call_count].shared;
	*(cudaStream_t *)stream = calls[call_count].stream;
	return cudaSuccess;
}

static size_t min_size(size_t a, size_t b)
{
	return a < b ? a : b;
}

static size_t dynamic_shared_limit(const struct function *function,
								   const struct kernel_facts *facts)
{
	if (function->dynamic_shared_limit)
		return (size_t)function->dynamic_shared_limit;
	return SHARED_DEFAULT - min_size(SHARED_DEFAULT, facts->static_shared_bytes);
}

/* With CUDA 13 on an H200 a grid or block out of range is an invalid value, not
 * the invalid configuration of earlier runtimes. */
static cudaError_t check_shape(const struct launch_request *request,
							   const struct kernel_facts *facts)
{
	dim3 grid = request->grid, block = request->block;
	uint64_t threads = (uint64_t)block.x * block.y * block.z;
	if (!grid.x || !grid.y || !grid.z || !threads)
		return cudaErrorInvalidValue;
	if (grid.x > INT32_MAX || grid.y > UINT16_MAX || grid.z > UINT16_MAX)
		return cudaErrorInvalidValue;
	if (block.x > 1024 || block.y > 1024 || block.z > 64 || threads > 1024)
		return cudaErrorInvalidValue;
	if (threads > facts->max_threads)
		return cudaErrorLaunchOutOfResources;
	if (request->shared_bytes > dynamic_shared_limit(request->function, facts))
		return cudaErrorInvalidValue;
	return cudaSuccess;
}

/* The cluster of a launch: the launch attribute's, else the kernel's own. */
static cudaError_t choose_cluster(const struct launch_request *request,
								  const struct kernel_facts *facts, uint32_t out[3])
{
	const uint32_t asked[3] = {request->cluster.x, request->cluster.y, request->cluster.z};
	const uint32_t *required = facts->required_cluster;
	bool by_kernel = required[0] != 0, by_launch = asked[0] && asked[1] && asked[2];
	for (int i = 0; i < 3; i++)
		out[i] = by_launch ? asked[i] : by_kernel && required[i] ? required[i] : 1;
	if (by_launch && by_kernel && memcmp(asked, required, sizeof asked) != 0)
		return cudaErrorInvalidClusterSize;
	uint64_t blocks = (uint64_t)out[0] * out[1] * out[2];
	if (blocks == 1)
		return cudaSuccess;
	if (runtime.gpu->major < 9)
		return cudaErrorNotSupported;
	if (blocks > cluster_limit(request->function))
		return cudaErrorInvalidClusterSize;
	if (request->grid.x % out[0] || request->grid.y % out[1] || request->grid.z % out[2])
		return cudaErrorInvalidClusterSize;
	return cudaSuccess;
}

#define GRID_WORKSPACE_BYTES 64u

static cudaError_t check_cooperative(const struct launch_request *request)
{
	uint64_t blocks = (uint64_t)request->grid.x * request->grid.y * request->grid.z;
	size_t threads = (size_t)request->block.x * request->block.y * request->block.z;
	uint64_t resident =
		(uint64_t)runtime.gpu->multiprocessors *
		(uint64_t)occupancy_blocks(request->function, threads, request->shared_bytes);
	return blocks <= resident ? cudaSuccess : cudaErrorCooperativeLaunchTooLarge;
}

static void pack_parameters(const struct launch_request *request, const struct kernel_facts *facts,
							char *block)
{
	if (request->packed) {
		memset(block, 0, facts->parameter_bytes);
		memcpy(block, request->packed, min_size(request->packed_bytes, facts->parameter_bytes));
		return;
	}
	for (size_t i = 0; i < facts->parameter_count; i++) {
		size_t offset, size;
		kernel_parameter(request->function->kernel, i, &offset, &size);
		memcpy(block + offset, request->arguments[i], size);
	}
}

/* Where the blocks of a cooperative launch meet; zeroed. */
static uint64_t grid_workspace(void)
{
	uint64_t address = memory_allocate(GRID_WORKSPACE_BYTES, "the workspace of the grid");
	if (address) {
		memset((void *)(uintptr_t)address, 0, GRID_WORKSPACE_BYTES);
		memory_mark_written(memory_find(address), address, GRID_WORKSPACE_BYTES);
	}
	return address;
}

#define PARAMETER_LIMIT 32764u /* bytes; CUDA's limit since 12.1 */

/* With everything checked; `cluster` may be 0,0,0. */
static cudaError_t launch(const struct launch_request *request)
{
	const struct function *function = request->function;
	struct kernel_facts facts;
	struct launch run = {
		.kernel = function->kernel,
		.grid = {request->grid.x, request->grid.y, request->grid.z},
		.block = {request->block.x, request->block.y, request->block.z},
		.dynamic_shared_bytes = request->shared_bytes,
	};
	kernel_facts(function->kernel, &facts);
	if (!stream_valid(request->stream))
		return cudaErrorInvalidResourceHandle;
	cudaError_t status = check_shape(request, &facts);
	if (status == cudaSuccess)
		status = choose_cluster(request, &facts, run.cluster);
	if (status == cudaSuccess && request->cooperative)
		status = check_cooperative(request);
	if (status == cudaSuccess && facts.parameter_bytes > PARAMETER_LIMIT)
		status = cudaErrorInvalidValue;
	if (status == cudaSuccess && facts.parameter_count && !request->arguments && !request->packed)
		status = cudaErrorInvalidValue;
	if (status != cudaSuccess)
		return status;
	_Alignas(256) char parameters[PARAMETER_LIMIT + 1];
	pack_parameters(request, &facts, parameters);
	run.parameters = parameters;
	struct fault fault = {0};
	runtime_open_memory();
	if (request->cooperative && !(run.grid_workspace = grid_workspace())) {
		runtime_close_memory();
		return cudaErrorMemoryAllocation;
	}
	request->function->launches++;
	if (!machine_launch(&run, &runtime.options, &request->function->counters, &fault))
		runtime_fault(&fault);
	memory_free(run.grid_workspace);
	runtime_close_memory();
	counters_write_sometimes(false);
	return cudaSuccess;
}

cudaError_t launch_host(const void *host, struct launch_request *request)
{
	cudaError_t status = runtime_enter();
	if (status == cudaSuccess)
		status = function_find(host, &request->function);
	if (status == cudaSuccess)
		status = launch(request);
	return runtime_leave(status);
}

EXPORT cudaError_t cudaLaunchKernel(const void *host, dim3 grid, dim3 block, void **arguments,
									size_t shared, cudaStream_t stream)
{
	struct launch_request request = {.grid = grid,
									 .block = block,
									 .arguments = arguments,
									 .shared_bytes = shared,
									 .stream = stream};
	return launch_host(host, &request);
}
EXPORT_ALIAS(cudaLaunchKernel, cudaLaunchKernel_ptsz);

EXPORT cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
									  size_t shared, cudaStream_t stream)
{
	return cudaLaunchKernel((const void *)kernel, grid, block, arguments, shared, stream);
}
EXPORT_ALIAS(__cudaLaunchKernel, __cudaLaunchKernel_ptsz);

EXPORT cudaError_t cudaLaunchCooperativeKernel(const void *host, dim3 grid, dim3 block,
											   void **arguments, size_t shared, cudaStream_t stream)
{
	struct launch_request request = {.grid = grid,
									 .block = block,
									 .arguments = arguments,
									 .shared_bytes = shared,
									 .stream = stream,
									 .cooperative = true};
	return launch_host(host, &request);
}
EXPORT_ALIAS(cudaLaunchCooperativeKernel, cudaLaunchCooperativeKernel_ptsz);

/* Attributes that only tune (priorities, carve-outs, programmatic launch: every
 * launch starts after the one before has ended, which that always allows) are
 * accepted; events tied to a launch are not. */
static cudaError_t apply_attribute(const cudaLaunchAttribute *attribute,
								   struct launch_request *request)
{
	switch (attribute->id) {
	case cudaLaunchAttributeClusterDimension:
		request->cluster.x = attribute->val.clusterDim.x;
		request->cluster.y = attribute->val.clusterDim.y;
		request->cluster.z = attribute->val.clusterDim.z;
		return cudaSuccess;
	case cudaLaunchAttributeCooperative:
		request->cooperative = attribute->val.cooperative != 0;
		return cudaSuccess;
	case cudaLaunchAttributeProgrammaticEvent:
	case cudaLaunchAttributeLaunchCompletionEvent:
	case cudaLaunchAttributeDeviceUpdatableKernelNode:
		runtime_say("launch attribute %d is not supported", (int)attribute->id);
		return cudaErrorNotSupported;
	default: return cudaSuccess;
	}
}

cudaError_t launch_configure(const cudaLaunchConfig_t *config, struct launch_request *request)
{
	cudaError_t status = config ? cudaSuccess : cudaErrorInvalidValue;
	if (status != cudaSuccess)
		return status;
	request->grid = config->gridDim;
	request->block = config->blockDim;
	request->shared_bytes = config->dynamicSmemBytes;
	request->stream = config->stream;
	for (unsigned i = 0; status == cudaSuccess && i < config->numAttrs; i++)
		status = apply_attribute(&config->attrs[i], request);
	return status;
}

EXPORT cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *host,
									   void **arguments)
{
	struct launch_request request = {.arguments = arguments};
	cudaError_t status = launch_configure(config, &request);
	if (status != cudaSuccess)
		return runtime_leave((runtime_enter(), status));
	return launch_host(host, &request);
}
EXPORT_ALIAS(cudaLaunchKernelExC, cudaLaunchKernelExC_ptsz);
