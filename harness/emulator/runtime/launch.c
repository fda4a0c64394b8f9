/* Launches: what a program asks for is checked, and then run or queued (queue.c). A launch that
 * runs ends inside the call; a kernel's fault becomes the sticky error, which the next call
 * reports, so that a program sees the order of events that it sees on a GPU. */
#include <cuda.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/exec/kernel_name.h"
#include "emulator/runtime/graph.h"
#include "emulator/runtime/newer.h"

#define ADVICE_SMALLER_TILES "use smaller tiles, or fewer stages of the pipeline"
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

static int shared_mode(const struct launch_request *request)
{
	return request->modes.shared ? request->modes.shared : request->function->shared_mode;
}

/* The kernel is not launched; says why. */
__attribute__((format(printf, 4, 5))) static cudaError_t refuse(const struct function *function,
																cudaError_t status,
																const char *advice,
																const char *format, ...)
{
	char kernel[KERNEL_NAME_SHOWN], why[256];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(why, sizeof why, format, arguments);
	va_end(arguments);
	kernel_name_show(function->name, kernel, sizeof kernel);
	refusal_say(advice, "kernel %s is not launched: %s", kernel, why);
	return status;
}

/* Where nobody has said how many registers a thread has, no launch is refused for it; but where
 * somebody wants to be asked, and the kernel may well have too many of them, nothing is launched
 * before he has answered: a line alone could be hidden by the program. */
static cudaError_t check_registers(const struct launch_request *request,
								   const struct kernel_properties *facts)
{
	const size_t threads = (size_t)request->block.x * request->block.y * request->block.z;
	const int registers = registers_known(request->function);
	if (registers == 0) {
		if (!registers_wanted() || registers_blocks(facts->most_registers, threads) > 0 ||
			registers_blocks(facts->slots, threads) > 0)
			return cudaSuccess;
		return refuse(request->function, cudaErrorLaunchOutOfResources, NULL,
					  "only ptxas knows how many registers it takes, and a block may have more "
					  "threads than they allow");
	}
	if (registers_blocks(registers, threads) > 0)
		return cudaSuccess;
	return refuse(request->function, cudaErrorLaunchOutOfResources,
				  "use a smaller block, or __launch_bounds__ with its threads, so that nvcc gives "
				  "each of them fewer registers",
				  "its block has %zu threads of %d registers each, and %zu such threads are the "
				  "most that a block's 65536 registers allow",
				  threads, registers, registers_threads(registers));
}

/* What ptxas takes of static shared memory; that the emulated GPU has none must not make more of
 * it. Above, a kernel has no machine code, and a launch of it fails. */
static cudaError_t check_static_shared(const struct launch_request *request,
									   const struct kernel_properties *facts)
{
	const struct gpu *gpu = runtime.gpu;
	size_t limit = gpu->major >= 9 ? (size_t)gpu->shared_per_block_optin : SHARED_DEFAULT;
	if (facts->static_shared_bytes <= limit)
		return cudaSuccess;
	return refuse(request->function, cudaErrorNoKernelImageForDevice, ADVICE_SMALLER_TILES,
				  "it has %zu bytes of static shared memory, and nvcc takes %zu at most for this "
				  "GPU (%s)",
				  facts->static_shared_bytes, limit, gpu->id);
}

static cudaError_t check_grid(const struct launch_request *request)
{
	dim3 grid = request->grid;
	if (!grid.x || !grid.y || !grid.z)
		return refuse(request->function, cudaErrorInvalidValue,
					  "round the number of blocks up, (n + tile - 1) / tile: n / tile is 0 where n "
					  "is smaller than the tile",
					  "its grid has %u x %u x %u blocks", grid.x, grid.y, grid.z);
	if (grid.x > INT32_MAX || grid.y > UINT16_MAX || grid.z > UINT16_MAX)
		return refuse(request->function, cudaErrorInvalidValue,
					  "let x count what can be many, such as all tiles of the result, and compute "
					  "row and column from it",
					  "its grid has %u x %u x %u blocks, and 2147483647 x 65535 x 65535 are the "
					  "most",
					  grid.x, grid.y, grid.z);
	return cudaSuccess;
}

static cudaError_t check_block(const struct launch_request *request,
							   const struct kernel_properties *facts)
{
	dim3 block = request->block;
	uint64_t threads = (uint64_t)block.x * block.y * block.z;
	if (!threads)
		return refuse(request->function, cudaErrorInvalidValue, NULL,
					  "its block has %u x %u x %u threads", block.x, block.y, block.z);
	if (block.x > 1024 || block.y > 1024 || block.z > 64 || threads > 1024)
		return refuse(request->function, cudaErrorInvalidValue,
					  "use a smaller block and a larger grid, or let each thread compute several "
					  "elements",
					  "its block has %u x %u x %u = %llu threads, and 1024 are the most%s", block.x,
					  block.y, block.z, (unsigned long long)threads,
					  block.z > 64 ? ", 64 of them in z" : "");
	const uint32_t *required = facts->required_block;
	if (required[0] && (block.x != required[0] || block.y != required[1] || block.z != required[2]))
		return refuse(request->function, cudaErrorInvalidValue,
					  "launch it with the block that it is declared with, or declare it with "
					  "__launch_bounds__, which takes smaller ones",
					  "its block has %u x %u x %u threads, and it is declared with %u x %u x %u "
					  "(.reqntid)",
					  block.x, block.y, block.z, required[0], required[1], required[2]);
	if (threads > facts->max_threads)
		return refuse(request->function, cudaErrorLaunchOutOfResources,
					  "launch so many threads as __launch_bounds__ says, or let it say more",
					  "its block has %u x %u x %u = %llu threads, and its __launch_bounds__ says "
					  "%u at most",
					  block.x, block.y, block.z, (unsigned long long)threads, facts->max_threads);
	return cudaSuccess;
}

static cudaError_t check_dynamic_shared(const struct launch_request *request,
										const struct kernel_properties *facts)
{
	size_t asked = request->shared_bytes;
	size_t limit = runtime_dynamic_shared_limit(request->function, shared_mode(request), facts);
	size_t most = (size_t)runtime.gpu->shared_per_block_optin;
	char kernel[KERNEL_NAME_SHOWN], advice[KERNEL_NAME_SHOWN + 128];
	if (asked <= limit)
		return cudaSuccess;
	if (asked + facts->static_shared_bytes > most)
		return refuse(request->function, cudaErrorInvalidValue, ADVICE_SMALLER_TILES,
					  "it asks for %zu bytes of dynamic shared memory, and a block of this GPU has "
					  "%zu KiB at most, less its %zu static bytes",
					  asked, most / KIB, facts->static_shared_bytes);
	kernel_name_show(request->function->name, kernel, sizeof kernel);
	snprintf(advice, sizeof advice,
			 "call cudaFuncSetAttribute(%s, cudaFuncAttributeMaxDynamicSharedMemorySize, %zu) "
			 "before the launch",
			 kernel, asked);
	return refuse(request->function, cudaErrorInvalidValue, shared_mode(request) ? NULL : advice,
				  "it asks for %zu bytes of dynamic shared memory, and %zu are the most %s", asked,
				  limit,
				  shared_mode(request) ? "that are portable, as its shared memory mode says"
				  : request->function->dynamic_shared_set ? "that cudaFuncSetAttribute has allowed"
														  : "without cudaFuncSetAttribute");
}

/* With CUDA 13 on an H200 a grid or block out of range is an invalid value, not
 * the invalid configuration of earlier runtimes. */
static cudaError_t check_shape(const struct launch_request *request,
							   const struct kernel_properties *facts)
{
	cudaError_t status = check_static_shared(request, facts);
	if (status == cudaSuccess)
		status = check_grid(request);
	if (status == cudaSuccess)
		status = check_block(request, facts);
	if (status == cudaSuccess)
		status = check_registers(request, facts);
	if (status == cudaSuccess)
		status = check_dynamic_shared(request, facts);
	return status;
}

static unsigned times(unsigned clusters, uint32_t blocks)
{
	const uint64_t product = (uint64_t)clusters * (blocks ? blocks : 1);
	return product < UINT32_MAX ? (unsigned)product : UINT32_MAX;
}

/* CUDA C++ Programming Guide, "Blocks as Clusters": the grid of a launch counts clusters. As a
 * launch has to say something of the block, it says 1, or what the kernel is declared with. */
static void count_blocks(struct launch_request *request, const struct kernel_properties *facts)
{
	const uint32_t *block = facts->required_block, *cluster = facts->required_cluster;
	const dim3 asked = request->block;
	if (!facts->blocks_are_clusters)
		return;
	request->grid = (dim3){times(request->grid.x, cluster[0]), times(request->grid.y, cluster[1]),
						   times(request->grid.z, cluster[2])};
	if (asked.x == 1 && asked.y == 1 && asked.z == 1)
		request->block = (dim3){block[0], block[1], block[2]};
}

/* The cluster of a launch: the launch attribute's, else the kernel's own, else none. */
static cudaError_t choose_cluster(const struct launch_request *request,
								  const struct kernel_properties *facts, uint32_t out[3])
{
	const struct function *function = request->function;
	const uint32_t asked[3] = {request->cluster.x, request->cluster.y, request->cluster.z};
	const uint32_t *required = facts->required_cluster;
	bool by_kernel = required[0] != 0, by_launch = asked[0] && asked[1] && asked[2];
	if (request->cluster_set && !by_launch)
		return refuse(function, cudaErrorInvalidClusterSize,
					  "leave cudaLaunchAttributeClusterDimension out, or say 1 in each dimension",
					  "it is launched with clusters of %u x %u x %u blocks", asked[0], asked[1],
					  asked[2]);
	if (!by_launch && !by_kernel)
		return facts->explicit_cluster
				   ? refuse(function, cudaErrorInvalidClusterSize,
							"launch it with cudaLaunchKernelEx and "
							"cudaLaunchAttributeClusterDimension",
							"it is declared to run in clusters (.explicitcluster), and neither the "
							"launch nor the kernel says of how many blocks")
				   : cudaSuccess;
	for (int i = 0; i < 3; i++)
		out[i] = by_launch ? asked[i] : required[i] ? required[i] : 1;
	if (by_launch && by_kernel && memcmp(asked, required, sizeof asked) != 0)
		return refuse(function, cudaErrorInvalidClusterSize, NULL,
					  "it is launched with clusters of %u x %u x %u blocks, and declared with "
					  "%u x %u x %u",
					  asked[0], asked[1], asked[2], required[0], required[1], required[2]);
	uint64_t blocks = (uint64_t)out[0] * out[1] * out[2];
	if (blocks == 1)
		return cudaSuccess;
	if (runtime.gpu->major < 9)
		return refuse(function, cudaErrorNotSupported, NULL, "this GPU (%s) has no clusters",
					  runtime.gpu->id);
	unsigned limit = runtime_cluster_limit(function, request->modes.cluster);
	if (blocks > limit)
		return refuse(function, cudaErrorInvalidClusterSize,
					  "cudaFuncAttributeNonPortableClusterSizeAllowed allows 16 blocks",
					  "its clusters have %llu blocks, and %u are the most",
					  (unsigned long long)blocks, limit);
	if (facts->max_cluster && blocks > facts->max_cluster)
		return refuse(function, cudaErrorInvalidClusterSize,
					  "launch it with smaller clusters, or let its __launch_bounds__ allow larger "
					  "ones",
					  "its clusters have %llu blocks, and its __launch_bounds__ says %u at most "
					  "(.maxclusterrank)",
					  (unsigned long long)blocks, facts->max_cluster);
	if (request->grid.x % out[0] || request->grid.y % out[1] || request->grid.z % out[2])
		return refuse(function, cudaErrorInvalidClusterSize,
					  "round the grid up to whole clusters, and let the blocks that are too many "
					  "do nothing",
					  "its grid of %u x %u x %u blocks is no multiple of its cluster of "
					  "%u x %u x %u",
					  request->grid.x, request->grid.y, request->grid.z, out[0], out[1], out[2]);
	return cudaSuccess;
}

static cudaError_t check_cooperative(const struct launch_request *request)
{
	uint64_t blocks = (uint64_t)request->grid.x * request->grid.y * request->grid.z;
	size_t threads = (size_t)request->block.x * request->block.y * request->block.z;
	uint64_t processors = (uint64_t)runtime.gpu->multiprocessors, resident;
	if (blocks <= processors * (uint64_t)runtime_occupancy_least(request->function, threads,
																 request->shared_bytes))
		return cudaSuccess;
	resident = processors * (uint64_t)runtime_occupancy_blocks(request->function, threads,
															   request->shared_bytes);
	if (blocks <= resident)
		return cudaSuccess;
	return refuse(request->function, cudaErrorCooperativeLaunchTooLarge,
				  "ask cudaOccupancyMaxActiveBlocksPerMultiprocessor how many fit, and let each "
				  "block compute several tiles",
				  "its cooperative grid has %llu blocks, and %llu can be resident together",
				  (unsigned long long)blocks, (unsigned long long)resident);
}

static void pack_parameters(const struct launch_request *request,
							const struct kernel_properties *facts, char *block)
{
	if (request->packed != NULL) {
		memset(block, 0, facts->parameter_bytes);
		memcpy(block, request->packed,
			   runtime_least(request->packed_bytes, facts->parameter_bytes));
		return;
	}
	for (size_t i = 0; i < facts->parameter_count; i++) {
		size_t offset, size;
		kernel_parameter(request->function->kernel, i, &offset, &size);
		memcpy(block + offset, request->arguments[i], size);
	}
}

#define PARAMETER_LIMIT 32764u /* bytes; CUDA's limit since 12.1 */

cudaError_t launch_prepare(const struct launch_request *asked, struct queued *out)
{
	const struct function *function = asked->function;
	struct launch_request of_blocks = *asked, *request = &of_blocks;
	struct kernel_properties facts;
	kernel_properties(function->kernel, &facts);
	count_blocks(request, &facts);
	struct launch run = {
		.kernel = function->kernel,
		.grid = {request->grid.x, request->grid.y, request->grid.z},
		.block = {request->block.x, request->block.y, request->block.z},
		.dynamic_shared_bytes = request->shared_bytes,
	};
	cudaError_t status = check_shape(request, &facts);
	if (status == cudaSuccess)
		status = choose_cluster(request, &facts, run.cluster);
	if (status == cudaSuccess && request->cooperative)
		status = check_cooperative(request);
	if (status == cudaSuccess && facts.parameter_bytes > PARAMETER_LIMIT)
		status = cudaErrorInvalidValue;
	if (status == cudaSuccess && facts.parameter_count && request->arguments == NULL &&
		request->packed == NULL)
		status = cudaErrorInvalidValue;
	if (status != cudaSuccess)
		return status;
	*out = (struct queued){.stream = request->stream,
						   .function = request->function,
						   .run = run,
						   .grid = asked->grid,
						   .block = asked->block,
						   .parameters = queue_parameters(facts.parameter_bytes),
						   .modes = request->modes,
						   .cooperative = request->cooperative,
						   .launches_dependents = facts.launches_dependents,
						   .early = request->programmatic && !facts.waits_for_grid};
	if (out->parameters == NULL)
		return cudaErrorMemoryAllocation;
	pack_parameters(request, &facts, out->parameters);
	out->run.parameters = out->parameters;
	out->run.resident_blocks = runtime_resident_blocks(
		function, (size_t)request->block.x * request->block.y * request->block.z,
		request->shared_bytes);
	return cudaSuccess;
}

static cudaError_t launch(const struct launch_request *request)
{
	struct branch *branch;
	struct queued entry;
	if (!stream_valid(request->stream))
		return refuse(request->function, cudaErrorInvalidResourceHandle, NULL,
					  "its stream does not exist, or was destroyed");
	cudaError_t status = capture_of(request->stream, &branch);
	if (status == cudaSuccess)
		status = launch_prepare(request, &entry);
	if (status != cudaSuccess)
		return status;
	if (branch != NULL)
		return capture_add(branch,
						   &(struct graph_work){.type = cudaGraphNodeTypeKernel, .kernel = entry});
	entry.run.id = ++runtime.launches;
	timeline_issue(request->stream, request->programmatic, entry.launches_dependents, &entry.order);
	entry.run.order = runtime.options.check_race ? &entry.order : NULL;
	if (queue_wanted(&entry)) {
		queue_add(&entry);
		return cudaSuccess;
	}
	status = queue_run_now(entry.function, &entry.run, entry.cooperative);
	free(entry.parameters);
	return status;
}

cudaError_t launch_extra(void **extra, struct launch_request *request)
{
	for (; extra != NULL && *extra != CU_LAUNCH_PARAM_END; extra += 2) {
		if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER)
			request->packed = extra[1];
		else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE)
			request->packed_bytes = *(const size_t *)extra[1];
		else
			return cudaErrorInvalidValue;
	}
	return request->packed != NULL && request->arguments != NULL ? cudaErrorInvalidValue
																 : cudaSuccess;
}

cudaError_t launch_host(const void *host, struct launch_request *request)
{
	cudaError_t status = runtime_enter_queueing();
	if (status == cudaSuccess)
		status = function_find(host, &request->function);
	if (status == cudaSuccess)
		status = launch(request);
	return runtime_leave_call("cudaLaunchKernel", status);
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

static cudaError_t size_mode(const cudaLaunchAttribute *attribute, int end, int *out)
{
	memcpy(out, attribute->val.pad, sizeof *out);
	return *out >= SIZE_DEFAULT && *out < end ? cudaSuccess : cudaErrorInvalidValue;
}

/* Attributes that only tune (priorities, carve-outs) are accepted; events tied to a launch are not,
 * nor what is not known. */
cudaError_t launch_attribute(const cudaLaunchAttribute *attribute, struct launch_request *request)
{
	switch ((int)attribute->id) {
	case LAUNCH_CLUSTER_MODE:
		return size_mode(attribute, CLUSTER_MODE_END, &request->modes.cluster);
	case LAUNCH_SHARED_MODE: return size_mode(attribute, SHARED_MODE_END, &request->modes.shared);
	case cudaLaunchAttributeClusterDimension:
		request->cluster_set = true;
		request->cluster.x = attribute->val.clusterDim.x;
		request->cluster.y = attribute->val.clusterDim.y;
		request->cluster.z = attribute->val.clusterDim.z;
		return cudaSuccess;
	case cudaLaunchAttributeCooperative:
		request->cooperative = attribute->val.cooperative != 0;
		return cudaSuccess;
	case cudaLaunchAttributeProgrammaticStreamSerialization:
		request->programmatic = attribute->val.programmaticStreamSerializationAllowed != 0;
		return cudaSuccess;
	case cudaLaunchAttributeIgnore:
	case cudaLaunchAttributeAccessPolicyWindow:
	case cudaLaunchAttributeSynchronizationPolicy:
	case cudaLaunchAttributeClusterSchedulingPolicyPreference:
	case cudaLaunchAttributePriority:
	case cudaLaunchAttributeMemSyncDomainMap:
	case cudaLaunchAttributeMemSyncDomain:
	case cudaLaunchAttributePreferredClusterDimension:
	case cudaLaunchAttributePreferredSharedMemoryCarveout:
	case cudaLaunchAttributeNvlinkUtilCentricScheduling: return cudaSuccess;
	default:
		runtime_say("launch attribute %d is not supported", (int)attribute->id);
		return cudaErrorNotSupported;
	}
}

cudaError_t launch_configure(const cudaLaunchConfig_t *config, struct launch_request *request)
{
	cudaError_t status = config != NULL ? cudaSuccess : cudaErrorInvalidValue;
	if (status != cudaSuccess)
		return status;
	request->grid = config->gridDim;
	request->block = config->blockDim;
	request->shared_bytes = config->dynamicSmemBytes;
	request->stream = config->stream;
	for (unsigned i = 0; status == cudaSuccess && i < config->numAttrs; i++)
		status = launch_attribute(&config->attrs[i], request);
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
