/* The few driver calls that programs fetch through the runtime instead of
 * linking libcuda, which a machine without a GPU does not have. */
#include <cuda.h>
#include <string.h>

#include "emulator/runtime/runtime.h"
#include "emulator/tensor/map.h"

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

struct element {
	uint32_t bytes; /* 0: not supported */
	enum atomic_number number;
};

/* The types that flush subnormals or pack 4 and 6 bits are left out. */
static struct element element_of(CUtensorMapDataType type)
{
	switch (type) {
	case CU_TENSOR_MAP_DATA_TYPE_UINT8: return (struct element){1, ATOM_UNSIGNED};
	case CU_TENSOR_MAP_DATA_TYPE_UINT16: return (struct element){2, ATOM_UNSIGNED};
	case CU_TENSOR_MAP_DATA_TYPE_UINT32: return (struct element){4, ATOM_UNSIGNED};
	case CU_TENSOR_MAP_DATA_TYPE_INT32: return (struct element){4, ATOM_SIGNED};
	case CU_TENSOR_MAP_DATA_TYPE_UINT64: return (struct element){8, ATOM_UNSIGNED};
	case CU_TENSOR_MAP_DATA_TYPE_INT64: return (struct element){8, ATOM_SIGNED};
	case CU_TENSOR_MAP_DATA_TYPE_FLOAT16: return (struct element){2, ATOM_F16};
	case CU_TENSOR_MAP_DATA_TYPE_BFLOAT16: return (struct element){2, ATOM_BF16};
	case CU_TENSOR_MAP_DATA_TYPE_FLOAT32:
	case CU_TENSOR_MAP_DATA_TYPE_TFLOAT32: return (struct element){4, ATOM_FLOAT};
	case CU_TENSOR_MAP_DATA_TYPE_FLOAT64: return (struct element){8, ATOM_FLOAT};
	default: return (struct element){0, ATOM_UNSIGNED};
	}
}

static bool swizzle_of(CUtensorMapSwizzle mode, enum tensor_swizzle *out)
{
	switch (mode) {
	case CU_TENSOR_MAP_SWIZZLE_NONE: *out = TENSOR_SWIZZLE_NONE; return true;
	case CU_TENSOR_MAP_SWIZZLE_32B: *out = TENSOR_SWIZZLE_32; return true;
	case CU_TENSOR_MAP_SWIZZLE_64B: *out = TENSOR_SWIZZLE_64; return true;
	case CU_TENSOR_MAP_SWIZZLE_128B: *out = TENSOR_SWIZZLE_128; return true;
	default: return false;
	}
}

static CUresult encode(const struct tensor_map *map, CUtensorMap *out)
{
	const char *wrong = (uintptr_t)out % 64 ? "the tensor map is not aligned to 64 bytes"
											: tensor_map_encode(map, out);
	if (!wrong)
		return CUDA_SUCCESS;
	runtime_say("cuTensorMapEncodeTiled: %s", wrong);
	return CUDA_ERROR_INVALID_VALUE;
}

/* Without interleaving the stride of dimension 0 is ignored, as the driver does. */
static CUresult driver_encode_tiled(CUtensorMap *out, CUtensorMapDataType type, cuuint32_t rank,
									void *address, const cuuint64_t *sizes,
									const cuuint64_t *strides, const cuuint32_t *box,
									const cuuint32_t *steps, CUtensorMapInterleave interleave,
									CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
									CUtensorMapFloatOOBfill fill)
{
	struct element element = element_of(type);
	struct tensor_map map = {.address = (uint64_t)(uintptr_t)address,
							 .rank = rank,
							 .element_bytes = element.bytes,
							 .number = element.number,
							 .fill_nan = fill != CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE,
							 .tf32 = type == CU_TENSOR_MAP_DATA_TYPE_TFLOAT32};
	(void)promotion;
	if (!out || !sizes || !box || !steps || rank == 0 || rank > TENSOR_MAP_RANK ||
		(rank > 1 && !strides))
		return CUDA_ERROR_INVALID_VALUE;
	if (!element.bytes || interleave != CU_TENSOR_MAP_INTERLEAVE_NONE ||
		!swizzle_of(swizzle, &map.swizzle)) {
		runtime_say("cuTensorMapEncodeTiled: this element type, interleave or swizzle is not "
					"emulated");
		return CUDA_ERROR_NOT_SUPPORTED;
	}
	for (unsigned i = 0; i < rank; i++) {
		map.size[i] = sizes[i];
		map.stride[i] = i ? strides[i - 1] : element.bytes;
		map.box[i] = box[i];
		map.step[i] = i ? steps[i] : 1;
	}
	return encode(&map, out);
}

static CUresult driver_replace_address(CUtensorMap *out, void *address)
{
	struct tensor_map map;
	if (!out || !tensor_map_decode(out, &map))
		return CUDA_ERROR_INVALID_VALUE;
	map.address = (uint64_t)(uintptr_t)address;
	return encode(&map, out);
}

static const struct {
	const char *name;
	void *function;
} driver_calls[] = {
	{"cuInit", (void *)driver_init},
	{"cuDriverGetVersion", (void *)driver_version},
	{"cuGetErrorName", (void *)driver_error_name},
	{"cuGetErrorString", (void *)driver_error_string},
	{"cuTensorMapEncodeTiled", (void *)driver_encode_tiled},
	{"cuTensorMapReplaceAddress", (void *)driver_replace_address},
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
