/* See torch/extension.h. */
#pragma once
#include "torch/extension.h"

namespace c10
{
namespace cuda
{
struct CUDAGuard {
	explicit CUDAGuard(torch::device)
	{
	}
};
} // namespace cuda
} // namespace c10
