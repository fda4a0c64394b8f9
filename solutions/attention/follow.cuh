/* Kernels of one call that follow each other without a gap (programmatic dependent launch): one
 * that follows may be launched when all blocks of the one before are at work, and waits for their
 * end where it needs their results. GPUs before Hopper launch them one after the other. */
#ifndef GEMMJUDGE_ATTENTION_FOLLOW_CUH
#define GEMMJUDGE_ATTENTION_FOLLOW_CUH

#include <cuda_runtime.h>

/* In the kernel before. */
static __device__ __forceinline__ void follow_may_start(void)
{
#if __CUDA_ARCH__ >= 900
	cudaTriggerProgrammaticLaunchCompletion();
#endif
}

/* In the one that follows. */
static __device__ __forceinline__ void follow_wait(void)
{
#if __CUDA_ARCH__ >= 900
	cudaGridDependencySynchronize();
#endif
}

static inline bool follow_possible(void)
{
	static const bool possible = [] {
		int major = 0;
		return cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0) ==
				   cudaSuccess &&
			   major >= 9;
	}();
	return possible;
}

/* Launches a kernel that follows. */
template <class... Parameters, class... Arguments>
static inline cudaError_t follow_launch(void (*kernel)(Parameters...), unsigned blocks,
										unsigned threads, size_t shared_bytes,
										const Arguments &...arguments)
{
	cudaLaunchAttribute follows;
	follows.id = cudaLaunchAttributeProgrammaticStreamSerialization;
	follows.val.programmaticStreamSerializationAllowed = 1;
	cudaLaunchConfig_t launch = {};
	launch.gridDim = dim3(blocks);
	launch.blockDim = dim3(threads);
	launch.dynamicSmemBytes = shared_bytes;
	launch.attrs = &follows;
	launch.numAttrs = follow_possible();
	return cudaLaunchKernelEx(&launch, kernel, arguments...);
}

#endif
