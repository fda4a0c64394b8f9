/* Tensor maps: what cuTensorMapEncodeTiled makes and cp.async.bulk.tensor reads.
 * NVIDIA does not publish the layout of the 128 bytes; this one is ours, which
 * is enough because both ends are ours. Tiled mode, without interleaving.
 * Source: CUDA driver API, "Tensor Map Object Management"; PTX ISA, "Tensors". */
#ifndef EMULATOR_TENSOR_MAP_H
#define EMULATOR_TENSOR_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "emulator/tensor/atomic_number.h"
#include "emulator/tensor/tensor.h"

#define TENSOR_MAP_BYTES 128
#define TENSOR_MAP_RANK 5
#define TENSOR_MAP_STEP_MAX 8u
#define TENSOR_MAP_ALIGNMENT 128u /* of the box in shared memory */

struct tensor_map {
	uint64_t address;                 /* global */
	uint64_t size[TENSOR_MAP_RANK];   /* elements; dimension 0 is contiguous */
	uint64_t stride[TENSOR_MAP_RANK]; /* bytes; [0] is the element's size */
	uint32_t box[TENSOR_MAP_RANK];    /* elements spanned in each dimension */
	uint32_t step[TENSOR_MAP_RANK];   /* every step-th of them is copied */
	uint32_t rank, element_bytes;
	enum atomic_number number; /* what the elements are: reductions name no type */
	enum tensor_swizzle swizzle;
	bool fill_nan;
	bool tf32;  /* f32 that loads round to tf32 */
	bool flush; /* f32 that reductions take, and leave, without subnormals */
};

/* Checks what the driver checks, and writes the 128 bytes. NULL on success, else
 * what is wrong, in a few words. */
const char *tensor_map_encode(const struct tensor_map *map, void *out);
/* False when the bytes are no tensor map. */
bool tensor_map_decode(const void *bytes, struct tensor_map *out);
/* What the driver would say against it, or NULL: of maps that a kernel has changed. */
const char *tensor_map_check(const struct tensor_map *map);

/* What tensormap.replace changes, and what it calls them. */
enum tensor_map_field {
	TENSOR_MAP_ADDRESS,
	TENSOR_MAP_RANK_FIELD,
	TENSOR_MAP_BOX,
	TENSOR_MAP_SIZE,
	TENSOR_MAP_STRIDE,
	TENSOR_MAP_STEP,
	TENSOR_MAP_ELEMENT,
	TENSOR_MAP_INTERLEAVE,
	TENSOR_MAP_SWIZZLE,
	TENSOR_MAP_FILL,
	TENSOR_MAP_FIELD_COUNT,
};
#define TENSOR_MAP_FIELDS                                                                          \
	{                                                                                              \
		"global_address", "rank", "box_dim", "global_dim", "global_stride", "element_stride",      \
			"elemtype", "interleave_layout", "swizzle_mode", "fill_mode"                           \
	}
static inline bool tensor_map_has_dimension(enum tensor_map_field field)
{
	return field >= TENSOR_MAP_BOX && field <= TENSOR_MAP_STEP;
}
/* Changes a field of the 128 bytes, as PTX numbers its values. NULL on success, else what is wrong;
 * whether the fields fit each other is looked at when the map is used. */
const char *tensor_map_replace(void *bytes, enum tensor_map_field field, unsigned dimension,
							   uint64_t value);

/* Bytes of the box in shared memory, those out of bounds included: what a load
 * adds to its mbarrier's transaction count. */
size_t tensor_map_box_bytes(const struct tensor_map *map);

/* A run of bytes that lie together on both sides. */
struct tensor_span {
	uint64_t global; /* meaningless when not inside */
	uint32_t shared; /* address, swizzled */
	uint32_t bytes;
	bool inside; /* of the tensor; a load fills, a store skips what is not */
};
/* Calls `visit` for every span of the box at `coordinates` (the first `rank` of
 * them, in elements) and shared address `shared`; stops when it returns false,
 * and returns that. */
bool tensor_map_walk(const struct tensor_map *map, const int32_t *coordinates, uint32_t shared,
					 bool (*visit)(void *context, const struct tensor_span *span), void *context);

/* What a load puts where a span is not inside: zeros, or NaNs when asked for. A span begins at an
 * element. */
void tensor_map_fill(const struct tensor_map *map, void *out, size_t bytes);
/* What a load makes of the whole elements that it has copied: nothing else, but for tf32,
 * which is rounded. Stores take the bits as they are, and reductions are taken to. */
void tensor_map_loaded(const struct tensor_map *map, void *elements, size_t bytes);

#endif
