// Whether the emulated GPU runs this program: it promises more than CUDA does,
// and its properties say so.
#ifndef EMULATOR_TESTS_EMULATED_CUH
#define EMULATOR_TESTS_EMULATED_CUH

#include <cstring>
#include <cuda_runtime.h>

static inline bool emulated()
{
	cudaDeviceProp properties;
	return cudaGetDeviceProperties(&properties, 0) == cudaSuccess &&
		   strstr(properties.name, "(emulated)") != nullptr;
}

#endif
