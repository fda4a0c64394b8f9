/* links: emulator_core */
#include <criterion/criterion.h>
#include <string.h>

#include "emulator/tensor/map.h"

static _Alignas(16) uint16_t tensor[7][5][24]; /* 24 f16 a row, 16-byte multiples apart */
static uint8_t shared[1 << 16];

static struct tensor_map example(void)
{
	return (struct tensor_map){
		.address = (uint64_t)(uintptr_t)tensor,
		.size = {20, 5, 7},
		.stride = {2, sizeof tensor[0][0], sizeof tensor[0]},
		.box = {16, 3, 2},
		.step = {1, 1, 1},
		.rank = 3,
		.element_bytes = 2,
		.number = ATOM_F16,
	};
}

static struct tensor_map coded(const struct tensor_map *map)
{
	uint8_t bytes[TENSOR_MAP_BYTES];
	struct tensor_map out;
	const char *wrong = tensor_map_encode(map, bytes);
	cr_assert_null(wrong, "%s", wrong);
	cr_assert(tensor_map_decode(bytes, &out));
	bytes[40] ^= 1;
	struct tensor_map damaged;
	cr_assert_not(tensor_map_decode(bytes, &damaged));
	return out;
}

static bool load(void *context, const struct tensor_span *span)
{
	const struct tensor_map *map = context;
	if (span->inside)
		memcpy(shared + span->shared, (void *)(uintptr_t)span->global, span->bytes);
	else
		tensor_map_fill(map, shared + span->shared, span->bytes);
	return true;
}

static bool store(void *context, const struct tensor_span *span)
{
	(void)context;
	if (span->inside)
		memcpy((void *)(uintptr_t)span->global, shared + span->shared, span->bytes);
	return true;
}

static void number_tensor(void)
{
	for (int z = 0; z < 7; z++)
		for (int y = 0; y < 5; y++)
			for (int x = 0; x < 24; x++)
				tensor[z][y][x] = (uint16_t)(z * 1000 + y * 100 + x + 1);
}

static uint16_t box_at(uint32_t start, uint32_t index, uint32_t units)
{
	uint32_t offset = start + index * 2, line = offset / 128;
	uint16_t value;
	offset ^= line % units * 16;
	memcpy(&value, shared + offset, sizeof value);
	return value;
}

static void check_load(struct tensor_map map, int x, int y, int z, uint32_t units)
{
	map = coded(&map);
	int32_t at[3] = {x, y, z};
	memset(shared, 0xEE, sizeof shared);
	number_tensor();
	cr_assert(tensor_map_walk(&map, at, 1024, load, &map));
	uint32_t index = 0;
	for (uint32_t k = 0; k < map.box[2]; k += map.step[2])
		for (uint32_t j = 0; j < map.box[1]; j += map.step[1])
			for (uint32_t i = 0; i < map.box[0]; i += map.step[0]) {
				int a = x + (int)i, b = y + (int)j, c = z + (int)k;
				bool inside = a >= 0 && a < 20 && b >= 0 && b < 5 && c >= 0 && c < 7;
				uint16_t want = inside ? tensor[c][b][a] : map.fill_nan ? 0x7FF7 : 0;
				cr_assert_eq(box_at(1024, index, units), want, "%d %d %d", a, b, c);
				index++;
			}
	cr_assert_eq(tensor_map_box_bytes(&map), index * 2);
	cr_assert_eq(shared[1023], 0xEE);
	cr_assert_eq(shared[1024 + index * 2 + 128], 0xEE);
}

Test(tensor_map, loads_with_every_swizzle_and_fill)
{
	static const enum tensor_swizzle modes[] = {TENSOR_SWIZZLE_NONE, TENSOR_SWIZZLE_32,
												TENSOR_SWIZZLE_64, TENSOR_SWIZZLE_128};
	static const uint32_t units[] = {1, 2, 4, 8};
	for (int i = 0; i < 4; i++) {
		struct tensor_map map = example();
		map.swizzle = modes[i];
		for (int corner = -17; corner < 24; corner += 5) {
			check_load(map, corner, 1, 2, units[i]);
			map.fill_nan = !map.fill_nan;
			check_load(map, 0, corner / 4, corner / 3, units[i]);
		}
		map.box[0] = 32;
		if (modes[i] == TENSOR_SWIZZLE_NONE || modes[i] == TENSOR_SWIZZLE_64)
			check_load(map, 3, -1, 6, units[i]);
	}
}

Test(tensor_map, keeps_nothing_in_the_bit_that_cutlass_clears)
{
	struct tensor_map map = example();
	map.size[0] = (1u << 21) + 8; /* the bit is set in as much as can be */
	for (int i = 1; i < 3; i++)
		map.stride[i] = (uint64_t)3 << 21;
	for (int high = 22; high < 47; high++) {
		uint64_t words[TENSOR_MAP_BYTES / 8];
		struct tensor_map out;
		map.address = (uint64_t)1 << 21 | (uint64_t)1 << high;
		cr_assert_null(tensor_map_encode(&map, words));
		words[1] &= ~((uint64_t)1 << 21);
		cr_assert(tensor_map_decode(words, &out));
		cr_assert_eq(out.address, map.address);
		cr_assert_eq(out.size[0], map.size[0]);
		cr_assert_eq(out.stride[1], map.stride[1]);
	}
}

Test(tensor_map, element_strides)
{
	struct tensor_map map = example();
	map.step[0] = 2, map.step[1] = 2;
	check_load(map, 1, 0, 0, 1);
	check_load(map, 9, 3, 5, 1);
}

Test(tensor_map, stores_what_is_inside)
{
	struct tensor_map map = example();
	map.swizzle = TENSOR_SWIZZLE_128;
	map = coded(&map);
	int32_t at[3] = {12, 3, 6};
	memset(tensor, 0, sizeof tensor);
	memset(shared, 0x11, sizeof shared);
	cr_assert(tensor_map_walk(&map, at, 0, store, NULL));
	for (int z = 0; z < 7; z++)
		for (int y = 0; y < 5; y++)
			for (int x = 0; x < 24; x++)
				cr_assert_eq(tensor[z][y][x], x >= 12 && x < 20 && y >= 3 && z == 6 ? 0x1111 : 0);
}

Test(tensor_map, ranks_one_and_five)
{
	struct tensor_map map = example();
	map.rank = 1;
	struct tensor_map one = coded(&map);
	int32_t at[5] = {4, 0, 0, 0, 0};
	number_tensor();
	cr_assert(tensor_map_walk(&one, at, 0, load, &one));
	cr_assert_eq(box_at(0, 15, 1), tensor[0][0][19]);
	map = example();
	map.rank = 5;
	for (int i = 3; i < 5; i++)
		map.size[i] = 1, map.stride[i] = sizeof tensor, map.box[i] = 1, map.step[i] = 1;
	struct tensor_map five = coded(&map);
	memset(at, 0, sizeof at);
	cr_assert(tensor_map_walk(&five, at, 0, load, &five));
	cr_assert_eq(box_at(0, 95, 1), tensor[1][2][15]);
	at[4] = 1;
	cr_assert(tensor_map_walk(&five, at, 0, load, &five));
	cr_assert_eq(box_at(0, 95, 1), 0);
}

#define REFUSED(change)                                                                            \
	do {                                                                                           \
		struct tensor_map map = example();                                                         \
		uint8_t bytes[TENSOR_MAP_BYTES];                                                           \
		change;                                                                                    \
		cr_assert_not_null(tensor_map_encode(&map, bytes), #change);                               \
	} while (0)

Test(tensor_map, refuses_what_the_driver_refuses)
{
	REFUSED(map.address += 8);
	REFUSED(map.rank = 0);
	REFUSED(map.rank = 6);
	REFUSED(map.size[1] = 0);
	REFUSED(map.stride[1] = 40);
	REFUSED(map.box[1] = 257);
	REFUSED(map.box[0] = 12);
	REFUSED(map.step[0] = 9);
	REFUSED((map.swizzle = TENSOR_SWIZZLE_32, map.box[0] = 24));
	REFUSED((map.fill_nan = true, map.number = ATOM_UNSIGNED));
	REFUSED((map.box[0] = 256, map.box[1] = 256, map.box[2] = 2)); /* 256 KiB */
}

Test(tensor_map, takes_what_the_driver_takes)
{
	struct tensor_map map = example(), out;
	map.address = 0;
	out = coded(&map);
	cr_expect_eq(out.address, 0);
	map = example();
	map.box[0] = 256, map.box[1] = 255, map.box[2] = 1;
	map.step[1] = 8;
	cr_expect_eq(coded(&map).box[1], 255);
	map = example();
	map.number = ATOM_FLOAT, map.element_bytes = 4, map.box[0] = 4;
	map.flush = true;
	cr_expect(coded(&map).flush && !coded(&map).tf32);
}

/* Each 16 bits of the fill, whatever the element's width: an H200's values. */
Test(tensor_map, fills_with_the_same_nan_in_every_type)
{
	static const uint32_t widths[] = {2, 4, 8};
	uint32_t words[4];
	for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
		struct tensor_map map = {
			.element_bytes = widths[i], .number = ATOM_FLOAT, .fill_nan = true};
		tensor_map_fill(&map, words, sizeof words);
		for (int k = 0; k < 4; k++)
			cr_expect_eq(words[k], 0x7FF77FF7, "%u bytes: %x", widths[i], words[k]);
	}
}

/* .elemtype numbers of the types of f32: 7 and 8 (.f32.ftz), 11 and 12 (.tf32.ftz). */
Test(tensor_map, a_kernel_replaces_the_type_by_one_that_flushes)
{
	static const struct {
		uint64_t value;
		bool tf32, flush;
	} types[] = {{7, false, false}, {8, false, true}, {11, true, false}, {12, true, true}};
	struct tensor_map map = example(), out;
	uint8_t bytes[TENSOR_MAP_BYTES];
	cr_assert_null(tensor_map_encode(&map, bytes));
	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		cr_assert_null(tensor_map_replace(bytes, TENSOR_MAP_ELEMENT, 0, types[i].value));
		cr_assert(tensor_map_decode(bytes, &out));
		cr_expect(out.element_bytes == 4 && out.number == ATOM_FLOAT);
		cr_expect(out.tf32 == types[i].tf32 && out.flush == types[i].flush);
	}
}

/* PTX ISA, "tensormap.replace": the rank is one less; sizes, boxes and steps are as they are; the
 * first stride is that of dimension 1. */
Test(tensor_map, a_kernel_replaces_its_fields)
{
	static const struct {
		enum tensor_map_field field;
		unsigned dimension;
		uint64_t value;
	} changes[] = {
		{TENSOR_MAP_ADDRESS, 0, 4096}, {TENSOR_MAP_RANK_FIELD, 0, 1}, {TENSOR_MAP_BOX, 1, 5},
		{TENSOR_MAP_SIZE, 0, 77},      {TENSOR_MAP_STRIDE, 0, 160},   {TENSOR_MAP_STEP, 1, 2},
		{TENSOR_MAP_ELEMENT, 0, 10},   {TENSOR_MAP_SWIZZLE, 0, 1},    {TENSOR_MAP_FILL, 0, 1},
	};
	struct tensor_map map = example(), out;
	uint8_t bytes[TENSOR_MAP_BYTES];
	cr_assert_null(tensor_map_encode(&map, bytes));
	for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
		cr_assert_null(
			tensor_map_replace(bytes, changes[i].field, changes[i].dimension, changes[i].value));
	cr_assert(tensor_map_decode(bytes, &out));
	cr_expect_null(tensor_map_check(&out));
	cr_expect(out.address == 4096 && out.rank == 2 && out.box[1] == 5 && out.size[0] == 77);
	cr_expect(out.stride[1] == 160 && out.step[1] == 2 && out.number == ATOM_BF16);
	cr_expect(out.swizzle == TENSOR_SWIZZLE_32 && out.fill_nan && out.size[1] == 5);
	cr_expect_null(tensor_map_replace(bytes, TENSOR_MAP_STRIDE, 0, 168));
	cr_assert(tensor_map_decode(bytes, &out));
	cr_expect_not_null(tensor_map_check(&out));
	cr_expect_not_null(tensor_map_replace(bytes, TENSOR_MAP_STRIDE, 4, 160));
	cr_expect_not_null(tensor_map_replace(bytes, TENSOR_MAP_BOX, 5, 1));
	cr_expect_not_null(tensor_map_replace(bytes, TENSOR_MAP_SIZE, 1, 0));
	cr_expect_not_null(tensor_map_replace(bytes, TENSOR_MAP_ELEMENT, 0, 13));
	cr_expect_not_null(tensor_map_replace(bytes, TENSOR_MAP_INTERLEAVE, 0, 1));
	cr_expect_not_null(tensor_map_replace(bytes, TENSOR_MAP_SWIZZLE, 0, 4));
	bytes[0] ^= 1;
	cr_expect_not_null(tensor_map_replace(bytes, TENSOR_MAP_FILL, 0, 0));
}
