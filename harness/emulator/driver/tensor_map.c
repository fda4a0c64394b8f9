/* Tensor maps. They are made on the host alone: no context is needed, nor cuInit(). */
#include "emulator/driver/driver.h"
#include "emulator/tensor/map.h"

struct element {
	uint32_t bytes; /* 0: no type of this GPU */
	enum atomic_number number;
	bool tf32, flush;
};

/* The types that pack 4 and 6 bits come with later GPUs; an H200's driver has an invalid value for
 * them. */
static struct element element_of(CUtensorMapDataType type)
{
	switch (type) {
	case CU_TENSOR_MAP_DATA_TYPE_UINT8: return (struct element){1, ATOM_UNSIGNED, false, false};
	case CU_TENSOR_MAP_DATA_TYPE_UINT16: return (struct element){2, ATOM_UNSIGNED, false, false};
	case CU_TENSOR_MAP_DATA_TYPE_UINT32: return (struct element){4, ATOM_UNSIGNED, false, false};
	case CU_TENSOR_MAP_DATA_TYPE_INT32: return (struct element){4, ATOM_SIGNED, false, false};
	case CU_TENSOR_MAP_DATA_TYPE_UINT64: return (struct element){8, ATOM_UNSIGNED, false, false};
	case CU_TENSOR_MAP_DATA_TYPE_INT64: return (struct element){8, ATOM_SIGNED, false, false};
	case CU_TENSOR_MAP_DATA_TYPE_FLOAT16: return (struct element){2, ATOM_F16, false, false};
	case CU_TENSOR_MAP_DATA_TYPE_BFLOAT16: return (struct element){2, ATOM_BF16, false, false};
	case CU_TENSOR_MAP_DATA_TYPE_FLOAT32: return (struct element){4, ATOM_FLOAT, false, false};
	case CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ: return (struct element){4, ATOM_FLOAT, false, true};
	case CU_TENSOR_MAP_DATA_TYPE_TFLOAT32: return (struct element){4, ATOM_FLOAT, true, false};
	case CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ: return (struct element){4, ATOM_FLOAT, true, true};
	case CU_TENSOR_MAP_DATA_TYPE_FLOAT64: return (struct element){8, ATOM_FLOAT, false, false};
	default: return (struct element){0, ATOM_UNSIGNED, false, false};
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

static CUresult refuse(const char *call, const char *why)
{
	runtime_say("%s: %s", call, why);
	return CUDA_ERROR_INVALID_VALUE;
}

static CUresult encode(const char *call, const struct tensor_map *map, CUtensorMap *out)
{
	const char *wrong = (uintptr_t)out % 64 ? "the tensor map is not aligned to 64 bytes"
											: tensor_map_encode(map, out);
	return wrong != NULL ? refuse(call, wrong) : CUDA_SUCCESS;
}

#define TILED "cuTensorMapEncodeTiled"

/* Whether the elements may lie so in memory, by an H200's driver. Interleaved layouts, which it
 * takes from 3 dimensions on, are not emulated. */
static CUresult set_layout(struct tensor_map *map, CUtensorMapInterleave interleave,
						   CUtensorMapSwizzle swizzle)
{
	if (map->element_bytes == 0)
		return refuse(TILED, "this GPU has no such element type");
	if (!swizzle_of(swizzle, &map->swizzle))
		return refuse(TILED, "this GPU has no such swizzle");
	if (interleave == CU_TENSOR_MAP_INTERLEAVE_NONE)
		return CUDA_SUCCESS;
	if (map->rank < 3)
		return refuse(TILED, "an interleaved layout needs a rank of 3 or more");
	runtime_say(TILED ": interleaved layouts are not emulated");
	return CUDA_ERROR_NOT_SUPPORTED;
}

/* Without interleaving a valid step of dimension 0 is ignored, as the driver does. An H200's
 * refuses 9; 0 is taken to be no better, as the driver API says so. */
static uint32_t step_of(const cuuint32_t *steps, unsigned dimension)
{
	bool ignored = dimension == 0 && steps[0] >= 1 && steps[0] <= TENSOR_MAP_STEP_MAX;
	return ignored ? 1 : steps[dimension];
}

/* The strides may not be NULL, even where the rank is 1 and none is read, as an H200's driver has
 * it. */
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
							 .tf32 = element.tf32,
							 .flush = element.flush};
	(void)promotion;
	if (out == NULL || sizes == NULL || box == NULL || steps == NULL || rank == 0 ||
		rank > TENSOR_MAP_RANK)
		return CUDA_ERROR_INVALID_VALUE;
	if (strides == NULL)
		return refuse(TILED, "globalStrides is NULL; where the rank is 1, let it point to any "
							 "number");
	CUresult status = set_layout(&map, interleave, swizzle);
	if (status != CUDA_SUCCESS)
		return status;
	for (unsigned i = 0; i < rank; i++) {
		map.size[i] = sizes[i];
		map.stride[i] = i ? strides[i - 1] : element.bytes;
		map.box[i] = box[i];
		map.step[i] = step_of(steps, i);
	}
	return encode(TILED, &map, out);
}

EXPORT CUresult cuTensorMapReplaceAddress(CUtensorMap *out, void *address)
{
	struct tensor_map map;
	if (out == NULL || !tensor_map_decode(out, &map))
		return CUDA_ERROR_INVALID_VALUE;
	map.address = (uint64_t)(uintptr_t)address;
	return encode("cuTensorMapReplaceAddress", &map, out);
}
