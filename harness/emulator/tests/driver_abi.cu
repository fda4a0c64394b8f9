// The driver's functions that hosts of kernels call, on the emulated GPU or on a real one: linked
// with -lcuda, found by dlopen, by cuGetProcAddress and through the runtime. The argument is a fat
// binary of driver_module.cu. Prints what differs; the exit status is 1 when something did.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime.h>
#include <dlfcn.h>

#include "checks.cuh"

static bool is_emulated;

static const char *error_name(CUresult status)
{
	const char *name = "?";
	cuGetErrorName(status, &name);
	return name;
}

#define OK(call) RETURNS(CUDA_SUCCESS, call)

static const char text[] =
	".version 8.0\n.target sm_90\n.address_size 64\n"
	".visible .global .u32 bias = 7;\n"
	".visible .entry add(.param .u64 p, .param .u32 n)\n{\n"
	".reg .b32 %r<8>; .reg .b64 %d<4>;\n"
	"ld.param.u64 %d1, [p]; ld.param.u32 %r1, [n]; ld.global.u32 %r2, [bias];\n"
	"add.u32 %r3, %r1, %r2; mov.u32 %r4, %tid.x; add.u32 %r3, %r3, %r4;\n"
	"mov.u32 %r5, %cluster_nctarank; mul.lo.u32 %r3, %r3, %r5;\n"
	"mul.wide.u32 %d2, %r4, 4; add.s64 %d3, %d1, %d2; st.global.u32 [%d3], %r3;\n"
	"ret;\n}\n";

__global__ void of_the_runtime(unsigned *out)
{
	*out = 77;
}

static CUcontext primary;

static void contexts()
{
	CUdevice device = -1;
	CUdeviceptr memory;
	CUcontext context = nullptr, popped = nullptr;
	int count = 0;
	unsigned flags;
	int active;
	RETURNS(CUDA_ERROR_NOT_INITIALIZED, cuDeviceGetCount(&count));
	RETURNS(CUDA_ERROR_INVALID_VALUE, cuInit(1));
	OK(cuInit(0));
	OK(cuDeviceGetCount(&count));
	CHECK(count >= 1);
	OK(cuDeviceGet(&device, 0));
	RETURNS(CUDA_ERROR_INVALID_DEVICE, cuDeviceGet(&device, 1000));
	RETURNS(CUDA_ERROR_INVALID_CONTEXT, cuMemAlloc(&memory, 64));
	OK(cuCtxGetCurrent(&context));
	CHECK(!context);
	OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
	CHECK(!active);
	OK(cuDevicePrimaryCtxRetain(&primary, 0));
	OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
	CHECK(active);
	OK(cuCtxPushCurrent(primary));
	OK(cuCtxGetCurrent(&context));
	CHECK(context == primary);
	OK(cuCtxPopCurrent(&popped));
	CHECK(popped == primary);
	RETURNS(CUDA_ERROR_INVALID_CONTEXT, cuCtxSynchronize());
	OK(cuCtxSetCurrent(primary));
	OK(cuCtxGetDevice(&device));
	CHECK(device == 0);
	OK(cuCtxSynchronize());
	cudaFree(nullptr); // the runtime works in the same context
	OK(cuCtxGetCurrent(&context));
	CHECK(context == primary);
}

static void devices()
{
	char name[100];
	size_t bytes = 0;
	int major = 0, reserved = -1, version = 0;
	OK(cuDeviceGetName(name, sizeof name, 0));
	CHECK(strstr(name, "NVIDIA"));
	is_emulated = dlsym(RTLD_DEFAULT, "cudaEmulatedName") != nullptr;
	CHECK(!is_emulated || strcmp(name, "NVIDIA H200") == 0);
	OK(cuDeviceTotalMem(&bytes, 0));
	CHECK(bytes > (size_t)1 << 30);
	OK(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0));
	CHECK(major >= 9);
	OK(cuDeviceGetAttribute(&reserved, CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, 0));
	CHECK(reserved == 1024);
	RETURNS(CUDA_ERROR_INVALID_DEVICE,
			cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 99));
	OK(cuDriverGetVersion(&version));
	CHECK(version >= 13000);
}

static void memory()
{
	CUdeviceptr device, pitched, base;
	size_t pitch, size, free_bytes, total;
	unsigned words[8], back[8];
	unsigned short halves[16];
	void *pinned;
	unsigned kind = 0;
	for (unsigned i = 0; i < 8; i++)
		words[i] = i * 1000;
	RETURNS(CUDA_ERROR_INVALID_VALUE, cuMemAlloc(&device, 0));
	OK(cuMemAlloc(&device, sizeof words));
	OK(cuMemcpyHtoD(device, words, sizeof words));
	OK(cuMemsetD32(device + 8, 5, 2));
	OK(cuMemcpyDtoH(back, device, sizeof back));
	CHECK(back[1] == 1000 && back[2] == 5 && back[3] == 5 && back[4] == 4000);
	OK(cuMemsetD16(device, 0x1234, 16));
	OK(cuMemsetD8(device + 30, 0xAB, 2));
	OK(cuMemcpy((CUdeviceptr)(uintptr_t)halves, device, sizeof halves));
	CHECK(halves[0] == 0x1234 && halves[14] == 0x1234 && halves[15] == 0xABAB);
	RETURNS(CUDA_ERROR_INVALID_VALUE, cuMemsetD32(device + 2, 0, 1));
	OK(cuMemGetAddressRange(&base, &size, device + 5));
	CHECK(base == device && size == sizeof words);
	OK(cuPointerGetAttribute(&kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, device));
	CHECK(kind == CU_MEMORYTYPE_DEVICE);
	RETURNS(CUDA_ERROR_INVALID_VALUE, cuPointerGetAttribute(&kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
															(CUdeviceptr)(uintptr_t)words));
	OK(cuMemAllocPitch(&pitched, &pitch, 12, 3, 4));
	OK(cuMemsetD2D32(pitched, pitch, 9, 3, 3));
	CUDA_MEMCPY2D copy = {};
	copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
	copy.srcDevice = pitched;
	copy.srcPitch = pitch;
	copy.srcY = 1;
	copy.dstMemoryType = CU_MEMORYTYPE_HOST;
	copy.dstHost = back;
	copy.dstPitch = 8;
	copy.WidthInBytes = 8;
	copy.Height = 2;
	OK(cuMemcpy2D(&copy));
	CHECK(back[0] == 9 && back[3] == 9);
	OK(cuMemHostAlloc(&pinned, 64, 0));
	OK(cuMemFreeHost(pinned));
	OK(cuMemGetInfo(&free_bytes, &total));
	CHECK(free_bytes < total);
	OK(cuMemFree(pitched));
	OK(cuMemFree(device));
	if (is_emulated)
		RETURNS(CUDA_ERROR_INVALID_VALUE, cuMemFree(device));
	CHECK(cudaGetLastError() == cudaSuccess); // which knows the runtime's failures alone
}

static void streams()
{
	CUstream stream;
	CUevent start, end;
	float milliseconds = -1;
	int called = 0;
	OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	OK(cuEventCreate(&start, CU_EVENT_DEFAULT));
	OK(cuEventCreate(&end, CU_EVENT_DEFAULT));
	OK(cuEventRecord(start, stream));
	OK(cuLaunchHostFunc(
		stream, [](void *data) { ++*(int *)data; }, &called));
	OK(cuEventRecord(end, stream));
	OK(cuStreamWaitEvent(stream, start, 0));
	OK(cuStreamSynchronize(stream));
	OK(cuStreamQuery(stream));
	OK(cuEventElapsedTime(&milliseconds, start, end));
	CHECK(called == 1 && milliseconds >= 0);
	CHECK(cudaStreamSynchronize(stream) == cudaSuccess); // one handle on both sides
	OK(cuEventDestroy(start));
	OK(cuEventDestroy(end));
	OK(cuStreamDestroy(stream));
}

static unsigned first_after(CUdeviceptr out)
{
	unsigned value = 0;
	OK(cuCtxSynchronize());
	OK(cuMemcpyDtoH(&value, out, sizeof value));
	return value;
}

static void add_one(void *data)
{
	++*(int *)data;
}

// A graph that is captured, one of explicit nodes, and their launches.
static void graphs(CUfunction function, CUdeviceptr out)
{
	unsigned n = 30;
	int calls = 0;
	void *arguments[] = {&out, &n};
	CUstream stream;
	CUgraph graph, built;
	CUgraphExec exec;
	CUgraphNode node, zeroes, host;
	CUstreamCaptureStatus status;
	OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	OK(cuMemsetD32(out, 0, 1));
	OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	OK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, arguments, nullptr));
	OK(cuLaunchHostFunc(stream, add_one, &calls));
	OK(cuStreamIsCapturing(stream, &status));
	CHECK(status == CU_STREAM_CAPTURE_STATUS_ACTIVE);
	OK(cuStreamEndCapture(stream, &graph));
	CHECK(first_after(out) == 0 && calls == 0);
	OK(cuGraphInstantiate(&exec, graph, 0));
	OK(cuGraphLaunch(exec, stream));
	OK(cuStreamSynchronize(stream));
	CHECK(first_after(out) == 37 && calls == 1);

	size_t count = 1;
	n = 50;
	OK(cuGraphGetNodes(graph, &node, &count));
	CUDA_KERNEL_NODE_PARAMS kernel = {function, 1, 1, 1, 1, 1, 1, 0, arguments};
	OK(cuGraphExecKernelNodeSetParams(exec, node, &kernel));
	OK(cuGraphLaunch(exec, stream));
	OK(cuStreamSynchronize(stream));
	CHECK(first_after(out) == 57 && calls == 2);
	OK(cuGraphExecDestroy(exec));
	OK(cuGraphDestroy(graph));

	OK(cuGraphCreate(&built, 0));
	OK(cuGraphAddKernelNode(&node, built, nullptr, 0, &kernel));
	CUDA_MEMSET_NODE_PARAMS zero = {out, 0, 0, 4, 1, 1};
	OK(cuGraphAddMemsetNode(&zeroes, built, &node, 1, &zero, nullptr));
	CUDA_HOST_NODE_PARAMS of_host = {add_one, &calls};
	OK(cuGraphAddHostNode(&host, built, &zeroes, 1, &of_host));
	OK(cuGraphInstantiate(&exec, built, 0));
	OK(cuGraphLaunch(exec, stream));
	OK(cuCtxSynchronize());
	CHECK(first_after(out) == 0 && calls == 3);
	OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
	RETURNS(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cuStreamSynchronize(stream));
	RETURNS(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(stream, &graph));
	OK(cuGraphExecDestroy(exec));
	OK(cuGraphDestroy(built));
	OK(cuStreamDestroy(stream));
}

static void launch_all_ways(CUfunction function, CUdeviceptr out)
{
	unsigned n = 10;
	void *arguments[] = {&out, &n};
	OK(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr));
	CHECK(first_after(out) == 17);
	struct {
		CUdeviceptr out;
		unsigned n;
	} packed = {out, 20};
	size_t bytes = 12;
	void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
					 CU_LAUNCH_PARAM_END};
	OK(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, extra));
	CHECK(first_after(out) == 27);
	CUlaunchAttribute cluster = {};
	cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
	cluster.value.clusterDim.x = 2;
	cluster.value.clusterDim.y = cluster.value.clusterDim.z = 1;
	CUlaunchConfig config = {4, 1, 1, 32, 1, 1, 0, nullptr, &cluster, 1};
	OK(cuLaunchKernelEx(&config, function, arguments, nullptr));
	CHECK(first_after(out) == 34);
	config.gridDimX = 3;
	RETURNS(CUDA_ERROR_INVALID_CLUSTER_SIZE,
			cuLaunchKernelEx(&config, function, arguments, nullptr));
	OK(cuLaunchCooperativeKernel(function, 2, 1, 1, 32, 1, 1, 0, nullptr, arguments));
	CHECK(first_after(out) == 17);
	RETURNS(CUDA_ERROR_INVALID_VALUE,
			cuLaunchKernel(function, 0, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr));
	RETURNS(CUDA_ERROR_INVALID_VALUE,
			cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 60000, nullptr, arguments, nullptr));
	OK(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 60000));
	OK(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 60000, nullptr, arguments, nullptr));
	CHECK(first_after(out) == 17);
}

static void ask(CUfunction function)
{
	int value = -1, grid = 0, block = 0;
	const char *name = "";
	size_t offset, size;
	OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function));
	CHECK(value == 1024);
	OK(cuFuncGetName(&name, function));
	CHECK(strcmp(name, "add") == 0);
	OK(cuFuncGetParamInfo(function, 1, &offset, &size));
	CHECK(offset == 8 && size == 4);
	OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&value, function, 1024, 0));
	CHECK(value == 2);
	OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, function, nullptr, 0, 0));
	CHECK(grid > 0 && block >= 64 && block % 32 == 0);
}

static void modules(const char *fat_binary)
{
	char log[512] = "";
	CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
	void *values[] = {log, (void *)sizeof log};
	CUmodule module;
	CUfunction function;
	CUlibrary library;
	CUkernel kernel;
	CUdeviceptr out, bias;
	size_t bytes = 0;
	unsigned count = 0;
	RETURNS(CUDA_ERROR_INVALID_PTX,
			cuModuleLoadDataEx(&module, ".version 8.0\n.target sm_90\n.address_size 64\nnonsense\n",
							   2, options, values));
	CHECK(strstr(log, "nonsense"));
	OK(cuModuleLoadData(&module, ".version 99.0\n.target sm_90\n.address_size 64\n"));
	OK(cuModuleUnload(module));
	RETURNS(CUDA_ERROR_FILE_NOT_FOUND, cuModuleLoad(&module, "/there is no such file"));
	OK(cuModuleLoadData(&module, text));
	RETURNS(CUDA_ERROR_NOT_FOUND, cuModuleGetFunction(&function, module, "subtract"));
	OK(cuModuleGetFunction(&function, module, "add"));
	OK(cuModuleGetFunctionCount(&count, module));
	CHECK(count == 1);
	OK(cuModuleGetGlobal(&bias, &bytes, module, "bias"));
	CHECK(bytes == 4);
	RETURNS(CUDA_ERROR_NOT_FOUND, cuModuleGetGlobal(&bias, &bytes, module, "variance"));
	OK(cuMemAlloc(&out, 32 * sizeof(unsigned)));
	launch_all_ways(function, out);
	graphs(function, out);
	ask(function);
	OK(cuModuleUnload(module));
	if (is_emulated)
		RETURNS(CUDA_ERROR_INVALID_HANDLE, cuModuleUnload(module));
	OK(cuModuleLoad(&module, fat_binary));
	OK(cuModuleGetFunction(&function, module, "thirty_three"));
	void *arguments[] = {&out};
	OK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
	CHECK(first_after(out) == 33);
	OK(cuModuleUnload(module));
	OK(cuLibraryLoadFromFile(&library, fat_binary, nullptr, nullptr, 0, nullptr, nullptr, 0));
	OK(cuLibraryGetKernel(&kernel, library, "thirty_three"));
	OK(cuMemsetD32(out, 0, 1));
	OK(cuLaunchKernel((CUfunction)kernel, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
	CHECK(first_after(out) == 33);
	OK(cuLibraryUnload(library));
	cudaFunction_t own;
	CHECK(cudaGetFuncBySymbol(&own, (const void *)of_the_runtime) == cudaSuccess);
	OK(cuLaunchKernel(own, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
	CHECK(first_after(out) == 77);
	OK(cuMemFree(out));
}

static void names()
{
	typedef CUresult count_function(int *);
	int count = 0;
	void *library = dlopen("libcuda.so.1", RTLD_NOW), *found = nullptr, *older = nullptr;
	CHECK(library);
	auto direct = (count_function *)dlsym(library, "cuDeviceGetCount");
	CHECK(direct && direct(&count) == CUDA_SUCCESS && count >= 1); // initialised there, too
	CUdriverProcAddressQueryResult result;
	OK(cuGetProcAddress("cuDeviceGetCount", &found, 12000, 0, &result));
	CHECK(result == CU_GET_PROC_ADDRESS_SUCCESS && found);
	count = 0;
	CHECK(((count_function *)found)(&count) == CUDA_SUCCESS && count >= 1);
	OK(cuGetProcAddress("cuMemAlloc", &found, 12000, 0, &result));
	OK(cuGetProcAddress("cuMemAlloc", &older, 3010, 0, &result));
	CHECK(found && found != older);
	OK(cuGetProcAddress("cuTensorMapEncodeTiled", &found, 11000, 0, &result));
	CHECK(!found && result == CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
	OK(cuGetProcAddress("cuThereIsNoSuchFunction", &found, 12000, 0, &result));
	CHECK(!found && result == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
	cudaDriverEntryPointQueryResult through;
	CHECK(cudaGetDriverEntryPointByVersion("cuDeviceGetCount", &found, 12000, cudaEnableDefault,
										   &through) == cudaSuccess);
	count = 0;
	CHECK(found && ((count_function *)found)(&count) == CUDA_SUCCESS && count >= 1);
	if (is_emulated) {
		CUdeviceptr address;
		RETURNS(CUDA_ERROR_NOT_SUPPORTED, cuMemAddressReserve(&address, 1 << 21, 0, 0, 0));
	}
	const char *name = nullptr, *said = nullptr;
	OK(cuGetErrorName(CUDA_ERROR_ILLEGAL_ADDRESS, &name));
	CHECK(name && strcmp(name, "CUDA_ERROR_ILLEGAL_ADDRESS") == 0);
	OK(cuGetErrorString(CUDA_ERROR_ILLEGAL_ADDRESS, &said));
	CHECK(said && strcmp(said, "an illegal memory access was encountered") == 0);
	RETURNS(CUDA_ERROR_INVALID_VALUE, cuGetErrorName((CUresult)12345, &name));
}

// All that was in the context is gone, and so is a context that nobody holds.
static void resets()
{
	void *memory;
	unsigned value;
	cudaStream_t stream;
	CHECK(cudaMalloc(&memory, 64) == cudaSuccess);
	CHECK(cudaMemset(memory, 0, 64) == cudaSuccess);
	CHECK(cudaStreamCreate(&stream) == cudaSuccess);
	CHECK(cudaDeviceReset() == cudaSuccess);
	CHECK(cudaMemcpy(&value, memory, 4, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
	if (is_emulated)
		CHECK(cudaStreamSynchronize(stream) == cudaErrorInvalidResourceHandle);
	cudaGetLastError();
	CHECK(cudaMalloc(&memory, 64) == cudaSuccess); // begins anew
	of_the_runtime<<<1, 1>>>((unsigned *)memory);
	CHECK(cudaMemcpy(&value, memory, 4, cudaMemcpyDeviceToHost) == cudaSuccess && value == 77);
	OK(cuDevicePrimaryCtxRelease(0));
	CHECK(cudaDeviceReset() == cudaSuccess);
	CUdeviceptr address;
	RETURNS(CUDA_ERROR_CONTEXT_IS_DESTROYED, cuMemAlloc(&address, 64));
}

int main(int, char **arguments)
{
	contexts();
	devices();
	memory();
	streams();
	modules(arguments[1]);
	names();
	resets();
	printf("%d failed\n", failures);
	return failures > 0;
}
