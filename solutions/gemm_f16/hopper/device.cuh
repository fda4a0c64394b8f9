/* What is found out once about each device: an immutable table, made by the first call that needs
 * it. */
#ifndef HOPPER_DEVICE_CUH
#define HOPPER_DEVICE_CUH

#include <cuda.h>
#include <cuda_runtime.h>
#include <mutex>

#include "clusters.cuh"
#include "config.cuh"
#include "hopper_gemm.h"

namespace hopper
{
constexpr int MAX_CLUSTER = 8, MAX_DEVICES = 64;

struct device_table {
	hopper_status status; // whether the rest is there
	int multiprocessors;
	int clusters[MAX_CLUSTER + 1]; // of so many blocks that run at once
	float dram_bytes;              // a microsecond, by the memory's clock and width
	decltype(&cuTensorMapEncodeTiled) encode;
};

static inline hopper_status device_query(device_table &device, int ordinal)
{
	constexpr int BYTES = 200 << 10; // of shared memory: no two such blocks share a multiprocessor
	int major = 0, clock = 0, width = 0;
	auto query = [&](cudaDeviceAttr what, int *value) {
		return cudaDeviceGetAttribute(value, what, ordinal) == cudaSuccess;
	};
	if (!query(cudaDevAttrComputeCapabilityMajor, &major) || major != 9 ||
		!query(cudaDevAttrMultiProcessorCount, &device.multiprocessors) ||
		!query(cudaDevAttrMemoryClockRate, &clock) ||
		!query(cudaDevAttrGlobalMemoryBusWidth, &width))
		return HOPPER_UNSUPPORTED_DEVICE;
	device.dram_bytes = 2.0f * (float)clock * 1e-3f * (float)width / 8.0f; // two transfers a clock
	cudaDriverEntryPointQueryResult found;
	if (cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void **)&device.encode, 12000,
										 cudaEnableDefault, &found) != cudaSuccess ||
		found != cudaDriverEntryPointSuccess)
		return HOPPER_UNSUPPORTED_DEVICE;
	for (int blocks = 1; blocks <= MAX_CLUSTER; blocks++)
		if (clusters_at_once(blocks, BYTES, &device.clusters[blocks]) != cudaSuccess)
			return HOPPER_UNSUPPORTED_DEVICE;
	return HOPPER_OK;
}

/* The current device's table; its ordinal in `ordinal`. */
static inline const device_table &device_get(int &ordinal)
{
	static device_table tables[MAX_DEVICES];
	static std::once_flag once[MAX_DEVICES];
	static const device_table none = {HOPPER_CUDA_ERROR}, beyond = {HOPPER_UNSUPPORTED_DEVICE};
	if (cudaGetDevice(&ordinal) != cudaSuccess)
		return none;
	if (ordinal >= MAX_DEVICES)
		return beyond;
	std::call_once(once[ordinal],
				   [&] { tables[ordinal].status = device_query(tables[ordinal], ordinal); });
	return tables[ordinal];
}
} // namespace hopper

#endif
