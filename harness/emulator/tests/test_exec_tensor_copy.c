/* links: emulator_core */
/* Copies of tensors through tensor maps, and what maps may be. */
#include "exec_async.h"

#include "emulator/tensor/map.h"

/* A box of 8 x 4 of a tensor of 5 rows of 12 words, loaded at column `x` and row 3,
 * stored at "column, row". */
#define ACQUIRE "fence.proxy.tensormap::generic.acquire.gpu [%in], 128;\n"
#define TENSOR_LOAD(x) TENSOR_LOAD_AFTER(ACQUIRE, x)
#define TENSOR_LOAD_AFTER(fence, x)                                                                \
	FIXTURE_KERNEL(                                                                                \
		WORD INIT(1) fence                                                                         \
		"@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r7], 128;\n"                          \
		"@%p1 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "        \
		"[%r9], [%in, {" x ", 3}], [%r7];\n" WAIT(0) "ld.shared.u32 %r0, [%r8];\n" STORE)
#define TENSOR_STORE(at)                                                                           \
	FIXTURE_KERNEL(WORD "st.shared.u32 [%r8], %t; fence.proxy.async; bar.sync 0;\n"                \
						"setp.eq.u32 %p1, %t, 0;\n" ACQUIRE                                        \
						"@%p1 cp.async.bulk.tensor.2d.global.shared::cta.bulk_group "              \
						"[%in, {" at "}], [%r9];\n"                                                \
						"cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" STORE)

static uint32_t matrix[60];

/* The first `columns` of each row. */
static struct tensor_map matrix_map(uint32_t columns)
{
	return (struct tensor_map){
		.size = {columns, 5},
		.stride = {4, 48},
		.box = {8, 4},
		.step = {1, 1},
		.rank = 2,
		.element_bytes = 4,
	};
}

/* Of a copy of the matrix in an allocation of `bytes`; returns its address. */
static uint64_t encode_map(uint8_t encoded[TENSOR_MAP_BYTES], struct tensor_map map, size_t bytes)
{
	map.address = fixture_copy(matrix, bytes);
	const char *wrong = tensor_map_encode(&map, encoded);
	cr_assert_null(wrong, "%s", wrong);
	return map.address;
}

static uint64_t encode_matrix(uint8_t encoded[TENSOR_MAP_BYTES], uint32_t columns, size_t bytes)
{
	for (uint32_t i = 0; i < 60; i++)
		matrix[i] = i;
	return encode_map(encoded, matrix_map(columns), bytes);
}

/* The box hangs over two edges. */
Test(exec_tensor_copy, tensor_copy_fills_what_is_outside)
{
	uint32_t out[32];
	_Alignas(64) uint8_t encoded[TENSOR_MAP_BYTES];
	encode_matrix(encoded, 12, sizeof matrix);
	fixture_expect(TENSOR_LOAD("8"), ONE, encoded, sizeof encoded, out, sizeof out);
	for (uint32_t i = 0; i < 32; i++) {
		uint32_t column = 8 + i % 8, row = 3 + i / 8;
		cr_assert_eq(out[i], column < 12 && row < 5 ? row * 12 + column : 0, "%u: %u", i, out[i]);
	}
}

static void tensor_copy(const char *ptx, const char *finding)
{
	struct fault fault = {0};
	_Alignas(64) uint8_t encoded[TENSOR_MAP_BYTES];
	encode_matrix(encoded, 12, sizeof matrix);
	uint64_t map = fixture_copy(encoded, sizeof encoded), out = fixture_buffer(128);
	bool ran = fixture_run(ptx, &ONE, map, out, &fault);
	cr_assert_eq(ran, !finding, "%s", fault.text);
	cr_assert_eq(fault.kind, finding ? FAULT_INSTRUCTION : FAULT_NONE, "%s", fault.text);
	cr_assert(!finding || strstr(fault.text, finding), "'%s' is not in: %s", finding, fault.text);
}

/* The driver takes a map of address 0, and the kernel that uses it is told. */
Test(exec_tensor_copy, tensor_map_of_address_0)
{
	struct fault fault = {0};
	_Alignas(64) uint8_t encoded[TENSOR_MAP_BYTES];
	struct tensor_map map = matrix_map(12);
	cr_assert_null(tensor_map_encode(&map, encoded));
	cr_assert_not(fixture_run(TENSOR_LOAD("0"), &ONE, fixture_copy(encoded, sizeof encoded),
							  fixture_buffer(128), &fault));
	cr_assert_eq(fault.kind, FAULT_ADDRESS, "%s", fault.text);
}

/* CUDA Programming Guide: a tensor map in global memory needs a fence in each block. */
Test(exec_tensor_copy, tensor_maps_in_global_memory_are_acquired)
{
	struct fault fault = {0};
	struct fixture_launch unchecked = {.check_none = true};
	_Alignas(64) uint8_t encoded[TENSOR_MAP_BYTES];
	encode_matrix(encoded, 12, sizeof matrix);
	uint64_t map = fixture_copy(encoded, sizeof encoded), out = fixture_buffer(128);
	cr_assert_not(fixture_run(TENSOR_LOAD_AFTER("", "8"), &ONE, map, out, &fault));
	cr_expect_eq(fault.kind, FAULT_ASYNC);
	cr_expect(strstr(fault.text, "lies in global memory"), "%s", fault.text);
	cr_assert_not(
		fixture_run(TENSOR_LOAD_AFTER("fence.proxy.tensormap::generic.release.gpu;\n", "8"), &ONE,
					map, out, &fault));
	cr_expect(fixture_run(TENSOR_LOAD("8"), &ONE, map, out, &fault), "%s", fault.text);
	cr_expect(fixture_run(TENSOR_LOAD_AFTER("", "8"), &unchecked, map, out, &fault));
}

Test(exec_tensor_copy, tensor_copies_start_at_16_bytes_of_a_row)
{
	tensor_copy(TENSOR_LOAD("-4"), NULL);
	tensor_copy(TENSOR_STORE("4, 3"), NULL);
	tensor_copy(TENSOR_LOAD("7"), "coordinate 7 of a bulk tensor copy is 28 bytes into its row");
	tensor_copy(TENSOR_LOAD("-1"), "coordinate -1 of a bulk tensor copy is -4 bytes");
	tensor_copy(TENSOR_STORE("2, 3"), "coordinate 2 of a bulk tensor copy is 8 bytes");
}

Test(exec_tensor_copy, tensor_stores_start_at_no_negative_coordinate)
{
	tensor_copy(TENSOR_STORE("0, 0"), NULL);
	tensor_copy(TENSOR_STORE("-4, 0"), "coordinate -4 of dimension 0 of a bulk tensor store");
	tensor_copy(TENSOR_STORE("4, -1"), "coordinate -1 of dimension 1 of a bulk tensor store");
}

/* Word 5 is the last of a row: the store ends with word 7, in the last row too. */
Test(exec_tensor_copy, tensor_stores_end_at_16_bytes_of_a_row)
{
	struct fault fault = {0};
	_Alignas(64) uint8_t encoded[TENSOR_MAP_BYTES];
	uint64_t tensor = encode_matrix(encoded, 6, sizeof matrix);
	uint64_t map = fixture_copy(encoded, sizeof encoded), out = fixture_buffer(128);
	cr_assert(fixture_run(TENSOR_STORE("4, 3"), &ONE, map, out, &fault), "%s", fault.text);
	const uint32_t *words = (const uint32_t *)(uintptr_t)tensor;
	for (uint32_t i = 0; i < 60; i++) {
		uint32_t column = i % 12, row = i / 12;
		bool stored = column >= 4 && column < 8 && row >= 3;
		cr_assert_eq(words[i], stored ? (row - 3) * 8 + column - 4 : i, "%u: %u", i, words[i]);
	}
	encode_matrix(encoded, 6, sizeof matrix - 6 * sizeof *matrix);
	map = fixture_copy(encoded, sizeof encoded);
	cr_assert_not(fixture_run(TENSOR_STORE("4, 3"), &ONE, map, out, &fault));
	cr_assert_eq(fault.kind, FAULT_ADDRESS, "%s", fault.text);
	cr_assert(strstr(fault.text, "of a 216-byte allocation"), "%s", fault.text);
}

static uint64_t encode_tf32(uint8_t encoded[TENSOR_MAP_BYTES])
{
	struct tensor_map map = matrix_map(12);
	map.number = ATOM_FLOAT;
	map.tf32 = true;
	return encode_map(encoded, map, sizeof matrix);
}

Test(exec_tensor_copy, tensor_loads_round_tf32)
{
	static const uint32_t rounded[12][2] = {
		{0x3f8008bb, 0x3f800000}, /* below half */
		{0xbf801bbb, 0xbf802000}, /* above half */
		{0x3f801000, 0x3f800000}, /* a tie, down */
		{0xbf803000, 0xbf804000}, /* a tie, up */
		{0x3ffff001, 0x40000000}, /* into the exponent */
		{0x7f7fffff, 0x7f800000}, /* to infinity */
		{0x80000fff, 0x80000000}, /* subnormal */
		{0x0045b9cd, 0x0045c000}, /* subnormal */
		{0x7f800000, 0x7f800000}, /* infinity */
		{0xff800000, 0xff800000}, /* infinity */
		{0x7f800001, 0x7fffe000}, /* NaN */
		{0xff812345, 0x7fffe000}, /* NaN */
	};
	uint32_t out[32];
	_Alignas(64) uint8_t encoded[TENSOR_MAP_BYTES];
	for (uint32_t i = 0; i < 12; i++)
		matrix[36 + i] = matrix[48 + i] = rounded[i][0];
	encode_tf32(encoded);
	for (uint32_t x = 0; x < 12; x += 8) {
		fixture_expect(x ? TENSOR_LOAD("8") : TENSOR_LOAD("0"), ONE, encoded, sizeof encoded, out,
					   sizeof out);
		for (uint32_t i = 0; i < 16; i++) {
			uint32_t column = x + i % 8;
			cr_assert_eq(out[i], column < 12 ? rounded[column][1] : 0, "%u: %x", column, out[i]);
		}
	}
}

/* The words that are stored, 0 to 31, would all be 0 in tf32. */
Test(exec_tensor_copy, tensor_stores_do_not_round_tf32)
{
	struct fault fault = {0};
	_Alignas(64) uint8_t encoded[TENSOR_MAP_BYTES];
	const uint32_t *words = (const uint32_t *)(uintptr_t)encode_tf32(encoded);
	uint64_t map = fixture_copy(encoded, sizeof encoded), out = fixture_buffer(128);
	cr_assert(fixture_run(TENSOR_STORE("4, 3"), &ONE, map, out, &fault), "%s", fault.text);
	for (uint32_t i = 0; i < 16; i++)
		cr_assert_eq(words[(3 + i / 8) * 12 + 4 + i % 8], i);
}

/* 16 words at %in+128 combined with those of a tensor, whose map is at %in and says
 * what they are. */
#define TENSOR_REDUCE(what)                                                                        \
	FIXTURE_KERNEL(                                                                                \
		WORD "ld.global.u32 %r0, [%d2+128]; st.shared.u32 [%r8], %r0;\n"                           \
			 "fence.proxy.async; bar.sync 0; setp.eq.u32 %p1, %t, 0; mov.u32 %r1, 0;\n" ACQUIRE    \
			 "@%p1 cp.reduce.async.bulk.tensor.1d.global.shared::cta." what                        \
			 ".tile.bulk_group [%in, {%r1}], [%r9];\n"                                             \
			 "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;")

static bool reduce_through(struct tensor_map map, const char *ptx, const void *more, void *values,
						   struct fault *fault)
{
	_Alignas(64) uint8_t in[TENSOR_MAP_BYTES + 128] = {0};
	uint64_t tensor = fixture_copy(values, 64);
	map.address = tensor;
	map.size[0] = map.box[0] = 64 / map.element_bytes;
	map.stride[0] = map.element_bytes;
	map.step[0] = map.rank = 1;
	cr_assert_null(tensor_map_encode(&map, in));
	memcpy(in + TENSOR_MAP_BYTES, more, 64);
	bool ran = fixture_run(ptx, &ONE, fixture_copy(in, sizeof in), tensor, fault);
	memcpy(values, (void *)(uintptr_t)tensor, 64);
	return ran;
}

static bool tensor_reduce(const char *ptx, enum atomic_number number, uint32_t bytes,
						  const void *more, void *values, struct fault *fault)
{
	const struct tensor_map map = {.element_bytes = bytes, .number = number};
	return reduce_through(map, ptx, more, values, fault);
}

/* What an H200 makes of subnormals, by the type of the map. */
Test(exec_tensor_copy, tensor_additions_flush_as_the_map_says)
{
	static const struct {
		bool tf32, flush;
		uint32_t sums[4];
	} types[] = {
		{false, false, {0x00000002, 0x40000000, 0x3f801000, 0x00800000}},
		{false, true, {0x00000000, 0x40000000, 0x3f801000, 0x00000000}},
		{true, false, {0x00000002, 0x40000000, 0x3f801000, 0x00800000}},
	};
	const uint32_t more[16] = {1, 0x3f800001, 0x3f801000, 0x00400000};
	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		struct fault fault = {0};
		uint32_t values[16] = {1, 0x3f800000, 0, 0x00400000};
		const struct tensor_map map = {.element_bytes = 4,
									   .number = ATOM_FLOAT,
									   .tf32 = types[i].tf32,
									   .flush = types[i].flush};
		cr_assert(reduce_through(map, TENSOR_REDUCE("add"), more, values, &fault), "%s",
				  fault.text);
		cr_assert_arr_eq(values, types[i].sums, sizeof types[i].sums, "%zu: %08x %08x", i,
						 values[0], values[3]);
	}
}

Test(exec_tensor_copy, tensor_reductions_follow_the_map)
{
	struct fault fault = {0};
	const int32_t more[16] = {-3, 3, -3, 3, 7, 7};
	int32_t as_signed[16] = {2, 2, -5, -5, 6, 8}, as_unsigned[16] = {2, 2, -5, -5, 6, 8};
	cr_assert(tensor_reduce(TENSOR_REDUCE("min"), ATOM_SIGNED, 4, more, as_signed, &fault), "%s",
			  fault.text);
	cr_assert_arr_eq(as_signed, ((int32_t[16]){-3, 2, -5, -5, 6, 7}), sizeof as_signed);
	cr_assert(tensor_reduce(TENSOR_REDUCE("min"), ATOM_UNSIGNED, 4, more, as_unsigned, &fault));
	cr_assert_arr_eq(as_unsigned, ((int32_t[16]){2, 2, -5, 3, 6, 7}), sizeof as_unsigned);
}

Test(exec_tensor_copy, tensor_additions_of_floats)
{
	struct fault fault = {0};
	float singles[16], more[16];
	double doubles[8], others[8];
	_Float16 halves[32], further[32];
	uint16_t brains[32], four[32];
	for (int i = 0; i < 32; i++) {
		halves[i] = (_Float16)(i * 0.25), further[i] = (_Float16)(4 - i);
		singles[i / 2] = (float)i * 1.5f, more[i / 2] = 0.25f;
		doubles[i / 4] = i * 0.1, others[i / 4] = i;
		brains[i] = 0x3f80, four[i] = 0x4080; /* 1 and 4 make 5, 0x40a0 */
	}
	cr_assert(tensor_reduce(TENSOR_REDUCE("add"), ATOM_F16, 2, further, halves, &fault), "%s",
			  fault.text);
	cr_assert(tensor_reduce(TENSOR_REDUCE("add"), ATOM_BF16, 2, four, brains, &fault));
	cr_assert(tensor_reduce(TENSOR_REDUCE("add"), ATOM_FLOAT, 4, more, singles, &fault));
	cr_assert(tensor_reduce(TENSOR_REDUCE("add"), ATOM_FLOAT, 8, others, doubles, &fault));
	for (int i = 0; i < 32; i++) {
		int odd = i | 1, last = i | 3;
		cr_assert_eq(halves[i], (_Float16)(4 - i * 0.75));
		cr_assert_eq(brains[i], 0x40a0);
		cr_assert_eq(singles[i / 2], (float)odd * 1.5f + 0.25f);
		cr_assert_eq(doubles[i / 4], last * 0.1 + last);
	}
}

Test(exec_tensor_copy, tensors_of_bytes_are_not_reduced)
{
	struct fault fault = {0};
	uint8_t values[64] = {0}, more[64] = {0};
	cr_assert_not(tensor_reduce(TENSOR_REDUCE("add"), ATOM_UNSIGNED, 1, more, values, &fault));
	cr_assert_eq(fault.kind, FAULT_INSTRUCTION, "%s", fault.text);
	cr_assert(strstr(fault.text, "reduces a tensor of elements of 1 byte"), "%s", fault.text);
}
