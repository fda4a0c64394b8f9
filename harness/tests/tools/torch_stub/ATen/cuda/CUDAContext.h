/* See torch/extension.h. */
#pragma once
#include <cuda_runtime.h>

namespace at
{
namespace cuda
{
static inline cudaStream_t getCurrentCUDAStream()
{
	return NULL;
}
} // namespace cuda
} // namespace at
