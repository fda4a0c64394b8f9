/* What ffma.cuh and tensor.cuh know of a GPU: found out once about each device. */
#ifndef GEMMJUDGE_SGEMM_FFMA_DEVICE_CUH
#define GEMMJUDGE_SGEMM_FFMA_DEVICE_CUH

#include <atomic>
#include <cuda_runtime.h>
#include <mutex>
#include <stdint.h>

#include "../gemm_f16/hopper/clusters.cuh"

/* The numbers of blocks that may share a tile. */
constexpr int FFMA_SPLITS[] = {1, 2, 4, 6, 8}, FFMA_MOST = 8, FFMA_DEVICES = 64;

struct ffma_device {
	cudaError_t status; // whether the rest is there
	int ordinal;
	int capability; // 9 has clusters and wgmma; those after it have clusters
	int multiprocessors;
	/* By `split`: the number of tiles that are computed at once, with so many blocks each, if each
	 * block takes a multiprocessor; 0 where the GPU has no such clusters. */
	int at_once[FFMA_MOST + 1];
};

static inline cudaError_t ffma_device_ask(ffma_device &device)
{
	int bytes = 0; // of shared memory: all there is
	cudaError_t status = cudaSuccess;
	auto query = [&](cudaDeviceAttr what, int &value) {
		if (status == cudaSuccess)
			status = cudaDeviceGetAttribute(&value, what, device.ordinal);
	};
	query(cudaDevAttrComputeCapabilityMajor, device.capability);
	query(cudaDevAttrMultiProcessorCount, device.multiprocessors);
	query(cudaDevAttrMaxSharedMemoryPerBlockOptin, bytes);
	device.at_once[1] = device.multiprocessors;
	for (int split : FFMA_SPLITS)
		if (split > 1 && device.capability >= 9 && status == cudaSuccess)
			status = hopper::clusters_at_once(split, bytes, &device.at_once[split]);
	return status;
}

/* The current device. */
static inline const ffma_device &ffma_device_get(void)
{
	static ffma_device devices[FFMA_DEVICES];
	static std::once_flag once[FFMA_DEVICES];
	static const ffma_device none = {cudaErrorInvalidDevice};
	int ordinal;
	if (cudaGetDevice(&ordinal) != cudaSuccess || ordinal >= FFMA_DEVICES)
		return none;
	ffma_device &device = devices[ordinal];
	std::call_once(once[ordinal], [&] {
		device.ordinal = ordinal;
		device.status = ffma_device_ask(device);
	});
	return device;
}

/* Lets the kernel have so many bytes of dynamic shared memory: once for each device. */
template <auto KERNEL>
static inline cudaError_t ffma_allow_shared(const ffma_device &device, int bytes)
{
	static std::atomic<uint64_t> allowed{0};
	uint64_t bit = 1ull << device.ordinal;
	if (allowed.load(std::memory_order_relaxed) & bit)
		return cudaSuccess;
	cudaError_t status =
		cudaFuncSetAttribute(KERNEL, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
	if (status == cudaSuccess)
		allowed.fetch_or(bit, std::memory_order_relaxed);
	return status;
}

#endif
