// An unchanged CUDA program against the emulated libcudart, or NVIDIA's: every
// group of calls that solutions make, with the results and error codes that a GPU
// gives. What CUDA leaves undefined (a copy whose kind does not fit, a handle or
// an address that was given back) or does not check to the byte is looked at only
// where it is emulated. Prints what differs; the exit status is 1 when something did.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime.h>

#include "checks.cuh"
#include "emulated.cuh"

#define OK(call) RETURNS(cudaSuccess, call)

__constant__ float factors[4];
__device__ int total = 40;
__device__ __managed__ int managed = 7;

__global__ void scale(const float *in, float *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		out[i] = in[i] * factors[1];
}

__global__ void add_total(int amount)
{
	if (threadIdx.x == 0)
		atomicAdd(&total, amount);
}

__global__ void add_managed()
{
	managed += 1;
}

struct parameters {
	char tag;
	double value;
	int rest[5];
};

__global__ void unpack(char first, struct parameters p, short last, double *out)
{
	out[0] = first + p.tag + p.value + p.rest[4] + last;
}

__global__ void reverse(int *data)
{
	extern __shared__ int line[];
	line[threadIdx.x] = data[threadIdx.x];
	__syncthreads();
	data[threadIdx.x] = line[blockDim.x - 1 - threadIdx.x];
}

__global__ void __launch_bounds__(64) bounded(int *out)
{
	*out = 1;
}

__global__ void overrun(int *data, long long index)
{
	data[index] = 1;
}

static void allocations()
{
	const size_t large = (size_t)64 << 20;
	void *a, *b, *pitched, *none = &a;
	size_t pitch, before, after, all;
	char back[64];
	OK(cudaMemGetInfo(&before, &all));
	OK(cudaMalloc(&a, large));
	OK(cudaMalloc(&b, 64));
	uintptr_t apart = (uintptr_t)b > (uintptr_t)a ? (uintptr_t)b - (uintptr_t)a : large;
	CHECK(a && b && (uintptr_t)a % 256 == 0 && (uintptr_t)b % 256 == 0 && apart >= large);
	OK(cudaMemGetInfo(&after, &all));
	CHECK(before - after >= large && after < all);
	OK(cudaMallocPitch(&pitched, &pitch, 100, 4));
	CHECK(pitch >= 100 && pitch % 256 == 0);
	OK(cudaMemset2D(pitched, pitch, 5, 100, 4));
	OK(cudaMemcpy2D(back, 16, pitched, pitch, 16, 4, cudaMemcpyDeviceToHost));
	CHECK(back[63] == 5);
	OK(cudaFree(pitched));
	OK(cudaFree(nullptr));
	OK(cudaFree(a));
	RETURNS(cudaErrorInvalidValue, cudaFree(a));
	OK(cudaFree(b));
	OK(cudaMallocAsync(&b, 64, 0));
	OK(cudaFreeAsync(b, 0));
	OK(cudaMalloc(&none, 0));
	CHECK(none == nullptr);
	RETURNS(cudaErrorMemoryAllocation, cudaMalloc(&none, (size_t)1 << 45));
	cudaGetLastError();
}

static void copies()
{
	char host[64], back[64];
	void *a, *b;
	memset(host, 3, sizeof host);
	OK(cudaMalloc(&a, 64));
	OK(cudaMalloc(&b, 64));
	OK(cudaMemcpy(a, host, 64, cudaMemcpyHostToDevice));
	OK(cudaMemcpy(b, a, 64, cudaMemcpyDeviceToDevice));
	OK(cudaMemcpyAsync(back, b, 64, cudaMemcpyDefault, 0));
	OK(cudaStreamSynchronize(0));
	CHECK(memcmp(host, back, 64) == 0);
	OK(cudaMemset((char *)b + 1, 9, 2));
	OK(cudaMemcpy(back, b, 64, cudaMemcpyDeviceToHost));
	CHECK(back[0] == 3 && back[1] == 9 && back[2] == 9 && back[3] == 3);
	RETURNS(cudaErrorInvalidValue, cudaMemcpy(nullptr, host, 4, cudaMemcpyHostToDevice));
	RETURNS(cudaErrorInvalidValue, cudaGetLastError());
	OK(cudaGetLastError());
	OK(cudaFree(a));
	OK(cudaFree(b));
}

static void undefined_copies()
{
	char host[64], back[64] = {0};
	void *a, *b;
	memset(host, 3, sizeof host);
	OK(cudaMalloc(&a, 64));
	OK(cudaMalloc(&b, 64));
	RETURNS(cudaErrorInvalidValue, cudaMemcpy(a, host, 65, cudaMemcpyHostToDevice));
	RETURNS(cudaErrorInvalidValue, cudaMemset((char *)a + 60, 0, 5));
	/* unified addresses: the pointers say what is copied where */
	OK(cudaMemcpy(a, host, 64, cudaMemcpyHostToDevice));
	OK(cudaMemcpy(b, a, 64, cudaMemcpyHostToDevice));
	OK(cudaMemset(a, 0, 64));
	OK(cudaMemcpy(a, b, 64, cudaMemcpyDeviceToHost));
	OK(cudaMemcpy(back, a, 64, cudaMemcpyHostToHost));
	CHECK(memcmp(back, host, 64) == 0);
	RETURNS(cudaErrorInvalidValue, cudaMemcpy(host, back, 4, cudaMemcpyDeviceToHost));
	OK(cudaFree(a));
	RETURNS(cudaErrorInvalidValue, cudaMemcpy(host, a, 4, cudaMemcpyDeviceToHost));
	OK(cudaFreeAsync(b, 0));
	cudaGetLastError();
}

static void pinned()
{
	alignas(4096) static char page[4096];
	void *memory;
	cudaPointerAttributes facts;
	OK(cudaMallocHost(&memory, 10));
	memset(memory, 1, 10);
	OK(cudaPointerGetAttributes(&facts, memory));
	CHECK(facts.type == cudaMemoryTypeHost);
	OK(cudaFreeHost(memory));
	OK(cudaPointerGetAttributes(&facts, page));
	CHECK(facts.type == cudaMemoryTypeUnregistered);
	OK(cudaHostRegister(page, sizeof page, 0));
	RETURNS(cudaErrorHostMemoryAlreadyRegistered, cudaHostRegister(page, sizeof page, 0));
	OK(cudaMemset(page, 2, sizeof page));
	OK(cudaDeviceSynchronize());
	CHECK(page[4095] == 2);
	OK(cudaHostUnregister(page));
	cudaGetLastError();
}

static void streams()
{
	cudaStream_t stream;
	cudaEvent_t start, stop;
	float elapsed = -1;
	OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	OK(cudaEventCreate(&start));
	OK(cudaEventCreateWithFlags(&stop, cudaEventDefault));
	RETURNS(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&elapsed, start, stop));
	OK(cudaEventRecord(start, stream));
	OK(cudaEventRecord(stop, stream));
	OK(cudaStreamWaitEvent(stream, stop, 0));
	OK(cudaEventSynchronize(stop));
	OK(cudaEventQuery(stop));
	OK(cudaEventElapsedTime(&elapsed, start, stop));
	CHECK(elapsed >= 0);
	OK(cudaStreamSynchronize(stream));
	OK(cudaStreamQuery(stream));
	OK(cudaStreamDestroy(stream));
	OK(cudaEventDestroy(start));
	OK(cudaEventDestroy(stop));
	cudaGetLastError();
}

// A handle that was given back.
static void emulated_streams()
{
	cudaStream_t stream;
	OK(cudaStreamCreate(&stream));
	OK(cudaStreamDestroy(stream));
	RETURNS(cudaErrorInvalidResourceHandle, cudaStreamSynchronize(stream));
	cudaGetLastError();
}

static void device(bool is_emulated)
{
	cudaDeviceProp properties;
	int value = 0;
	OK(cudaGetDeviceCount(&value));
	CHECK(is_emulated ? value == 1 : value >= 1);
	OK(cudaSetDevice(0));
	RETURNS(cudaErrorInvalidDevice, cudaSetDevice(value));
	OK(cudaGetDeviceProperties(&properties, 0));
	CHECK(properties.major == 9);
	CHECK(!is_emulated || properties.multiProcessorCount == 132);
	CHECK(properties.warpSize == 32 && properties.sharedMemPerBlockOptin == 227 * 1024);
	OK(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
	CHECK(value == properties.multiProcessorCount);
	OK(cudaRuntimeGetVersion(&value));
	CHECK(value >= 13000);
	CHECK(strcmp(cudaGetErrorName(cudaErrorInvalidValue), "cudaErrorInvalidValue") == 0);
	cudaGetLastError();
}

static void launches(bool is_emulated)
{
	float in[100], out[100], constants[4] = {1, 2.5f, 3, 4};
	float *a, *b;
	double *sum, result = 0;
	int number = 0, *data, numbers[96];
	for (int i = 0; i < 100; i++)
		in[i] = (float)i;
	OK(cudaMalloc(&a, sizeof in));
	OK(cudaMalloc(&b, sizeof out));
	OK(cudaMalloc(&sum, sizeof result));
	OK(cudaMalloc(&data, sizeof numbers));
	OK(cudaMemcpy(a, in, sizeof in, cudaMemcpyHostToDevice));
	OK(cudaMemcpyToSymbol(factors, constants, sizeof constants));
	if (is_emulated)
		RETURNS(cudaErrorInvalidValue, cudaMemcpyToSymbol(factors, constants, sizeof constants, 4));
	cudaGetLastError();
	scale<<<4, 32>>>(a, b, 100);
	OK(cudaGetLastError());
	OK(cudaMemcpy(out, b, sizeof out, cudaMemcpyDeviceToHost));
	for (int i = 0; i < 100; i++)
		CHECK(out[i] == 2.5f * (float)i);
	add_total<<<2, 32>>>(1);
	OK(cudaDeviceSynchronize());
	OK(cudaMemcpyFromSymbol(&number, total, sizeof number));
	CHECK(number == 42);
	size_t size;
	void *address;
	OK(cudaGetSymbolSize(&size, factors));
	CHECK(size == 16);
	OK(cudaGetSymbolAddress(&address, total));
	OK(cudaMemset(address, 0, 4));
	OK(cudaMemcpyFromSymbol(&number, total, sizeof number));
	CHECK(number == 0);
	managed = 10;
	add_managed<<<1, 1>>>();
	OK(cudaDeviceSynchronize());
	CHECK(managed == 11);
	parameters p = {1, 0.5, {0, 0, 0, 0, 100}};
	unpack<<<1, 1>>>(2, p, -1000, sum);
	OK(cudaMemcpy(&result, sum, sizeof result, cudaMemcpyDeviceToHost));
	CHECK(result == 2 + 1 + 0.5 + 100 - 1000);
	for (int i = 0; i < 96; i++)
		numbers[i] = i;
	OK(cudaMemcpy(data, numbers, sizeof numbers, cudaMemcpyHostToDevice));
	reverse<<<1, 96, sizeof numbers>>>(data);
	OK(cudaMemcpy(numbers, data, sizeof numbers, cudaMemcpyDeviceToHost));
	CHECK(numbers[0] == 95 && numbers[95] == 0);
	cudaLaunchConfig_t config = {};
	config.gridDim = dim3(1);
	config.blockDim = dim3(96);
	config.dynamicSmemBytes = sizeof numbers;
	OK(cudaLaunchKernelEx(&config, reverse, data));
	OK(cudaMemcpy(numbers, data, sizeof numbers, cudaMemcpyDeviceToHost));
	CHECK(numbers[0] == 0 && numbers[95] == 95);
	void *arguments[] = {&data};
	OK(cudaLaunchKernel(reverse, dim3(1), dim3(96), arguments, sizeof numbers, 0));
	OK(cudaLaunchCooperativeKernel(reverse, dim3(1), dim3(96), arguments, sizeof numbers, 0));
	OK(cudaFree(a));
	OK(cudaFree(b));
	OK(cudaFree(sum));
	OK(cudaFree(data));
}

static void refused()
{
	int *data;
	OK(cudaMalloc(&data, 4));
	OK(cudaMemset(data, 0, 4));
	reverse<<<0, 1>>>(data);
	RETURNS(cudaErrorInvalidValue, cudaGetLastError());
	reverse<<<1, 1025>>>(data);
	RETURNS(cudaErrorInvalidValue, cudaGetLastError());
	reverse<<<dim3(1, 70000), 1>>>(data);
	RETURNS(cudaErrorInvalidValue, cudaGetLastError());
	bounded<<<1, 65>>>(data);
	CHECK(cudaGetLastError() != cudaSuccess);
	reverse<<<1, 1, 49 * 1024>>>(data);
	RETURNS(cudaErrorInvalidValue, cudaGetLastError());
	int blocks = 0, threads = 0, least = 0;
	OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, reverse, 128, 48 * 1024));
	CHECK(blocks == 4);
	OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, reverse, 128, 60000));
	CHECK(blocks == 0); // as no launch may ask for so much
	auto attribute = cudaFuncAttributeMaxDynamicSharedMemorySize;
	OK(cudaFuncSetAttribute(reverse, attribute, 0));
	reverse<<<1, 1, 48 * 1024>>>(data);
	RETURNS(cudaErrorInvalidValue, cudaGetLastError());
	RETURNS(cudaErrorInvalidValue, cudaFuncSetAttribute(reverse, attribute, 228 * 1024));
	cudaGetLastError();
	OK(cudaFuncSetAttribute(reverse, attribute, 200 * 1024));
	reverse<<<1, 1, 200 * 1024>>>(data);
	OK(cudaDeviceSynchronize());
	cudaFuncAttributes facts;
	OK(cudaFuncGetAttributes(&facts, bounded));
	CHECK(facts.maxThreadsPerBlock == 64 && facts.numRegs > 0);
	OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, reverse, 128, 100 * 1024));
	CHECK(blocks == 2);
	size_t bytes = 0;
	OK(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, scale, 1, 32));
	CHECK(bytes == 48 * 1024);
	OK(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, reverse, 1, 32));
	CHECK(bytes == 200 * 1024);
	int most = 0, of_all = 0;
	OK(cudaDeviceGetAttribute(&of_all, cudaDevAttrMaxSharedMemoryPerMultiprocessor, 0));
	OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&most, scale, 32, 0));
	OK(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, scale, most, 32));
	CHECK(bytes == (size_t)(of_all / most / 128 * 128));
	RETURNS(cudaErrorInvalidValue,
			cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, scale, most + 1, 32));
	cudaGetLastError();
	OK(cudaOccupancyMaxPotentialBlockSize(&least, &threads, scale));
	CHECK(threads >= 32 && least >= 1);
	OK(cudaFree(data));
	OK(cudaGetLastError());
}

// With one block a multiprocessor. GPUs differ in their GPCs, so that numbers are known of
// the emulated one alone, and elsewhere only what holds everywhere.
static void clusters(bool is_emulated)
{
	static const int counts[] = {132, 66, 39, 30, 22, 17, 15, 15, 9, 7, 7, 7, 7, 7, 7, 7};
	int bytes = 200 * 1024, multiprocessors = 0, count = 0;
	OK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
	OK(cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
	cudaLaunchAttribute attribute = {};
	attribute.id = cudaLaunchAttributeClusterDimension;
	attribute.val.clusterDim = {9, 1, 1};
	cudaLaunchConfig_t config = {};
	config.gridDim = dim3(9);
	config.blockDim = dim3(128);
	config.dynamicSmemBytes = bytes;
	config.attrs = &attribute;
	config.numAttrs = 1;
	if (is_emulated)
		RETURNS(cudaErrorInvalidClusterSize,
				cudaOccupancyMaxActiveClusters(&count, reverse, &config));
	cudaGetLastError();
	OK(cudaFuncSetAttribute(reverse, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
	for (unsigned blocks = 1; blocks <= 16; blocks++) {
		attribute.val.clusterDim.x = blocks;
		config.gridDim = dim3(blocks);
		OK(cudaOccupancyMaxActiveClusters(&count, reverse, &config));
		CHECK(count > 0 && count * (int)blocks <= multiprocessors);
		CHECK(!is_emulated || count == counts[blocks - 1]);
	}
	attribute.val.clusterDim.x = 4;
	config.gridDim = dim3(4);
	config.dynamicSmemBytes = 100 * 1024;
	OK(cudaOccupancyMaxActiveClusters(&count, reverse, &config));
	CHECK(!is_emulated || count == 66);
}

static void driver(bool is_emulated)
{
	typedef CUresult (*encode_function)(
		CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *,
		const cuuint64_t *, const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave,
		CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
	void *found = nullptr;
	cudaDriverEntryPointQueryResult result;
	OK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault,
										&result));
	CHECK(found && result == cudaDriverEntryPointSuccess);
	alignas(64) CUtensorMap map;
	void *data;
	OK(cudaMalloc(&data, 128 * 128 * 2));
	cuuint64_t sizes[2] = {128, 128}, strides[1] = {256};
	cuuint32_t box[2] = {64, 64}, steps[2] = {1, 1};
	if (found) {
		auto encode = (encode_function)found;
		CHECK(encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, data, sizes, strides, box, steps,
					 CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
					 CU_TENSOR_MAP_L2_PROMOTION_NONE,
					 CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
		box[0] = 128;
		CHECK(encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, data, sizes, strides, box, steps,
					 CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
					 CU_TENSOR_MAP_L2_PROMOTION_NONE,
					 CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_ERROR_INVALID_VALUE);
	}
	cudaGetDriverEntryPointByVersion("cuThereIsNoSuchFunction", &found, 12000, cudaEnableDefault,
									 &result);
	CHECK(!found && result == cudaDriverEntryPointSymbolNotFound);
	cudaGetLastError();
	OK(cudaFree(data));
}

// Last: nothing works after a fault. A GPU sees what is outside of every page;
// emulated, the first byte past the end.
static void fault(bool is_emulated)
{
	int *data;
	OK(cudaMalloc(&data, 400));
	overrun<<<1, 1>>>(data, is_emulated ? 100 : 1ll << 38);
	OK(cudaGetLastError());
	RETURNS(cudaErrorIllegalAddress, cudaDeviceSynchronize());
	RETURNS(cudaErrorIllegalAddress, cudaGetLastError());
	RETURNS(cudaErrorIllegalAddress, cudaMalloc(&data, 4));
	RETURNS(cudaErrorIllegalAddress, cudaGetLastError());
}

int main(int count, char **names)
{
	bool host_only = count > 1 && strcmp(names[1], "host") == 0;
	bool is_emulated = emulated();
	allocations();
	copies();
	pinned();
	streams();
	if (is_emulated) {
		undefined_copies();
		emulated_streams();
	}
	device(is_emulated);
	driver(is_emulated);
	if (!host_only) {
		launches(is_emulated);
		refused();
		clusters(is_emulated);
		fault(is_emulated);
	}
	printf("%d failed\n", failures);
	return failures > 0;
}
