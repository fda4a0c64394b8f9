#include "emulator/tensor/map.h"

#include <string.h>

#define MAGIC 0x70616D726F536E74u /* "tnSormap" */
#define BOX_MAX 256u
#define BOX_BYTES_LIMIT ((uint64_t)256 << 10)
#define SIZE_MAX_ELEMENTS ((uint64_t)1 << 32)
#define STRIDE_LIMIT ((uint64_t)1 << 40)

/* For drivers up to 13.1 CUTLASS clears bit 21 of the second word of maps of small tensors
 * (copy_traits_sm90_tma.hpp): nothing is kept in that bit. */
struct encoded {
	uint64_t address, magic;
	uint64_t stride[TENSOR_MAP_RANK - 1];
	uint32_t last[TENSOR_MAP_RANK]; /* size - 1, which fits */
	uint16_t box[TENSOR_MAP_RANK];
	uint8_t step[TENSOR_MAP_RANK];
	uint8_t rank, element_bytes, swizzle, number, fill_nan, tf32, flush;
	uint32_t check;
};
_Static_assert(sizeof(struct encoded) <= TENSOR_MAP_BYTES, "a tensor map has 128 bytes");
_Static_assert(offsetof(struct encoded, magic) == 8 && (MAGIC >> 21 & 1) == 0,
			   "bit 21 of the second word is 0 in every map");

/* Tells a tensor map from memory that something else has written to. */
static uint32_t checksum(const struct encoded *encoded)
{
	const uint8_t *bytes = (const uint8_t *)encoded;
	uint32_t sum = 2166136261u;
	for (size_t i = 0; i < offsetof(struct encoded, check); i++)
		sum = (sum ^ bytes[i]) * 16777619u;
	return sum;
}

static uint32_t swizzle_span(enum tensor_swizzle mode)
{
	static const uint32_t bytes[] = {
		[TENSOR_SWIZZLE_NONE] = UINT32_MAX,
		[TENSOR_SWIZZLE_128] = 128,
		[TENSOR_SWIZZLE_64] = 64,
		[TENSOR_SWIZZLE_32] = 32,
	};
	return bytes[mode];
}

static uint32_t copied(const struct tensor_map *map, unsigned dimension)
{
	return (map->box[dimension] + map->step[dimension] - 1) / map->step[dimension];
}

static const char *check_dimension(const struct tensor_map *map, unsigned i)
{
	if (map->size[i] == 0 || map->size[i] > SIZE_MAX_ELEMENTS)
		return "a globalDim is 0 or above 2^32";
	if (map->box[i] == 0 || map->box[i] > BOX_MAX)
		return "a boxDim is 0 or above 256";
	if (map->step[i] == 0 || map->step[i] > TENSOR_MAP_STEP_MAX)
		return "an elementStride is 0 or above 8";
	if (i > 0 && (map->stride[i] % 16 != 0 || map->stride[i] >= STRIDE_LIMIT))
		return "a globalStride is no multiple of 16 bytes, or is 2^40 or more";
	return NULL;
}

/* As an H200's driver has it: an address of 0 is taken, and a box of 256 KiB is refused. Boxes
 * between that and a block's shared memory were not looked at. */
const char *tensor_map_check(const struct tensor_map *map)
{
	if (map->rank == 0 || map->rank > TENSOR_MAP_RANK)
		return "the rank is not 1 to 5";
	if (map->address % 16 != 0)
		return "globalAddress is not a multiple of 16";
	for (unsigned i = 0; i < map->rank; i++) {
		const char *wrong = check_dimension(map, i);
		if (wrong != NULL)
			return wrong;
	}
	uint64_t inner = (uint64_t)map->box[0] * map->element_bytes;
	if (inner % 16 != 0)
		return "the inner box dimension is no multiple of 16 bytes";
	if (inner > swizzle_span(map->swizzle))
		return "the inner box dimension is wider than the swizzle pattern";
	if (tensor_map_box_bytes(map) >= BOX_BYTES_LIMIT)
		return "the box has 256 KiB or more, which no shared memory holds";
	if (map->fill_nan && map->number < ATOM_FLOAT)
		return "a NaN fill for an integer type";
	return NULL;
}

const char *tensor_map_encode(const struct tensor_map *map, void *out)
{
	const char *wrong = tensor_map_check(map);
	if (wrong != NULL)
		return wrong;
	struct encoded encoded;
	memset(&encoded, 0, sizeof encoded);
	encoded.magic = MAGIC;
	encoded.address = map->address;
	for (unsigned i = 0; i < map->rank; i++) {
		encoded.last[i] = (uint32_t)(map->size[i] - 1);
		encoded.box[i] = (uint16_t)map->box[i];
		encoded.step[i] = (uint8_t)map->step[i];
		if (i > 0)
			encoded.stride[i - 1] = map->stride[i];
	}
	encoded.rank = (uint8_t)map->rank;
	encoded.element_bytes = (uint8_t)map->element_bytes;
	encoded.swizzle = (uint8_t)map->swizzle;
	encoded.number = (uint8_t)map->number;
	encoded.fill_nan = map->fill_nan;
	encoded.tf32 = map->tf32;
	encoded.flush = map->flush;
	encoded.check = checksum(&encoded);
	memset(out, 0, TENSOR_MAP_BYTES);
	memcpy(out, &encoded, sizeof encoded);
	return NULL;
}

bool tensor_map_decode(const void *bytes, struct tensor_map *out)
{
	struct encoded encoded;
	memcpy(&encoded, bytes, sizeof encoded);
	*out = (struct tensor_map){0};
	if (encoded.magic != MAGIC || encoded.check != checksum(&encoded))
		return false;
	out->address = encoded.address;
	out->rank = encoded.rank;
	out->element_bytes = encoded.element_bytes;
	out->swizzle = (enum tensor_swizzle)encoded.swizzle;
	out->number = (enum atomic_number)encoded.number;
	out->fill_nan = encoded.fill_nan;
	out->tf32 = encoded.tf32;
	out->flush = encoded.flush;
	for (unsigned i = 0; i < TENSOR_MAP_RANK; i++) {
		bool used = i < out->rank;
		out->size[i] = used ? (uint64_t)encoded.last[i] + 1 : 1;
		out->box[i] = used ? encoded.box[i] : 1;
		out->step[i] = used ? encoded.step[i] : 1;
		out->stride[i] = i == 0 ? out->element_bytes : used ? encoded.stride[i - 1] : 0;
	}
	return true;
}

/* PTX ISA, "tensormap.replace": the values of .elemtype. */
static bool replace_element(struct encoded *encoded, uint64_t value)
{
	static const struct {
		uint8_t bytes, number, tf32, flush;
	} elements[] = {
		{1, ATOM_UNSIGNED, 0, 0}, {2, ATOM_UNSIGNED, 0, 0}, {4, ATOM_UNSIGNED, 0, 0},
		{4, ATOM_SIGNED, 0, 0},   {8, ATOM_UNSIGNED, 0, 0}, {8, ATOM_SIGNED, 0, 0},
		{2, ATOM_F16, 0, 0},      {4, ATOM_FLOAT, 0, 0},    {4, ATOM_FLOAT, 0, 1},
		{8, ATOM_FLOAT, 0, 0},    {2, ATOM_BF16, 0, 0},     {4, ATOM_FLOAT, 1, 0},
		{4, ATOM_FLOAT, 1, 1},
	};
	if (value >= sizeof elements / sizeof *elements)
		return false;
	encoded->element_bytes = elements[value].bytes;
	encoded->number = elements[value].number;
	encoded->tf32 = elements[value].tf32;
	encoded->flush = elements[value].flush;
	return true;
}

/* The rank is one less, as are, inside, the sizes; strides are bytes, that of dimension 1 the
 * first. Numbers that do not fit become 0, which no map may have. */
static const char *replace(struct encoded *encoded, enum tensor_map_field field, unsigned dimension,
						   uint64_t value)
{
	static const uint8_t swizzles[] = {TENSOR_SWIZZLE_NONE, TENSOR_SWIZZLE_32, TENSOR_SWIZZLE_64,
									   TENSOR_SWIZZLE_128};
	switch (field) {
	case TENSOR_MAP_ADDRESS: encoded->address = value; return NULL;
	case TENSOR_MAP_RANK_FIELD:
		encoded->rank = (uint8_t)(value < TENSOR_MAP_RANK ? value + 1 : 0);
		return NULL;
	case TENSOR_MAP_BOX: encoded->box[dimension] = (uint16_t)(value <= BOX_MAX ? value : 0); break;
	case TENSOR_MAP_SIZE:
		if (value == 0)
			return "replaces a globalDim by 0";
		encoded->last[dimension] = (uint32_t)(value - 1);
		break;
	case TENSOR_MAP_STRIDE:
		if (dimension == TENSOR_MAP_RANK - 1)
			return "replaces the stride of a dimension that no tensor map has";
		encoded->stride[dimension] = value;
		break;
	case TENSOR_MAP_STEP:
		encoded->step[dimension] = (uint8_t)(value <= TENSOR_MAP_STEP_MAX ? value : 0);
		break;
	case TENSOR_MAP_ELEMENT:
		return replace_element(encoded, value) ? NULL : "this .elemtype is not emulated";
	case TENSOR_MAP_INTERLEAVE:
		return value == 0 ? NULL : "this .interleave_layout is not emulated";
	case TENSOR_MAP_SWIZZLE:
		if (value >= sizeof swizzles)
			return "this .swizzle_mode is not emulated";
		encoded->swizzle = swizzles[value];
		break;
	case TENSOR_MAP_FILL:
		if (value > 1)
			return "this .fill_mode does not exist";
		encoded->fill_nan = (uint8_t)value;
		break;
	case TENSOR_MAP_FIELD_COUNT: break;
	}
	return NULL;
}

const char *tensor_map_replace(void *bytes, enum tensor_map_field field, unsigned dimension,
							   uint64_t value)
{
	struct encoded encoded;
	memcpy(&encoded, bytes, sizeof encoded);
	if (encoded.magic != MAGIC || encoded.check != checksum(&encoded))
		return "there is no tensor map to replace a field of";
	if (dimension >= TENSOR_MAP_RANK)
		return "replaces a dimension that no tensor map has";
	const char *wrong = replace(&encoded, field, dimension, value);
	if (wrong != NULL)
		return wrong;
	encoded.check = checksum(&encoded);
	memcpy(bytes, &encoded, sizeof encoded);
	return NULL;
}

size_t tensor_map_box_bytes(const struct tensor_map *map)
{
	size_t bytes = map->element_bytes;
	for (unsigned i = 0; i < map->rank; i++)
		bytes *= copied(map, i);
	return bytes;
}

struct walk {
	const struct tensor_map *map;
	uint32_t start; /* where the box's pattern would start, unswizzled */
	bool (*visit)(void *context, const struct tensor_span *span);
	void *context;
};

/* Emits bytes that are contiguous in the unswizzled box, cut at the 16-byte units
 * that swizzling moves. */
static bool emit(const struct walk *walk, uint64_t global, uint32_t offset, uint32_t bytes,
				 bool inside)
{
	enum tensor_swizzle mode = walk->map->swizzle;
	while (bytes > 0) {
		uint32_t at = walk->start + offset, length = bytes;
		uint32_t unit_left = TENSOR_CHUNK - at % TENSOR_CHUNK;
		if (mode != TENSOR_SWIZZLE_NONE && length > unit_left)
			length = unit_left;
		struct tensor_span span = {global, tensor_swizzle(mode, at, 0), length, inside};
		if (!walk->visit(walk->context, &span))
			return false;
		global += length;
		offset += length;
		bytes -= length;
	}
	return true;
}

/* Part of dimension 0 that is inside the tensor: elements [*first, *end). */
static void inside_part(const struct tensor_map *map, int64_t start, uint32_t *first, uint32_t *end)
{
	int64_t low = start < 0 ? -start : 0, high = (int64_t)map->size[0] - start;
	int64_t width = map->box[0];
	high = high < 0 ? 0 : high > width ? width : high;
	*first = (uint32_t)(low > high ? high : low);
	*end = (uint32_t)high;
}

static bool walk_row(const struct walk *walk, int64_t start, uint64_t row_address, bool inside,
					 uint32_t offset)
{
	const struct tensor_map *map = walk->map;
	uint32_t bytes = map->element_bytes, first = 0, end = 0;
	if (inside)
		inside_part(map, start, &first, &end);
	if (map->step[0] == 1) {
		uint64_t global = row_address + (uint64_t)(start + first) * bytes;
		return emit(walk, 0, offset, first * bytes, false) &&
			   emit(walk, global, offset + first * bytes, (end - first) * bytes, true) &&
			   emit(walk, 0, offset + end * bytes, (map->box[0] - end) * bytes, false);
	}
	for (uint32_t i = 0; i < copied(map, 0); i++) {
		uint32_t at = i * map->step[0];
		uint64_t global = row_address + (uint64_t)(start + at) * bytes;
		if (!emit(walk, global, offset + i * bytes, bytes, at >= first && at < end))
			return false;
	}
	return true;
}

bool tensor_map_walk(const struct tensor_map *map, const int32_t *coordinates, uint32_t shared,
					 bool (*visit)(void *context, const struct tensor_span *span), void *context)
{
	struct walk walk = {map, shared, visit, context};
	uint32_t index[TENSOR_MAP_RANK] = {0};
	uint32_t row_bytes = copied(map, 0) * map->element_bytes, offset = 0;
	for (;;) {
		uint64_t address = map->address;
		bool inside = true;
		for (unsigned i = 1; i < map->rank; i++) {
			int64_t at = (int64_t)coordinates[i] + (int64_t)index[i] * map->step[i];
			inside = inside && at >= 0 && (uint64_t)at < map->size[i];
			address += (uint64_t)at * map->stride[i];
		}
		if (!walk_row(&walk, coordinates[0], address, inside, offset))
			return false;
		offset += row_bytes;
		unsigned i = 1;
		while (i < map->rank && ++index[i] == copied(map, i))
			index[i++] = 0;
		if (i >= map->rank)
			return true;
	}
}

/* The NaN is 0x7ff7 in each 16 bits, of f16 and bf16 as of f32, tf32 and f64: measured on an H200.
 */
void tensor_map_fill(const struct tensor_map *map, void *out, size_t bytes)
{
	uint8_t *at = out;
	memset(at, map->fill_nan ? 0x7F : 0, bytes);
	for (size_t i = 0; map->fill_nan && i < bytes; i += 2)
		at[i] = 0xF7;
}

/* To the nearest number of 10 bits behind the point, ties to even, as an H200 does; a carry goes
 * into the exponent, as it should. Infinities stay, and every NaN becomes the same one. */
static uint32_t round_to_tf32(uint32_t bits)
{
	const uint32_t infinity = 0x7F800000, magnitude = 0x7FFFFFFF, low = 0x1FFF;
	if ((bits & magnitude) >= infinity)
		return (bits & magnitude) == infinity ? bits : magnitude & ~low;
	return (bits + low / 2 + (bits >> 13 & 1)) & ~low;
}

void tensor_map_loaded(const struct tensor_map *map, void *elements, size_t bytes)
{
	uint8_t *at = elements;
	for (size_t i = 0; map->tf32 && i < bytes; i += sizeof(uint32_t)) {
		uint32_t element;
		memcpy(&element, at + i, sizeof element);
		element = round_to_tf32(element);
		memcpy(at + i, &element, sizeof element);
	}
}
