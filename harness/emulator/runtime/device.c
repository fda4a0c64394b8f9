/* What programs ask about the GPU, and waiting for it. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "emulator/runtime/graph.h"
#include "emulator/runtime/newer.h"

static cudaError_t enter_device(int device)
{
	cudaError_t status = runtime_enter_queueing();
	return status == cudaSuccess && device != 0 ? cudaErrorInvalidDevice : status;
}

EXPORT cudaError_t cudaGetDeviceCount(int *count)
{
	cudaError_t status = runtime_enter();
	if (status == cudaSuccess && count == NULL)
		status = cudaErrorInvalidValue;
	if (status == cudaSuccess)
		*count = 1;
	return runtime_leave(status);
}

EXPORT cudaError_t cudaGetDevice(int *device)
{
	cudaError_t status = runtime_enter();
	if (status == cudaSuccess && device == NULL)
		status = cudaErrorInvalidValue;
	if (status == cudaSuccess)
		*device = 0;
	return runtime_leave(status);
}

EXPORT cudaError_t cudaSetDevice(int device)
{
	return runtime_leave(enter_device(device));
}

EXPORT cudaError_t cudaInitDevice(int device, unsigned device_flags, unsigned flags)
{
	(void)device_flags, (void)flags;
	return runtime_leave(enter_device(device));
}

EXPORT cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *wanted)
{
	(void)wanted;
	return cudaGetDevice(device);
}

EXPORT cudaError_t cudaSetDeviceFlags(unsigned flags)
{
	cudaError_t status = runtime_enter();
	if (status == cudaSuccess)
		runtime.device_flags = flags;
	return runtime_leave(status);
}

EXPORT cudaError_t cudaGetDeviceFlags(unsigned *flags)
{
	cudaError_t status = runtime_enter();
	if (status == cudaSuccess)
		*flags = runtime.device_flags | cudaDeviceMapHost;
	return runtime_leave(status);
}

static void properties(struct cudaDeviceProp *out, const struct gpu *gpu)
{
	*out = (struct cudaDeviceProp){
		.totalGlobalMem = gpu->memory_bytes,
		.sharedMemPerBlock = 48 * KIB,
		.regsPerBlock = 65536,
		.warpSize = 32,
		.memPitch = INT32_MAX,
		.maxThreadsPerBlock = 1024,
		.maxThreadsDim = {1024, 1024, 64},
		.maxGridSize = {INT32_MAX, UINT16_MAX, UINT16_MAX},
		.totalConstMem = 64 * KIB,
		.major = gpu->major,
		.minor = gpu->minor,
		.textureAlignment = 512,
		.texturePitchAlignment = 32,
		.surfaceAlignment = 512,
		.multiProcessorCount = gpu->multiprocessors,
		.canMapHostMemory = 1,
		.concurrentKernels = 1,
		.ECCEnabled = 1,
		.asyncEngineCount = 3,
		.unifiedAddressing = 1,
		.memoryBusWidth = gpu->bus_bits,
		.l2CacheSize = gpu->l2_bytes,
		.persistingL2CacheMaxSize = gpu->l2_persisting_bytes,
		.maxThreadsPerMultiProcessor = gpu->threads_per_multiprocessor,
		.streamPrioritiesSupported = 1,
		.globalL1CacheSupported = 1,
		.localL1CacheSupported = 1,
		.sharedMemPerMultiprocessor = (size_t)gpu->shared_per_multiprocessor,
		.regsPerMultiprocessor = 65536,
		.managedMemory = 1,
		.concurrentManagedAccess = 1,
		.computePreemptionSupported = 1,
		.canUseHostPointerForRegisteredMem = 1,
		.cooperativeLaunch = 1,
		.sharedMemPerBlockOptin = (size_t)gpu->shared_per_block_optin,
		.maxBlocksPerMultiProcessor = gpu->blocks_per_multiprocessor,
		.accessPolicyMaxWindowSize = gpu->l2_persisting_bytes ? 128 * MIB : 0,
		.reservedSharedMemPerBlock = (size_t)gpu->shared_reserved,
		.hostRegisterSupported = 1,
		.memoryPoolsSupported = 1,
		.clusterLaunch = gpu->major >= 9,
		.deviceNumaId = -1,
		.hostNumaId = -1,
	};
	snprintf(out->name, sizeof out->name, "%s", gpu->name);
}

EXPORT cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *out, int device)
{
	cudaError_t status = enter_device(device);
	if (status == cudaSuccess && out == NULL)
		status = cudaErrorInvalidValue;
	if (status == cudaSuccess)
		properties(out, runtime.gpu);
	return runtime_leave(status);
}

/* 0: not supported. A GPU is one locality domain here, and has no oversized shared memory. */
static int attribute_value(const struct cudaDeviceProp *p, const struct gpu *gpu,
						   enum cudaDeviceAttr attribute)
{
	switch ((int)attribute) {
	case DEVICE_LOCALITY_DOMAINS: return 1;
	case DEVICE_LOCALITY_DOMAIN_MULTIPROCESSORS: return p->multiProcessorCount;
	case DEVICE_OVERSIZED_SHARED_PER_BLOCK: return (int)p->sharedMemPerBlockOptin;
	case DEVICE_LARGE_TENSOR_BYTES: return INT_MAX; /* no tensor map is of a class of its own */
	case cudaDevAttrMaxThreadsPerBlock: return p->maxThreadsPerBlock;
	case cudaDevAttrMaxBlockDimX: return p->maxThreadsDim[0];
	case cudaDevAttrMaxBlockDimY: return p->maxThreadsDim[1];
	case cudaDevAttrMaxBlockDimZ: return p->maxThreadsDim[2];
	case cudaDevAttrMaxGridDimX: return p->maxGridSize[0];
	case cudaDevAttrMaxGridDimY: return p->maxGridSize[1];
	case cudaDevAttrMaxGridDimZ: return p->maxGridSize[2];
	case cudaDevAttrMaxSharedMemoryPerBlock: return (int)p->sharedMemPerBlock;
	case cudaDevAttrTotalConstantMemory: return (int)p->totalConstMem;
	case cudaDevAttrWarpSize: return p->warpSize;
	case cudaDevAttrMaxPitch: return (int)p->memPitch;
	case cudaDevAttrMaxRegistersPerBlock: return p->regsPerBlock;
	case cudaDevAttrMaxRegistersPerMultiprocessor: return p->regsPerMultiprocessor;
	case cudaDevAttrClockRate: return gpu->clock_khz;
	case cudaDevAttrMemoryClockRate: return gpu->memory_clock_khz;
	case cudaDevAttrGlobalMemoryBusWidth: return p->memoryBusWidth;
	case cudaDevAttrTextureAlignment: return (int)p->textureAlignment;
	case cudaDevAttrTexturePitchAlignment: return (int)p->texturePitchAlignment;
	case cudaDevAttrSurfaceAlignment: return (int)p->surfaceAlignment;
	case cudaDevAttrMultiProcessorCount: return p->multiProcessorCount;
	case cudaDevAttrL2CacheSize: return p->l2CacheSize;
	case cudaDevAttrMaxPersistingL2CacheSize: return p->persistingL2CacheMaxSize;
	case cudaDevAttrMaxAccessPolicyWindowSize: return p->accessPolicyMaxWindowSize;
	case cudaDevAttrMaxThreadsPerMultiProcessor: return p->maxThreadsPerMultiProcessor;
	case cudaDevAttrMaxBlocksPerMultiprocessor: return p->maxBlocksPerMultiProcessor;
	case cudaDevAttrMaxSharedMemoryPerMultiprocessor: return (int)p->sharedMemPerMultiprocessor;
	case cudaDevAttrMaxSharedMemoryPerBlockOptin: return (int)p->sharedMemPerBlockOptin;
	case cudaDevAttrReservedSharedMemoryPerBlock: return (int)p->reservedSharedMemPerBlock;
	case cudaDevAttrAsyncEngineCount: return p->asyncEngineCount;
	case cudaDevAttrComputeCapabilityMajor: return p->major;
	case cudaDevAttrComputeCapabilityMinor: return p->minor;
	case cudaDevAttrClusterLaunch: return p->clusterLaunch;
	case cudaDevAttrSingleToDoublePrecisionPerfRatio:
		return gpu->major == 7 ? 32 : gpu->major == 8 && gpu->minor ? 64 : 2;
	case cudaDevAttrMemSyncDomainCount: return gpu->major >= 9 ? 4 : 1;
	case cudaDevAttrGpuOverlap:
	case cudaDevAttrCanMapHostMemory:
	case cudaDevAttrConcurrentKernels:
	case cudaDevAttrEccEnabled:
	case cudaDevAttrUnifiedAddressing:
	case cudaDevAttrStreamPrioritiesSupported:
	case cudaDevAttrGlobalL1CacheSupported:
	case cudaDevAttrLocalL1CacheSupported:
	case cudaDevAttrManagedMemory:
	case cudaDevAttrConcurrentManagedAccess:
	case cudaDevAttrComputePreemptionSupported:
	case cudaDevAttrCanUseHostPointerForRegisteredMem:
	case cudaDevAttrCooperativeLaunch:
	case cudaDevAttrHostRegisterSupported:
	case cudaDevAttrMemoryPoolsSupported: return 1;
	default: return 0;
	}
}

EXPORT cudaError_t cudaDeviceGetAttribute(int *out, enum cudaDeviceAttr attribute, int device)
{
	cudaError_t status = enter_device(device);
	if (status == cudaSuccess &&
		(out == NULL || attribute < 1 || (int)attribute >= DEVICE_ATTRIBUTE_END)) {
		refusal_reason(NULL, "device attribute %d is none of CUDA 13.5", (int)attribute);
		status = cudaErrorInvalidValue;
	}
	if (status == cudaSuccess) {
		struct cudaDeviceProp known;
		properties(&known, runtime.gpu);
		*out = attribute_value(&known, runtime.gpu, attribute);
	}
	return runtime_leave(status);
}

EXPORT cudaError_t cudaRuntimeGetVersion(int *version)
{
	if (version == NULL)
		return cudaErrorInvalidValue;
	*version = runtime_cuda_version();
	return cudaSuccess;
}

EXPORT cudaError_t cudaDriverGetVersion(int *version)
{
	return cudaRuntimeGetVersion(version);
}

EXPORT cudaError_t cudaDeviceGetLimit(size_t *out, enum cudaLimit limit)
{
	static const size_t defaults[] = {
		[cudaLimitStackSize] = 1024,
		[cudaLimitPrintfFifoSize] = 7 * MIB,
		[cudaLimitMallocHeapSize] = 8 * MIB,
	};
	cudaError_t status = runtime_enter();
	if (status == cudaSuccess && out == NULL)
		status = cudaErrorInvalidValue;
	if (status == cudaSuccess && (unsigned)limit >= sizeof runtime.limits / sizeof(size_t))
		status = cudaErrorUnsupportedLimit;
	if (status == cudaSuccess) {
		bool has_default = (unsigned)limit < sizeof defaults / sizeof defaults[0];
		*out = runtime.limits[limit] ? runtime.limits[limit] : has_default ? defaults[limit] : 0;
	}
	return runtime_leave(status);
}

EXPORT cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
	cudaError_t status = runtime_enter();
	if (status == cudaSuccess && (unsigned)limit >= sizeof runtime.limits / sizeof(size_t))
		status = cudaErrorUnsupportedLimit;
	if (status == cudaSuccess)
		runtime.limits[limit] = value;
	return runtime_leave(status);
}

EXPORT cudaError_t cudaDeviceGetPCIBusId(char *out, int length, int device)
{
	cudaError_t status = enter_device(device);
	if (status == cudaSuccess && (out == NULL || length < 13))
		status = cudaErrorInvalidValue;
	if (status == cudaSuccess)
		snprintf(out, (size_t)length, "0000:00:00.0");
	return runtime_leave(status);
}

EXPORT cudaError_t cudaDeviceCanAccessPeer(int *out, int device, int peer)
{
	cudaError_t status = enter_device(device);
	if (status == cudaSuccess && peer != 0)
		status = cudaErrorInvalidDevice;
	if (status == cudaSuccess)
		*out = 0;
	return runtime_leave(status);
}

/* Hints without a meaning here. */
EXPORT cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config)
{
	(void)config;
	return runtime_leave(runtime_enter());
}

EXPORT cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *out)
{
	cudaError_t status = runtime_enter();
	if (status == cudaSuccess)
		*out = cudaFuncCachePreferNone;
	return runtime_leave(status);
}

EXPORT cudaError_t cudaCtxResetPersistingL2Cache(void)
{
	return runtime_leave(runtime_enter());
}

EXPORT cudaError_t cudaProfilerStart(void)
{
	return runtime_leave(runtime_enter());
}

EXPORT cudaError_t cudaProfilerStop(void)
{
	return runtime_leave(runtime_enter());
}

/* A pool handle to pass around; allocations come from the one memory anyway. */
EXPORT cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *out, int device)
{
	cudaError_t status = enter_device(device);
	if (status == cudaSuccess && out == NULL)
		status = cudaErrorInvalidValue;
	if (status == cudaSuccess)
		*out = (cudaMemPool_t)(void *)&runtime;
	return runtime_leave(status);
}
EXPORT_ALIAS(cudaDeviceGetDefaultMemPool, cudaDeviceGetMemPool);

EXPORT cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute,
										   void *value)
{
	(void)pool, (void)attribute, (void)value;
	return runtime_leave(runtime_enter());
}

EXPORT cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep)
{
	(void)pool, (void)keep;
	return runtime_leave(runtime_enter());
}

void runtime_reset(void)
{
	runtime_modules_drop_all();
	stream_drop_all();
	capture_drop_all();
	runtime_textures_drop_all();
	graph_drop_all();
	memory_free_all();
	runtime.holds_primary = false;
	memset(runtime.limits, 0, sizeof runtime.limits);
	runtime.fault = cudaSuccess;
	runtime.fault_surfaced = false;
}

/* The sticky error goes, as the context that it lived in does. */
EXPORT cudaError_t cudaDeviceReset(void)
{
	cudaError_t status = runtime_enter();
	if (runtime.init_status == cudaSuccess) {
		counters_write_sometimes(true);
		runtime_reset();
		status = cudaSuccess;
	}
	return runtime_leave(status);
}

EXPORT struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
														  enum cudaChannelFormatKind kind)
{
	return (struct cudaChannelFormatDesc){x, y, z, w, kind};
}

EXPORT cudaError_t cudaDeviceSynchronize(void)
{
	cudaError_t status = runtime_enter();
	if (status == cudaSuccess)
		status = capture_forbids_waits();
	counters_write_sometimes(true);
	return runtime_leave(status);
}
