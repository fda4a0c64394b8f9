// What programs compiled by CUDA 13.1 and later reach: new functions by their names, new attributes
// and modes by their numbers, so that any CUDA 13 compiles this. What is not there is named. For
// the emulated GPU, which is as new as the program; a GPU's driver may be older.
#include <climits>
#include <cstdio>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime.h>
#include <dlfcn.h>

#include "checks.cuh"

#define OK(call) RETURNS(cudaSuccess, call)

static __global__ void reverse(int *data, int length)
{
	extern __shared__ int line[];
	for (int i = threadIdx.x; i < length; i += blockDim.x)
		line[i] = data[i];
	__syncthreads();
	for (int i = threadIdx.x; i < length; i += blockDim.x)
		data[i] = line[length - 1 - i];
}

// A function of the runtime's that older toolkits' headers do not have.
template <typename Type> static Type *of_runtime(const char *name)
{
	auto found = (Type *)dlsym(RTLD_DEFAULT, name);
	if (!found)
		printf("%s is not exported\n", name);
	failures += !found;
	return found;
}

template <typename Type> static Type *of_driver(const char *name, unsigned version)
{
	void *found = nullptr;
	cudaDriverEntryPointQueryResult result;
	OK(cudaGetDriverEntryPointByVersion(name, &found, version, cudaEnableDefault, &result));
	CHECK(found && result == cudaDriverEntryPointSuccess);
	return (Type *)found;
}

static int driver_version()
{
	int runtime = 0, driver = 0, same = 0;
	OK(cudaRuntimeGetVersion(&runtime));
	OK(cudaDriverGetVersion(&driver));
	CHECK(of_driver<CUresult(int *)>("cuDriverGetVersion", 12000)(&same) == CUDA_SUCCESS);
	CHECK(runtime == driver && same == driver);
	return driver;
}

// As new as this program's compiler at least, and as what it loads.
static void versions()
{
	static const char newer[] = ".version 9.7\n.target sm_90\n.address_size 64\n"
								".visible .entry nothing()\n{\n\tret;\n}\n";
	CHECK(driver_version() >= CUDART_VERSION);
	CHECK(driver_version() < 13070); // else newer PTX than 9.7 below
	CUmodule module;
	auto load = of_driver<CUresult(CUmodule *, const void *)>("cuModuleLoadData", 12000);
	CHECK(load(&module, newer) == CUDA_SUCCESS);
	CHECK(driver_version() == 13070);
}

static void entry_points()
{
	auto now = of_driver<void>("cuTensorMapEncodeTiled", 12000);
	CHECK(now == of_driver<void>("cuTensorMapEncodeTiled", 13990));
	void *found = &now;
	cudaDriverEntryPointQueryResult result;
	OK(cudaGetDriverEntryPointByVersion("cuDevSmResourceSplit", &found, 13000, cudaEnableDefault,
										&result));
	CHECK(!found && result == cudaDriverEntryPointVersionNotSufficent);
	CHECK(of_driver<CUresult()>("cuDevSmResourceSplit", 13010)() == CUDA_ERROR_NOT_SUPPORTED);
	CHECK(of_runtime<cudaError_t()>("cudaGraphGetId")() == cudaErrorNotSupported);
}

static void count_up(void *data)
{
	++*(int *)data;
}

static void host_functions()
{
	typedef cudaError_t launch(cudaStream_t, cudaHostFn_t, void *, unsigned);
	typedef CUresult driver_launch(CUstream, CUhostFn, void *, unsigned);
	int count = 0;
	auto function = of_runtime<launch>("cudaLaunchHostFunc_v2");
	OK(function(nullptr, count_up, &count, 0));
	OK(function(nullptr, count_up, &count, 1));
	RETURNS(cudaErrorInvalidValue, function(nullptr, count_up, &count, 2));
	auto of_13_1 = of_driver<driver_launch>("cuLaunchHostFunc", 13010);
	CHECK((void *)of_13_1 != of_driver<void>("cuLaunchHostFunc", 13000));
	CHECK(of_13_1(nullptr, count_up, &count, 1) == CUDA_SUCCESS);
	CHECK(of_13_1(nullptr, count_up, &count, 2) == CUDA_ERROR_INVALID_VALUE);
	OK(cudaDeviceSynchronize());
	CHECK(count == 3);
	cudaGetLastError();
}

static void parameters_and_copies()
{
	typedef cudaError_t copy(void *, const void *, size_t, cudaMemcpyAttributes *, cudaStream_t);
	size_t count = 0;
	OK(of_runtime<cudaError_t(const void *, size_t *)>("cudaFuncGetParamCount")(
		(const void *)reverse, &count));
	CHECK(count == 2);
	int in[4] = {1, 2, 3, 4}, out[4] = {}, *data;
	cudaMemcpyAttributes attributes = {};
	auto function = of_runtime<copy>("cudaMemcpyWithAttributesAsync");
	OK(cudaMalloc(&data, sizeof in));
	RETURNS(cudaErrorInvalidValue, function(data, in, sizeof in, &attributes, nullptr));
	attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
	OK(function(data, in, sizeof in, &attributes, nullptr));
	OK(function(out, data, sizeof in, &attributes, nullptr));
	OK(cudaDeviceSynchronize());
	CHECK(memcmp(in, out, sizeof in) == 0);
	OK(cudaFree(data));
	cudaGetLastError();
}

static int device_attribute(int attribute)
{
	int value = -1;
	OK(cudaDeviceGetAttribute(&value, (cudaDeviceAttr)attribute, 0));
	return value;
}

static void attributes()
{
	for (int attribute = 148; attribute < 162; attribute++)
		CHECK(device_attribute(attribute) >= 0);
	CHECK(device_attribute(149) == 1); // locality domains, and multiprocessors of each
	CHECK(device_attribute(157) == device_attribute(cudaDevAttrMultiProcessorCount));
	CHECK(device_attribute(160) == INT_MAX); // from where a tensor is large
	int value;
	RETURNS(cudaErrorInvalidValue, cudaDeviceGetAttribute(&value, (cudaDeviceAttr)162, 0));
	RETURNS(cudaErrorInvalidValue, cudaFuncSetAttribute(reverse, (cudaFuncAttribute)99, 0));
	cudaGetLastError();
	CHECK(strcmp(cudaGetErrorName((cudaError_t)918), "cudaErrorGraphRecaptureFailure") == 0);
}

static cudaError_t launch_with(int id, int value, int cluster, size_t shared)
{
	static int *data;
	if (!data)
		OK(cudaMalloc(&data, 256));
	cudaLaunchAttribute attributes[2] = {};
	attributes[0].id = cudaLaunchAttributeClusterDimension;
	attributes[0].val.clusterDim = {(unsigned)cluster, 1, 1};
	attributes[1].id = (cudaLaunchAttributeID)id;
	memcpy(&attributes[1].val, &value, sizeof value);
	cudaLaunchConfig_t config = {};
	config.gridDim = dim3(cluster);
	config.blockDim = dim3(32);
	config.dynamicSmemBytes = shared;
	config.attrs = attributes;
	config.numAttrs = 2;
	cudaError_t status = cudaLaunchKernelEx(&config, reverse, data, cluster == 1 ? 64 : 0);
	return status == cudaSuccess ? cudaDeviceSynchronize() : status;
}

static void launch_modes()
{
	const int cluster_mode = 17, shared_mode = 18, portable = 1, non_portable = 2, oversized = 3;
	const size_t much = 200 * 1024;
	RETURNS(cudaErrorInvalidClusterSize, launch_with(cluster_mode, 0, 16, 256));
	OK(launch_with(cluster_mode, non_portable, 16, 256));
	OK(cudaFuncSetAttribute(reverse, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
	OK(launch_with(cluster_mode, 0, 16, 256));
	RETURNS(cudaErrorInvalidClusterSize, launch_with(cluster_mode, portable, 16, 256));
	RETURNS(cudaErrorInvalidValue, launch_with(cluster_mode, 3, 1, 256));
	RETURNS(cudaErrorInvalidValue, launch_with(shared_mode, 0, 1, much));
	OK(launch_with(shared_mode, non_portable, 1, much));
	OK(launch_with(shared_mode, oversized, 1, much));
	RETURNS(cudaErrorInvalidValue, launch_with(shared_mode, 5, 1, 256));
	OK(cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)much));
	OK(launch_with(shared_mode, 0, 1, much));
	RETURNS(cudaErrorInvalidValue, launch_with(shared_mode, portable, 1, much));
	RETURNS(cudaErrorNotSupported, launch_with(99, 0, 1, 256));
	cudaGetLastError();
}

// Modes as an attribute of the function, as launch_modes() has them of a launch, whose number the
// driver's differs from.
static void function_modes()
{
	const auto of_runtime = (cudaFuncAttribute)16;
	const auto of_driver_number = (CUfunction_attribute)17;
	const int non_portable = 2, much = 200 * 1024;
	cudaFunction_t handle;
	int value = -1;
	OK(cudaGetFuncBySymbol(&handle, (const void *)reverse));
	OK(cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024));
	OK(cudaFuncSetAttribute(reverse, of_runtime, non_portable));
	OK(launch_with(0, 0, 1, much));
	auto get =
		of_driver<CUresult(int *, CUfunction_attribute, CUfunction)>("cuFuncGetAttribute", 12000);
	auto set =
		of_driver<CUresult(CUfunction, CUfunction_attribute, int)>("cuFuncSetAttribute", 12000);
	CHECK(get(&value, of_driver_number, (CUfunction)handle) == CUDA_SUCCESS);
	CHECK(value == non_portable);
	CHECK(set((CUfunction)handle, of_driver_number, 0) == CUDA_SUCCESS);
	CHECK(set((CUfunction)handle, (CUfunction_attribute)16, 0) == CUDA_ERROR_INVALID_VALUE);
	RETURNS(cudaErrorInvalidValue, launch_with(0, 0, 1, much));
	cudaGetLastError();
}

int main()
{
	versions();
	entry_points();
	host_functions();
	parameters_and_copies();
	attributes();
	launch_modes();
	function_modes();
	printf("%d failed\n", failures);
	return failures > 0;
}
