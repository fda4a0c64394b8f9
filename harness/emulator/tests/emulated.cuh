// Whether the emulated GPU runs this program: it promises more than CUDA does. Its properties are
// those of the GPU that it stands for, but its library has functions of its own.
#ifndef EMULATOR_TESTS_EMULATED_CUH
#define EMULATOR_TESTS_EMULATED_CUH

#include <dlfcn.h>

static inline bool emulated()
{
	return dlsym(RTLD_DEFAULT, "cudaEmulatedName") != nullptr;
}

#endif
