/* What CUDA's headers have had since 13.1. The emulator is built with those of any CUDA 13 and runs
 * programs compiled by any other, so that it takes their values and functions from here. */
#ifndef EMULATOR_RUNTIME_NEWER_H
#define EMULATOR_RUNTIME_NEWER_H

#include <cuda.h>
#include <cuda_runtime_api.h>

enum newer_device_attribute {
	DEVICE_LOCALITY_DOMAINS = 149,
	DEVICE_OVERSIZED_SHARED_PER_BLOCK = 150,
	DEVICE_LOCALITY_DOMAIN_MULTIPROCESSORS = 157,
	DEVICE_LARGE_TENSOR_BYTES = 160,
	DEVICE_ATTRIBUTE_END = 162, /* behind the last that is known, the driver's own included */
};

/* Of a function: the runtime's number, and the driver's. */
#define FUNCTION_SHARED_MODE ((enum cudaFuncAttribute)16)
#define DRIVER_FUNCTION_NODE_UPDATE ((CUfunction_attribute)16)
#define DRIVER_FUNCTION_SHARED_MODE ((CUfunction_attribute)17)

#define LAUNCH_CLUSTER_MODE ((cudaLaunchAttributeID)17)
#define LAUNCH_SHARED_MODE ((cudaLaunchAttributeID)18)

/* Values of LAUNCH_CLUSTER_MODE, and with those for oversized shared memory of the other two. */
enum size_mode {
	SIZE_DEFAULT, /* the function's attributes say how much is allowed */
	SIZE_PORTABLE,
	SIZE_NON_PORTABLE,
	CLUSTER_MODE_END,
	SIZE_ALLOW_OVERSIZED = CLUSTER_MODE_END,
	SIZE_PREFER_OVERSIZED,
	SHARED_MODE_END,
};

/* Where the shared memory mode is in struct cudaFuncAttributes: behind another integer. */
static inline int *newer_shared_mode(struct cudaFuncAttributes *attributes)
{
	const size_t at = offsetof(struct cudaFuncAttributes, nonPortableClusterSizeAllowed);
	return (int *)(void *)((char *)attributes + at + 2 * sizeof(int));
}

/* How the host waits for what comes before a host function. */
#define HOST_SYNC_MODES 2u

cudaError_t cudaFuncGetParamCount(const void *host, size_t *count);
cudaError_t cudaLaunchHostFunc_v2(cudaStream_t stream, cudaHostFn_t function, void *data,
								  unsigned mode);
cudaError_t cudaMemcpyWithAttributesAsync(void *to, const void *from, size_t size,
										  struct cudaMemcpyAttributes *attributes,
										  cudaStream_t stream);
CUresult cuFuncGetParamCount(CUfunction function, size_t *count);
CUresult cuKernelGetParamCount(CUkernel kernel, size_t *count);
CUresult cuLaunchHostFunc_v2(CUstream stream, CUhostFn function, void *data, unsigned mode);
CUresult cuMemcpyWithAttributesAsync(CUdeviceptr to, CUdeviceptr from, size_t size,
									 CUmemcpyAttributes *attributes, CUstream stream);

#endif
