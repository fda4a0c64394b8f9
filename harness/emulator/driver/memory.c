/* Memory: the runtime's functions, with the driver's refusals. */
#include <string.h>

#include "emulator/driver/driver.h"
#include "emulator/runtime/copy.h"

/* The per-thread-stream names of a function: everything runs in order, so that they are one. */
#define PTDS(name) EXPORT_ALIAS(name##_v2, name##_v2_ptds)
#define PTSZ(name) EXPORT_ALIAS(name##_v2, name##_v2_ptsz)

EXPORT CUresult cuMemAlloc_v2(CUdeviceptr *out, size_t size)
{
	if (out == NULL || size == 0)
		return CUDA_ERROR_INVALID_VALUE;
	return DRIVER(cuMemAlloc, cudaMalloc((void **)out, size));
}

EXPORT CUresult cuMemAllocPitch_v2(CUdeviceptr *out, size_t *pitch, size_t width, size_t height,
								   unsigned element)
{
	if (out == NULL || width == 0 || height == 0 || (element != 4 && element != 8 && element != 16))
		return CUDA_ERROR_INVALID_VALUE;
	return DRIVER(cuMemAllocPitch, cudaMallocPitch((void **)out, pitch, width, height));
}

EXPORT CUresult cuMemFree_v2(CUdeviceptr address)
{
	return DRIVER(cuMemFree, cudaFree(driver_pointer(address)));
}

EXPORT CUresult cuMemAllocHost_v2(void **out, size_t size)
{
	return DRIVER(cuMemAllocHost, cudaMallocHost(out, size));
}

EXPORT CUresult cuMemHostAlloc(void **out, size_t size, unsigned flags)
{
	return DRIVER(cuMemHostAlloc, cudaHostAlloc(out, size, flags));
}

EXPORT CUresult cuMemFreeHost(void *pointer)
{
	return DRIVER(cuMemFreeHost, cudaFreeHost(pointer));
}

EXPORT CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *out, void *pointer, unsigned flags)
{
	return DRIVER(cuMemHostGetDevicePointer,
				  cudaHostGetDevicePointer((void **)out, pointer, flags));
}

EXPORT CUresult cuMemHostGetFlags(unsigned *flags, void *pointer)
{
	return DRIVER(cuMemHostGetFlags, cudaHostGetFlags(flags, pointer));
}

EXPORT CUresult cuMemHostRegister_v2(void *pointer, size_t size, unsigned flags)
{
	return DRIVER(cuMemHostRegister, cudaHostRegister(pointer, size, flags));
}

EXPORT CUresult cuMemHostUnregister(void *pointer)
{
	return DRIVER(cuMemHostUnregister, cudaHostUnregister(pointer));
}

EXPORT CUresult cuMemAllocManaged(CUdeviceptr *out, size_t size, unsigned flags)
{
	if (out == NULL || size == 0)
		return CUDA_ERROR_INVALID_VALUE;
	return DRIVER(cuMemAllocManaged, cudaMallocManaged((void **)out, size, flags));
}

EXPORT CUresult cuMemAllocAsync(CUdeviceptr *out, size_t size, CUstream stream)
{
	return DRIVER(cuMemAllocAsync, cudaMallocAsync((void **)out, size, stream));
}
EXPORT_ALIAS(cuMemAllocAsync, cuMemAllocAsync_ptsz);

EXPORT CUresult cuMemAllocFromPoolAsync(CUdeviceptr *out, size_t size, CUmemoryPool pool,
										CUstream stream)
{
	return DRIVER(cuMemAllocFromPoolAsync,
				  cudaMallocFromPoolAsync((void **)out, size, pool, stream));
}
EXPORT_ALIAS(cuMemAllocFromPoolAsync, cuMemAllocFromPoolAsync_ptsz);

EXPORT CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream)
{
	return DRIVER(cuMemFreeAsync, cudaFreeAsync(driver_pointer(address), stream));
}
EXPORT_ALIAS(cuMemFreeAsync, cuMemFreeAsync_ptsz);

EXPORT CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value)
{
	return DRIVER(cuMemPoolSetAttribute,
				  cudaMemPoolSetAttribute(pool, (enum cudaMemPoolAttr)attribute, value));
}

EXPORT CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t keep)
{
	return DRIVER(cuMemPoolTrimTo, cudaMemPoolTrimTo(pool, keep));
}

EXPORT CUresult cuMemGetInfo_v2(size_t *available, size_t *total)
{
	return DRIVER(cuMemGetInfo, cudaMemGetInfo(available, total));
}

/* Hints. */
EXPORT CUresult cuMemPrefetchAsync_v2(CUdeviceptr address, size_t size, CUmemLocation location,
									  unsigned flags, CUstream stream)
{
	struct cudaMemLocation to = {.type = (enum cudaMemLocationType)location.type,
								 .id = location.id};
	return DRIVER(cuMemPrefetchAsync,
				  cudaMemPrefetchAsync(driver_pointer(address), size, to, flags, stream));
}
PTSZ(cuMemPrefetchAsync);

EXPORT CUresult cuMemAdvise_v2(CUdeviceptr address, size_t size, CUmem_advise advice,
							   CUmemLocation location)
{
	struct cudaMemLocation where = {.type = (enum cudaMemLocationType)location.type,
									.id = location.id};
	return DRIVER(cuMemAdvise, cudaMemAdvise(driver_pointer(address), size,
											 (enum cudaMemoryAdvise)advice, where));
}

static cudaError_t address_range(CUdeviceptr *base, size_t *size, CUdeviceptr address)
{
	cudaError_t status = runtime_enter();
	const struct allocation *allocation = memory_find(address);
	if (status == cudaSuccess && allocation == NULL)
		status = cudaErrorInvalidValue;
	if (status == cudaSuccess && base != NULL)
		*base = allocation->base;
	if (status == cudaSuccess && size != NULL)
		*size = allocation->size;
	return runtime_leave(status);
}

EXPORT CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *size, CUdeviceptr address)
{
	CUresult status = DRIVER(cuMemGetAddressRange, address_range(base, size, address));
	return status == CUDA_ERROR_INVALID_VALUE ? CUDA_ERROR_NOT_FOUND : status;
}

/* ---- copies --------------------------------------------------------------------- */

EXPORT CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t size)
{
	return DRIVER(cuMemcpy,
				  cudaMemcpy(driver_pointer(to), driver_pointer(from), size, cudaMemcpyDefault));
}
EXPORT_ALIAS(cuMemcpy, cuMemcpy_ptds);

EXPORT CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream)
{
	return DRIVER(cuMemcpyAsync, cudaMemcpyAsync(driver_pointer(to), driver_pointer(from), size,
												 cudaMemcpyDefault, stream));
}
EXPORT_ALIAS(cuMemcpyAsync, cuMemcpyAsync_ptsz);

EXPORT CUresult cuMemcpyWithAttributesAsync(CUdeviceptr to, CUdeviceptr from, size_t size,
											CUmemcpyAttributes *attributes, CUstream stream)
{
	_Static_assert(sizeof *attributes == sizeof(struct cudaMemcpyAttributes),
				   "the driver's structure is the runtime's");
	return DRIVER(cuMemcpyWithAttributesAsync,
				  cudaMemcpyWithAttributesAsync(driver_pointer(to), driver_pointer(from), size,
												(struct cudaMemcpyAttributes *)(void *)attributes,
												stream));
}
EXPORT_ALIAS(cuMemcpyWithAttributesAsync, cuMemcpyWithAttributesAsync_ptsz);

EXPORT CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t size)
{
	return DRIVER(cuMemcpyHtoD, cudaMemcpy(driver_pointer(to), from, size, cudaMemcpyHostToDevice));
}
PTDS(cuMemcpyHtoD);

EXPORT CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t size)
{
	return DRIVER(cuMemcpyDtoH, cudaMemcpy(to, driver_pointer(from), size, cudaMemcpyDeviceToHost));
}
PTDS(cuMemcpyDtoH);

EXPORT CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t size)
{
	return DRIVER(cuMemcpyDtoD, cudaMemcpy(driver_pointer(to), driver_pointer(from), size,
										   cudaMemcpyDeviceToDevice));
}
PTDS(cuMemcpyDtoD);

EXPORT CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t size, CUstream stream)
{
	return DRIVER(cuMemcpyHtoDAsync,
				  cudaMemcpyAsync(driver_pointer(to), from, size, cudaMemcpyHostToDevice, stream));
}
PTSZ(cuMemcpyHtoDAsync);

EXPORT CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t size, CUstream stream)
{
	return DRIVER(cuMemcpyDtoHAsync,
				  cudaMemcpyAsync(to, driver_pointer(from), size, cudaMemcpyDeviceToHost, stream));
}
PTSZ(cuMemcpyDtoHAsync);

EXPORT CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream)
{
	return DRIVER(cuMemcpyDtoDAsync, cudaMemcpyAsync(driver_pointer(to), driver_pointer(from), size,
													 cudaMemcpyDeviceToDevice, stream));
}
PTSZ(cuMemcpyDtoDAsync);

/* One side of a two-dimensional copy; `device` and `host`: what its memory type allows it to be.
 * NULL: an array. */
static char *side(CUmemorytype type, const void *host, CUdeviceptr device, size_t x, size_t y,
				  size_t pitch)
{
	const char *start = type == CU_MEMORYTYPE_HOST ? host : driver_pointer(device);
	return type == CU_MEMORYTYPE_ARRAY || start == NULL ? NULL : (char *)start + y * pitch + x;
}

static enum cudaMemcpyKind kind_of(CUmemorytype from, CUmemorytype to)
{
	if (from == CU_MEMORYTYPE_UNIFIED || to == CU_MEMORYTYPE_UNIFIED)
		return cudaMemcpyDefault;
	if (from == CU_MEMORYTYPE_HOST)
		return to == CU_MEMORYTYPE_HOST ? cudaMemcpyHostToHost : cudaMemcpyHostToDevice;
	return to == CU_MEMORYTYPE_HOST ? cudaMemcpyDeviceToHost : cudaMemcpyDeviceToDevice;
}

static cudaError_t copy_2d(const CUDA_MEMCPY2D *copy, CUstream stream)
{
	size_t from_pitch = copy->srcPitch ? copy->srcPitch : copy->WidthInBytes;
	size_t to_pitch = copy->dstPitch ? copy->dstPitch : copy->WidthInBytes;
	const char *from = side(copy->srcMemoryType, copy->srcHost, copy->srcDevice, copy->srcXInBytes,
							copy->srcY, from_pitch);
	char *to = side(copy->dstMemoryType, copy->dstHost, copy->dstDevice, copy->dstXInBytes,
					copy->dstY, to_pitch);
	if (from == NULL || to == NULL) {
		runtime_say("%s: copies from and to arrays are not emulated",
					runtime_call_name("cuMemcpy2D"));
		return cudaErrorNotSupported;
	}
	return cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, copy->WidthInBytes, copy->Height,
							 kind_of(copy->srcMemoryType, copy->dstMemoryType), stream);
}

EXPORT CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D *copy)
{
	return copy != NULL ? DRIVER(cuMemcpy2D, copy_2d(copy, NULL)) : CUDA_ERROR_INVALID_VALUE;
}
PTDS(cuMemcpy2D);
EXPORT_ALIAS(cuMemcpy2D_v2, cuMemcpy2DUnaligned_v2);
EXPORT_ALIAS(cuMemcpy2D_v2, cuMemcpy2DUnaligned_v2_ptds);

EXPORT CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *copy, CUstream stream)
{
	return copy != NULL ? DRIVER(cuMemcpy2DAsync, copy_2d(copy, stream)) : CUDA_ERROR_INVALID_VALUE;
}
PTSZ(cuMemcpy2DAsync);

/* ---- fills ---------------------------------------------------------------------- */

/* cuMemsetD8, D2D8 and their asynchronous forms, of elements of `type`. */
#define FILLS(bits, type)                                                                          \
	EXPORT CUresult cuMemsetD2D##bits##Async(CUdeviceptr to, size_t pitch, type value,             \
											 size_t width, size_t height, CUstream stream)         \
	{                                                                                              \
		return DRIVER(cuMemsetD2D##bits,                                                           \
					  fill_issue("", stream,                                                       \
								 &(struct fill){driver_pointer(to), pitch, value, sizeof(type),    \
												width, height}));                                  \
	}                                                                                              \
	EXPORT_ALIAS(cuMemsetD2D##bits##Async, cuMemsetD2D##bits##Async_ptsz);                         \
	EXPORT CUresult cuMemsetD2D##bits##_v2(CUdeviceptr to, size_t pitch, type value, size_t width, \
										   size_t height)                                          \
	{                                                                                              \
		return cuMemsetD2D##bits##Async(to, pitch, value, width, height, NULL);                    \
	}                                                                                              \
	PTDS(cuMemsetD2D##bits);                                                                       \
	EXPORT CUresult cuMemsetD##bits##Async(CUdeviceptr to, type value, size_t count,               \
										   CUstream stream)                                        \
	{                                                                                              \
		return DRIVER(cuMemsetD##bits, fill_issue("", stream,                                      \
												  &(struct fill){driver_pointer(to), 0, value,     \
																 sizeof(type), count, 1}));        \
	}                                                                                              \
	EXPORT_ALIAS(cuMemsetD##bits##Async, cuMemsetD##bits##Async_ptsz);                             \
	EXPORT CUresult cuMemsetD##bits##_v2(CUdeviceptr to, type value, size_t count)                 \
	{                                                                                              \
		return cuMemsetD##bits##Async(to, value, count, NULL);                                     \
	}                                                                                              \
	PTDS(cuMemsetD##bits)

FILLS(8, unsigned char);
FILLS(16, unsigned short);
FILLS(32, unsigned);

/* ---- what a pointer is ------------------------------------------------------------ */

/* Writes the attribute; `bytes` of it are cleared where the pointer is none of CUDA's. */
static cudaError_t pointer_attribute(void *out, CUpointer_attribute attribute, CUdeviceptr address)
{
	struct cudaPointerAttributes facts;
	CUdeviceptr base = 0;
	size_t size = 0;
	CUcontext context = NULL;
	cudaError_t status = cudaPointerGetAttributes(&facts, driver_pointer(address));
	if (status != cudaSuccess || facts.type == cudaMemoryTypeUnregistered)
		return status != cudaSuccess ? status : cudaErrorInvalidValue;
	address_range(&base, &size, address);
	switch (attribute) {
	case CU_POINTER_ATTRIBUTE_CONTEXT:
		cuCtxGetCurrent(&context);
		memcpy(out, &context, sizeof context);
		return cudaSuccess;
	case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
		*(unsigned *)out =
			facts.type == cudaMemoryTypeHost ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
		return cudaSuccess;
	case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
		memcpy(out, &address, sizeof address);
		return cudaSuccess;
	case CU_POINTER_ATTRIBUTE_HOST_POINTER:
		memcpy(out, &facts.hostPointer, sizeof facts.hostPointer);
		return facts.hostPointer != NULL ? cudaSuccess : cudaErrorInvalidValue;
	case CU_POINTER_ATTRIBUTE_IS_MANAGED:
		*(unsigned *)out = facts.type == cudaMemoryTypeManaged;
		return cudaSuccess;
	case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: *(int *)out = 0; return cudaSuccess;
	case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR: memcpy(out, &base, sizeof base); return cudaSuccess;
	case CU_POINTER_ATTRIBUTE_RANGE_SIZE: memcpy(out, &size, sizeof size); return cudaSuccess;
	case CU_POINTER_ATTRIBUTE_MAPPED: *(unsigned *)out = 1; return cudaSuccess;
	default: break;
	}
	runtime_say("cuPointerGetAttribute: attribute %d is not emulated", (int)attribute);
	return cudaErrorNotSupported;
}

EXPORT CUresult cuPointerGetAttribute(void *out, CUpointer_attribute attribute, CUdeviceptr address)
{
	if (out == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult status = driver_begin("cuPointerGetAttribute");
	if (status != CUDA_SUCCESS)
		return status;
	return driver_end(pointer_attribute(out, attribute, address));
}

/* Hints. */
EXPORT CUresult cuPointerSetAttribute(const void *value, CUpointer_attribute attribute,
									  CUdeviceptr address)
{
	(void)attribute;
	return value != NULL ? DRIVER(cuPointerSetAttribute, address_range(NULL, NULL, address))
						 : CUDA_ERROR_INVALID_VALUE;
}
