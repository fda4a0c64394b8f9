/* How programs find the driver's functions by name: cuGetProcAddress, and the runtime's doors to
 * it. A name stands for several functions where NVIDIA changed one: which of them depends on the
 * version of CUDA that the caller was written for. */
#include <string.h>

#include "emulator/driver/driver.h"
#include "emulator/driver/names.h"

/* The newest function of the name that the version knows; a version newer than all of them is one
 * that none of them changed in. Only a name: VERSION_NOT_SUFFICIENT. What is not found is said. */
static CUdriverProcAddressQueryResult find(const char *name, int version, void **out)
{
	CUdriverProcAddressQueryResult result = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
	int newest = -1;
	*out = NULL;
	for (size_t i = 0; i < driver_name_count; i++) {
		const struct driver_name *entry = &driver_names[i];
		if (strcmp(entry->name, name) != 0)
			continue;
		if (entry->version <= version && entry->version > newest) {
			newest = entry->version;
			memcpy(out, &entry->function, sizeof *out);
		}
		result =
			*out != NULL ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT;
	}
	if (result == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND)
		runtime_say("the driver has no %s", name);
	else if (*out == NULL)
		runtime_say("the driver has no %s of CUDA %d.%d", name, version / 1000,
					version % 1000 / 10);
	return result;
}

EXPORT CUresult cuGetProcAddress_v2(const char *name, void **out, int version, cuuint64_t flags,
									CUdriverProcAddressQueryResult *result)
{
	(void)flags; /* streams of a thread's own are as any other */
	if (name == NULL || out == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	CUdriverProcAddressQueryResult found = find(name, version, out);
	if (result != NULL)
		*result = found;
	return CUDA_SUCCESS; /* a name that is not found has the address NULL */
}
EXPORT_ALIAS(cuGetProcAddress_v2, cuGetProcAddress_v2_ptsz);

CUresult cuGetProcAddress_first(const char *name, void **out, int version,
								cuuint64_t flags) __asm__("cuGetProcAddress");
EXPORT CUresult cuGetProcAddress_first(const char *name, void **out, int version, cuuint64_t flags)
{
	return cuGetProcAddress_v2(name, out, version, flags, NULL);
}

/* What NVIDIA's runtime asks of the driver is in tables that nobody has published. The dynamic
 * library is replaced as a whole; the static one, nvcc's default, comes here. */
EXPORT CUresult cuGetExportTable(const void **out, const CUuuid *id)
{
	static bool said;
	(void)id;
	if (out != NULL)
		*out = NULL;
	if (!said)
		runtime_say("this program contains NVIDIA's CUDA runtime, which needs a real driver: build "
					"it with nvcc -cudart shared, and have the emulated libcudart.so.13 found "
					"first (LD_LIBRARY_PATH)");
	said = true;
	return CUDA_ERROR_NOT_SUPPORTED;
}

/* ---- through the runtime ------------------------------------------------------------ */

EXPORT cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **out,
													unsigned version, unsigned long long flags,
													enum cudaDriverEntryPointQueryResult *result)
{
	cudaError_t status = runtime_enter();
	(void)flags;
	if (status == cudaSuccess && (symbol == NULL || out == NULL))
		status = cudaErrorInvalidValue;
	if (status != cudaSuccess)
		return runtime_leave(status);
	CUdriverProcAddressQueryResult found = find(symbol, (int)version, out);
	if (result != NULL) /* the same numbers */
		*result = (enum cudaDriverEntryPointQueryResult)found;
	else if (found != CU_GET_PROC_ADDRESS_SUCCESS)
		status = cudaErrorSymbolNotFound;
	return runtime_leave(status);
}
EXPORT_ALIAS(cudaGetDriverEntryPointByVersion, cudaGetDriverEntryPointByVersion_ptsz);

/* Deprecated, but what most programs still call. */
EXPORT cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **out, unsigned long long flags,
										   enum cudaDriverEntryPointQueryResult *result)
{
	return cudaGetDriverEntryPointByVersion(symbol, out, (unsigned)runtime_cuda_version(), flags,
											result);
}

cudaError_t cudaGetDriverEntryPoint_ptsz(const char *symbol, void **out, unsigned long long flags,
										 enum cudaDriverEntryPointQueryResult *result);
EXPORT cudaError_t cudaGetDriverEntryPoint_ptsz(const char *symbol, void **out,
												unsigned long long flags,
												enum cudaDriverEntryPointQueryResult *result)
{
	return cudaGetDriverEntryPointByVersion(symbol, out, (unsigned)runtime_cuda_version(), flags,
											result);
}
