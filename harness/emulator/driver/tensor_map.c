/* Tensor maps. They are made on the host alone: no context is needed, nor cuInit(). */
#include "emulator/driver/driver.h"
#include "emulator/tensor/map.h"

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

static CUresult encode(const char *call, const struct tensor_map *map, CUtensorMap *out)
{
	const char *wrong = (uintptr_t)out % 64 ? "the tensor map is not aligned to 64 bytes"
											: tensor_map_encode(map, out);
	if (wrong == NULL)
		return CUDA_SUCCESS;
	runtime_say("%s: %s", call, wrong);
	return CUDA_ERROR_INVALID_VALUE;
}

/* Without interleaving the stride of dimension 0 is ignored, as the driver does. */
EXPORT CUresult cuTensorMapEncodeTiled(CUtensorMap *out, CUtensorMapDataType type, cuuint32_t rank,
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
	if (out == NULL || sizes == NULL || box == NULL || steps == NULL || rank == 0 ||
		rank > TENSOR_MAP_RANK || (rank > 1 && strides == NULL))
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
	return encode("cuTensorMapEncodeTiled", &map, out);
}

EXPORT CUresult cuTensorMapReplaceAddress(CUtensorMap *out, void *address)
{
	struct tensor_map map;
	if (out == NULL || !tensor_map_decode(out, &map))
		return CUDA_ERROR_INVALID_VALUE;
	map.address = (uint64_t)(uintptr_t)address;
	return encode("cuTensorMapReplaceAddress", &map, out);
}
