/* Clusters of blocks: how a kernel is launched with them, and how many run at once. The f32
 * solutions (sgemm/ffma.cuh) share it. */
#ifndef HOPPER_CLUSTERS_CUH
#define HOPPER_CLUSTERS_CUH

#include <cuda_runtime.h>

namespace hopper
{
static __global__ void empty_kernel(void)
{
}

static inline cudaLaunchAttribute cluster_attribute(int blocks)
{
	cudaLaunchAttribute attribute;
	attribute.id = cudaLaunchAttributeClusterDimension;
	attribute.val.clusterDim.x = blocks;
	attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
	return attribute;
}

/* Clusters of blocks that fill a multiprocessor each, by their `bytes` of shared memory, as many as
 * run at once: fewer than the multiprocessors would do, as a cluster lies within one of the GPU's
 * parts (GPCs), and parts are not multiples of it. An H200 has 132 multiprocessors, but room for
 * 30 clusters of four. */
static inline cudaError_t clusters_at_once(int cluster, int bytes, int *count)
{
	cudaLaunchAttribute attribute = cluster_attribute(cluster);
	cudaLaunchConfig_t launch = {};
	launch.gridDim = dim3(cluster);
	launch.blockDim = dim3(32);
	launch.dynamicSmemBytes = bytes;
	launch.attrs = &attribute;
	launch.numAttrs = 1;
	cudaError_t error =
		cudaFuncSetAttribute(empty_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
	return error != cudaSuccess ? error
								: cudaOccupancyMaxActiveClusters(count, empty_kernel, &launch);
}
} // namespace hopper

#endif
