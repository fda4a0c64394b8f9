/* The device: one, number 0. Its attributes have the runtime's numbers. */
#include <stdio.h>
#include <string.h>

#include "emulator/driver/driver.h"

EXPORT CUresult cuDriverGetVersion(int *version)
{
	return version != NULL ? (CUresult)cudaDriverGetVersion(version) : CUDA_ERROR_INVALID_VALUE;
}

/* Needs cuInit() and the device's number; the runtime's reasons against come after those. */
static CUresult begin(const char *name, CUdevice device, const void *out)
{
	CUresult status = driver_begin_device(name);
	if (status == CUDA_SUCCESS)
		driver_end(cudaSuccess);
	if (status == CUDA_SUCCESS && out == NULL)
		status = CUDA_ERROR_INVALID_VALUE;
	return status == CUDA_SUCCESS && device != 0 ? CUDA_ERROR_INVALID_DEVICE : status;
}

EXPORT CUresult cuDeviceGet(CUdevice *out, int ordinal)
{
	CUresult status = begin("cuDeviceGet", ordinal, out);
	if (status == CUDA_SUCCESS)
		*out = 0;
	return status;
}

EXPORT CUresult cuDeviceGetCount(int *out)
{
	CUresult status = begin("cuDeviceGetCount", 0, out);
	if (status == CUDA_SUCCESS)
		*out = 1;
	return status;
}

EXPORT CUresult cuDeviceGetName(char *out, int length, CUdevice device)
{
	CUresult status = begin("cuDeviceGetName", device, out);
	if (status == CUDA_SUCCESS && length <= 0)
		status = CUDA_ERROR_INVALID_VALUE;
	if (status == CUDA_SUCCESS)
		snprintf(out, (size_t)length, "%s", runtime.gpu->name);
	return status;
}

EXPORT CUresult cuDeviceGetUuid_v2(CUuuid *out, CUdevice device)
{
	CUresult status = begin("cuDeviceGetUuid", device, out);
	if (status == CUDA_SUCCESS) {
		memset(out, 0, sizeof *out);
		snprintf(out->bytes, sizeof out->bytes, "emulated %s", runtime.gpu->id);
	}
	return status;
}
EXPORT_FIRST(cuDeviceGetUuid, cuDeviceGetUuid_v2);

EXPORT CUresult cuDeviceTotalMem(size_t *out, CUdevice device)
{
	CUresult status = begin("cuDeviceTotalMem", device, out);
	if (status == CUDA_SUCCESS)
		*out = runtime.gpu->memory_bytes;
	return status;
}

EXPORT CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device)
{
	if (major == NULL || minor == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult status = begin("cuDeviceComputeCapability", device, major);
	if (status == CUDA_SUCCESS) {
		*major = runtime.gpu->major;
		*minor = runtime.gpu->minor;
	}
	return status;
}

EXPORT CUresult cuDeviceGetAttribute(int *out, CUdevice_attribute attribute, CUdevice device)
{
	return DRIVER_DEVICE(cuDeviceGetAttribute,
						 cudaDeviceGetAttribute(out, (enum cudaDeviceAttr)attribute, device));
}

EXPORT CUresult cuDeviceGetPCIBusId(char *out, int length, CUdevice device)
{
	return DRIVER_DEVICE(cuDeviceGetPCIBusId, cudaDeviceGetPCIBusId(out, length, device));
}

EXPORT CUresult cuDeviceCanAccessPeer(int *out, CUdevice device, CUdevice peer)
{
	return DRIVER_DEVICE(cuDeviceCanAccessPeer, cudaDeviceCanAccessPeer(out, device, peer));
}

EXPORT CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *out, CUdevice device)
{
	return DRIVER_DEVICE(cuDeviceGetDefaultMemPool, cudaDeviceGetDefaultMemPool(out, device));
}

EXPORT CUresult cuDeviceGetMemPool(CUmemoryPool *out, CUdevice device)
{
	return DRIVER_DEVICE(cuDeviceGetMemPool, cudaDeviceGetDefaultMemPool(out, device));
}
