/* libcuda.so.1, internal to driver/: NVIDIA's driver functions over the emulated GPU. Most are a
 * function of the runtime's under another name, which a line of DRIVER says; what programs may ask
 * for but is not there says so (missing.c). calls.def lists them all. */
#ifndef EMULATOR_DRIVER_DRIVER_H
#define EMULATOR_DRIVER_DRIVER_H

#include <cuda.h>

#include "emulator/runtime/newer.h"
#include "emulator/runtime/runtime.h"

/* Anything but success: return it. Begins a function that needs a context, or (device) only
 * cuInit(); `name` is what messages say. */
CUresult driver_begin(const char *name);
CUresult driver_begin_device(const char *name);
/* Ends it; the runtime's code as the driver's. */
CUresult driver_end(cudaError_t status);

/* What a function does between the two: a call that takes the lock by itself. */
#define DRIVER(name, call) (driver_begin(#name) ?: driver_end(call))
#define DRIVER_DEVICE(name, call) (driver_begin_device(#name) ?: driver_end(call))

/* `name`, as it was before it had the suffix that cuda.h's macro gives it: the same function. */
#define EXPORT_FIRST(name, newer)                                                                  \
	extern __typeof(newer) newer##_first __asm__(#name)                                            \
		__attribute__((alias(#newer), visibility("default")))

static inline void *driver_pointer(CUdeviceptr address)
{
	return (void *)(uintptr_t)address;
}

#endif
