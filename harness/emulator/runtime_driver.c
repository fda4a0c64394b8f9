/* The few driver calls that programs fetch through the runtime instead of
 * linking libcuda, which a machine without a GPU does not have. */
#include <cuda.h>
#include <string.h>

#include "emulator/runtime.h"

static CUresult driver_init(unsigned flags)
{
	return flags == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult driver_version(int *version)
{
	return cudaDriverGetVersion(version) == cudaSuccess ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* The codes are the runtime's, number for number. */
static CUresult driver_error_name(CUresult code, const char **out)
{
	*out = cudaGetErrorName((cudaError_t)code);
	return CUDA_SUCCESS;
}

static CUresult driver_error_string(CUresult code, const char **out)
{
	*out = cudaGetErrorString((cudaError_t)code);
	return CUDA_SUCCESS;
}

static const struct {
	const char *name;
	void *function;
} driver_calls[] = {
	{"cuInit", (void *)driver_init},
	{"cuDriverGetVersion", (void *)driver_version},
	{"cuGetErrorName", (void *)driver_error_name},
	{"cuGetErrorString", (void *)driver_error_string},
};

static void *driver_find(const char *name)
{
	for (size_t i = 0; i < sizeof driver_calls / sizeof driver_calls[0]; i++)
		if (strcmp(driver_calls[i].name, name) == 0)
			return driver_calls[i].function;
	return NULL;
}

EXPORT cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **out,
													unsigned version, unsigned long long flags,
													enum cudaDriverEntryPointQueryResult *result)
{
	cudaError_t status = runtime_enter();
	(void)version, (void)flags;
	if (status == cudaSuccess && (!symbol || !out))
		status = cudaErrorInvalidValue;
	if (status != cudaSuccess)
		return runtime_leave(status);
	*out = driver_find(symbol);
	if (result)
		*result = *out ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
	if (!*out) {
		runtime_say("the driver call %s is not implemented", symbol);
		status = result ? cudaSuccess : cudaErrorSymbolNotFound;
	}
	return runtime_leave(status);
}
EXPORT_ALIAS(cudaGetDriverEntryPointByVersion, cudaGetDriverEntryPointByVersion_ptsz);

/* Deprecated, but what most programs still call. */
EXPORT cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **out, unsigned long long flags,
										   enum cudaDriverEntryPointQueryResult *result)
{
	return cudaGetDriverEntryPointByVersion(symbol, out, 0, flags, result);
}

cudaError_t cudaGetDriverEntryPoint_ptsz(const char *symbol, void **out, unsigned long long flags,
										 enum cudaDriverEntryPointQueryResult *result);
EXPORT cudaError_t cudaGetDriverEntryPoint_ptsz(const char *symbol, void **out,
												unsigned long long flags,
												enum cudaDriverEntryPointQueryResult *result)
{
	return cudaGetDriverEntryPointByVersion(symbol, out, 0, flags, result);
}
