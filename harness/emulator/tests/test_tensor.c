/* links: emulator_core emulator_models */
/* Layouts are checked against the formulas of the PTX ISA, element by element,
 * and products against sums in double of small integers, which are exact; of other numbers against
 * the model of a tensor core (model_sum.h). */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/tensor/tensor.h"
#include "model_sum.h"
#include "tensor_fixture.h"

#define REGS 64

struct fragment {
	uint32_t lanes[REGS][TENSOR_LANES];
	uint32_t *pointers[REGS];
};

static void fragment_start(struct fragment *f)
{
	memset(f->lanes, 0, sizeof f->lanes);
	for (int i = 0; i < REGS; i++)
		f->pointers[i] = f->lanes[i];
}

static const uint32_t *const *constant(struct fragment *f)
{
	return (const uint32_t *const *)f->pointers;
}

static void put_byte_field(struct fragment *f, unsigned lane, unsigned bit, unsigned bits,
						   uint32_t value)
{
	f->lanes[bit / 32][lane] |= (bits == 32 ? value : value & ((1u << bits) - 1)) << bit % 32;
}

static double accumulator(const struct fragment *f, enum tensor_type type, unsigned lane,
						  unsigned i)
{
	if (type == TENSOR_F16)
		return tensor_f16_to_float((uint16_t)(f->lanes[i / 2][lane] >> i % 2 * 16));
	if (type == TENSOR_S32)
		return (int32_t)f->lanes[i][lane];
	float value;
	memcpy(&value, &f->lanes[i][lane], sizeof value);
	return value;
}

static void check_mma(struct tensor_shape shape)
{
	unsigned bits = (unsigned)tensor_type_bytes(shape.a) * 8, row, column;
	struct fragment fa, fb, fc, fd;
	cr_assert(tensor_shape_valid(&shape));
	fragment_start(&fa), fragment_start(&fb), fragment_start(&fc), fragment_start(&fd);
	fill(shape.m, shape.n, shape.k, shape.a, shape.b);
	for (unsigned lane = 0; lane < 32; lane++) {
		for (unsigned i = 0; i < (unsigned)shape.m * shape.k / 32; i++) {
			isa_a(bits, lane, i, &row, &column);
			put_byte_field(&fa, lane, i * bits, bits, encode(shape.a, a[row][column]));
		}
		for (unsigned i = 0; i < (unsigned)shape.n * shape.k / 32; i++) {
			isa_b(bits, lane, i, &row, &column);
			put_byte_field(&fb, lane, i * bits, bits, encode(shape.b, b[row][column]));
		}
		for (unsigned i = 0; i < 4; i++) {
			unsigned width = shape.c == TENSOR_F16 ? 16 : 32;
			int value = c[(lane >> 2) + (i >= 2 ? 8 : 0)][lane % 4 * 2 + (i & 1)];
			put_byte_field(&fc, lane, i * width, width, encode(shape.c, value));
		}
	}
	tensor_mma(&shape, fd.pointers, constant(&fa), constant(&fb), constant(&fc));
	for (unsigned lane = 0; lane < 32; lane++)
		for (unsigned i = 0; i < 4; i++) {
			row = (lane >> 2) + (i >= 2 ? 8 : 0), column = lane % 4 * 2 + (i & 1);
			cr_assert_eq(accumulator(&fd, shape.d, lane, i), expected(row, column, shape.k),
						 "k %d type %d lane %u element %u", shape.k, shape.a, lane, i);
		}
}

/* The arithmetic exists once for each x86-64 level. */
#define ON_EVERY_LEVEL(name)                                                                       \
	static void name(const char *level);                                                           \
	Test(tensor, name##_v2)                                                                        \
	{                                                                                              \
		name("2");                                                                                 \
	}                                                                                              \
	Test(tensor, name##_v3)                                                                        \
	{                                                                                              \
		name("3");                                                                                 \
	}                                                                                              \
	Test(tensor, name##_v4)                                                                        \
	{                                                                                              \
		name("4");                                                                                 \
	}                                                                                              \
	static void name(const char *level)

/* infinity * 0 is one NaN, on an H200 as here: of dense products, sparse ones and those of quads.
 */
ON_EVERY_LEVEL(infinity_times_0_is_one_nan)
{
	setenv("EMULATED_GPU_SIMD", level, 1);
	const enum tensor_type f32 = TENSOR_F32, f16 = TENSOR_F16, tf32 = TENSOR_TF32;
	const struct {
		struct tensor_shape shape;
		uint32_t infinity, want;
	} table[] = {
		{{16, 8, 8, tf32, tf32, f32, f32, .saturate = false}, 0x7f800000, 0x7fffffff},
		{{16, 8, 16, f16, f16, f32, f32, .saturate = false}, 0x7c007c00, 0x7fffffff},
		{{16, 8, 16, f16, f16, f16, f16, .saturate = false}, 0x7c007c00, 0x7fff7fff},
		{{8, 8, 4, f16, f16, f32, f32, .saturate = false}, 0xfc00fc00, 0x7fffffff},
	};
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct fragment a, b, c, d;
		fragment_start(&a), fragment_start(&b), fragment_start(&c), fragment_start(&d);
		for (unsigned r = 0; r < REGS; r++)
			for (unsigned lane = 0; lane < 32; lane++)
				a.lanes[r][lane] = table[i].infinity;
		(table[i].shape.m == 8 ? tensor_mma_rare : tensor_mma)(
			&table[i].shape, d.pointers, constant(&a), constant(&b), constant(&c));
		for (unsigned lane = 0; lane < 32; lane++)
			cr_expect_eq(d.lanes[0][lane], table[i].want, "%zu, lane %u: %x", i, lane,
						 d.lanes[0][lane]);
	}
}

ON_EVERY_LEVEL(mma_sync_follows_the_isa)
{
	setenv("EMULATED_GPU_SIMD", level, 1);
	const enum tensor_type f32 = TENSOR_F32, f16 = TENSOR_F16, s32 = TENSOR_S32;
	for (int k = 8; k <= 16; k += 8) {
		check_mma((struct tensor_shape){16, 8, k, f16, f16, f32, f32, .saturate = false});
		check_mma((struct tensor_shape){16, 8, k, f16, f16, f16, f16, .saturate = false});
		check_mma((struct tensor_shape){16, 8, k, f16, f16, f32, f16, .saturate = false});
		check_mma(
			(struct tensor_shape){16, 8, k, TENSOR_BF16, TENSOR_BF16, f32, f32, .saturate = false});
		check_mma((struct tensor_shape){16, 8, k / 2, TENSOR_TF32, TENSOR_TF32, f32, f32,
										.saturate = false});
		check_mma(
			(struct tensor_shape){16, 8, 2 * k, TENSOR_S8, TENSOR_S8, s32, s32, .saturate = false});
		check_mma(
			(struct tensor_shape){16, 8, 2 * k, TENSOR_U8, TENSOR_S8, s32, s32, .saturate = true});
		check_mma((struct tensor_shape){16, 8, 2 * k, TENSOR_E4M3, TENSOR_E5M2, f32, f32,
										.saturate = false});
	}
}

enum numbers { LONG, SHORT, ANY, TOP, NUMBERS };

/* Bits of a number: with more digits than a sum keeps, of few digits, so that nothing is lost, or
 * of any exponent, 0, infinities and NaN, too; or the largest below 2, whose sums are the largest
 * above their exponents. */
static uint32_t random_number(enum model_type type, enum numbers kind)
{
	uint32_t bits = (uint32_t)rand() ^ (uint32_t)rand() << 16, keep, base;
	if (kind == SHORT)
		return (uint32_t)model_encode(type, (rand() % 33 - 16) * 0.25L, MODEL_RN, false);
	if (kind == TOP)
		return (uint32_t)model_encode(type, 2 - 0x1p-24L, MODEL_RZ, false);
	if (kind == ANY && rand() % 64 == 0)
		return rand() % 2 ? 0 : bits & ((1u << (model_bits(type) - 1)) - 1);
	model_tile_range(&keep, &base, 1, type, kind == LONG ? (unsigned)rand() % 2 : 2);
	bits = (bits & keep) + base;
	return model_bits(type) == 16 ? bits & 0xffff : bits;
}

/* Registers of such numbers, and their bits by row and column. */
static void fill_random(const struct tensor_shape *shape, enum tensor_operand operand,
						enum model_type type, enum numbers kind, struct fragment *f,
						uint32_t values[32][32])
{
	unsigned items = 32 / model_bits(type), row, column;
	fragment_start(f);
	for (unsigned i = 0; i < tensor_registers(shape, operand) * items; i++)
		for (unsigned lane = 0; lane < TENSOR_LANES; lane++) {
			uint32_t bits = random_number(type, kind);
			tensor_position(shape, operand, lane, i / items, i % items, &row, &column);
			put_byte_field(f, lane, i * 32 / items, 32 / items, bits);
			values[row][column] = bits;
		}
}

static uint32_t of_a[32][32], of_b[32][32], of_c[32][32];

/* The products from k on, added to c. */
static uint32_t part_sum(struct model_dot dot, unsigned k, unsigned row, unsigned column,
						 uint32_t c)
{
	for (unsigned i = 0; i < dot.count; i++) {
		dot.a[i] = of_a[row][k + i];
		dot.b[i] = of_b[k + i][column];
	}
	dot.c = c;
	return (uint32_t)model_mma_sum(&dot);
}

/* What a GPU makes of a shape: wmma of tf32 is two instructions, and the f16 result of an f32
 * accumulator is rounded from f32. */
static uint32_t whole_sum(const struct tensor_shape *shape, enum model_type type, unsigned row,
						  unsigned column)
{
	const bool halves = shape->c == TENSOR_F16 && shape->d == TENSOR_F16;
	const unsigned part = type == MODEL_TF32 && shape->n > 8 ? 4 : shape->k;
	const struct model_dot dot = {.a_type = type,
								  .b_type = type,
								  .c_type = shape->c == TENSOR_F16 ? MODEL_F16 : MODEL_F32,
								  .d_type = halves ? MODEL_F16 : MODEL_F32,
								  .k = part,
								  .count = part};
	uint32_t sum = of_c[row][column];
	for (unsigned k = 0; k < shape->k; k += part)
		sum = part_sum(dot, k, row, column, sum);
	if (shape->d == TENSOR_F16 && !halves)
		return (uint32_t)model_encode(MODEL_F16, model_decode(MODEL_F32, sum), MODEL_RN, false);
	return sum;
}

/* d may be in the registers of c, in any order. */
static void check_sums(struct tensor_shape shape, enum model_type type, enum numbers kind,
					   bool backwards)
{
	static struct fragment fa, fb, fc, fd;
	uint32_t *d[REGS];
	unsigned count = (unsigned)tensor_registers(&shape, TENSOR_D), row, column;
	const unsigned items = shape.d == TENSOR_F16 ? 2 : 1;
	fill_random(&shape, TENSOR_A, type, kind, &fa, of_a);
	fill_random(&shape, TENSOR_B, type, kind, &fb, of_b);
	fill_random(&shape, TENSOR_C, shape.c == TENSOR_F16 ? MODEL_F16 : MODEL_F32, kind, &fc, of_c);
	fragment_start(&fd);
	for (unsigned i = 0; i < count; i++)
		d[i] = (shape.c == shape.d ? &fc : &fd)->pointers[backwards ? count - 1 - i : i];
	tensor_mma(&shape, d, constant(&fa), constant(&fb), constant(&fc));
	for (unsigned i = 0; i < count * items; i++)
		for (unsigned lane = 0; lane < TENSOR_LANES; lane++) {
			tensor_position(&shape, TENSOR_D, lane, i / items, i % items, &row, &column);
			uint32_t got = d[i / items][lane], wanted = whole_sum(&shape, type, row, column);
			got = items == 2 ? got >> 16 * (i % 2) & 0xffff : got;
			cr_assert_eq(got, wanted, "%s n %d k %d row %u column %u: %08x, not %08x",
						 model_names[type], shape.n, shape.k, row, column, got, wanted);
		}
}

ON_EVERY_LEVEL(sums_are_those_of_a_tensor_core)
{
	setenv("EMULATED_GPU_SIMD", level, 1);
	static const struct {
		uint16_t m, n, k;
		enum tensor_type type;
		enum model_type model;
	} shapes[] = {
		{16, 8, 8, TENSOR_F16, MODEL_F16},    {16, 8, 16, TENSOR_F16, MODEL_F16},
		{16, 16, 16, TENSOR_F16, MODEL_F16},  {32, 8, 16, TENSOR_F16, MODEL_F16},
		{8, 32, 16, TENSOR_F16, MODEL_F16},   {16, 8, 8, TENSOR_BF16, MODEL_BF16},
		{16, 8, 16, TENSOR_BF16, MODEL_BF16}, {16, 16, 16, TENSOR_BF16, MODEL_BF16},
		{32, 8, 16, TENSOR_BF16, MODEL_BF16}, {8, 32, 16, TENSOR_BF16, MODEL_BF16},
		{16, 8, 4, TENSOR_TF32, MODEL_TF32},  {16, 8, 8, TENSOR_TF32, MODEL_TF32},
		{16, 16, 8, TENSOR_TF32, MODEL_TF32},
	};
	for (unsigned i = 0; i < sizeof shapes / sizeof *shapes; i++)
		for (unsigned round = 0; round < 8 * NUMBERS; round++) {
			const bool f16 = shapes[i].type == TENSOR_F16;
			const unsigned pass = round / NUMBERS;
			struct tensor_shape shape = {.m = shapes[i].m, .n = shapes[i].n, .k = shapes[i].k};
			shape.a = shape.b = shapes[i].type;
			shape.c = f16 && pass & 2 ? TENSOR_F16 : TENSOR_F32;
			shape.d = f16 && pass & 4 ? TENSOR_F16 : TENSOR_F32;
			check_sums(shape, shapes[i].model, round % NUMBERS, pass % 2);
		}
}

/* wmma's layout is ours: what must hold is that positions cover each element
 * once and that the product is right through them. */
static void check_wmma(struct tensor_shape shape)
{
	unsigned bits = (unsigned)tensor_type_bytes(shape.a) * 8, row, column;
	struct fragment fa, fb, fc, fd;
	int seen[32][32] = {{0}};
	cr_assert(tensor_shape_valid(&shape));
	fragment_start(&fa), fragment_start(&fb), fragment_start(&fc), fragment_start(&fd);
	fill(shape.m, shape.n, shape.k, shape.a, shape.b);
	for (unsigned lane = 0; lane < 32; lane++) {
		for (unsigned i = 0; i < tensor_registers(&shape, TENSOR_A) * 32 / bits; i++) {
			tensor_position(&shape, TENSOR_A, lane, i * bits / 32, i % (32 / bits), &row, &column);
			put_byte_field(&fa, lane, i * bits, bits, encode(shape.a, a[row][column]));
		}
		for (unsigned i = 0; i < tensor_registers(&shape, TENSOR_B) * 32 / bits; i++) {
			tensor_position(&shape, TENSOR_B, lane, i * bits / 32, i % (32 / bits), &row, &column);
			put_byte_field(&fb, lane, i * bits, bits, encode(shape.b, b[row][column]));
		}
		for (unsigned i = 0; i < tensor_registers(&shape, TENSOR_C); i++) {
			tensor_position(&shape, TENSOR_C, lane, i, 0, &row, &column);
			put_byte_field(&fc, lane, i * 32, 32, encode(shape.c, c[row][column]));
			seen[row][column]++;
		}
	}
	tensor_mma(&shape, fd.pointers, constant(&fa), constant(&fb), constant(&fc));
	for (unsigned lane = 0; lane < 32; lane++)
		for (unsigned i = 0; i < tensor_registers(&shape, TENSOR_D); i++) {
			tensor_position(&shape, TENSOR_D, lane, i, 0, &row, &column);
			cr_assert_eq(accumulator(&fd, shape.d, lane, i), expected(row, column, shape.k));
		}
	for (row = 0; row < shape.m; row++)
		for (column = 0; column < shape.n; column++)
			cr_assert_eq(seen[row][column], 1);
}

ON_EVERY_LEVEL(wmma_shapes)
{
	setenv("EMULATED_GPU_SIMD", level, 1);
	static const int sizes[3][2] = {{16, 16}, {32, 8}, {8, 32}};
	const enum tensor_type f32 = TENSOR_F32, s32 = TENSOR_S32;
	for (int i = 0; i < 3; i++) {
		uint16_t m = (uint16_t)sizes[i][0], n = (uint16_t)sizes[i][1];
		check_wmma(
			(struct tensor_shape){m, n, 16, TENSOR_F16, TENSOR_F16, f32, f32, .saturate = false});
		check_wmma(
			(struct tensor_shape){m, n, 16, TENSOR_BF16, TENSOR_BF16, f32, f32, .saturate = false});
		check_wmma(
			(struct tensor_shape){m, n, 16, TENSOR_S8, TENSOR_S8, s32, s32, .saturate = false});
	}
	check_wmma(
		(struct tensor_shape){16, 16, 8, TENSOR_TF32, TENSOR_TF32, f32, f32, .saturate = false});
}

Test(tensor, f16_fragments_of_wmma_repeat)
{
	struct tensor_shape shape = {16,         16,         16,         TENSOR_F16,
								 TENSOR_F16, TENSOR_F16, TENSOR_F16, .saturate = false};
	unsigned row[2], column[2];
	cr_assert_eq(tensor_registers(&shape, TENSOR_A), 4);
	cr_assert_eq(tensor_registers(&shape, TENSOR_C), 4);
	tensor_position(&shape, TENSOR_A, 7, 1, 1, &row[0], &column[0]);
	tensor_position(&shape, TENSOR_A, 7, 5, 1, &row[1], &column[1]);
	cr_assert(row[0] == row[1] && column[0] == column[1]);
}

Test(tensor, f64)
{
	struct tensor_shape shape = {8,          8,          4,          TENSOR_F64,
								 TENSOR_F64, TENSOR_F64, TENSOR_F64, .saturate = false};
	double fa[1][32], fb[1][32], fc[2][32], *d[2] = {fc[0], fc[1]};
	const double *pa[] = {fa[0]}, *pb[] = {fb[0]};
	cr_assert(tensor_shape_valid(&shape));
	fill(8, 8, 4, TENSOR_S8, TENSOR_S8);
	for (int lane = 0; lane < 32; lane++) {
		fa[0][lane] = a[lane / 4][lane % 4];
		fb[0][lane] = b[lane % 4][lane / 4];
		for (int i = 0; i < 2; i++)
			fc[i][lane] = c[lane / 4][lane % 4 * 2 + i];
	}
	tensor_mma_f64(&shape, d, pa, pb, (const double *const *)d);
	for (int lane = 0; lane < 32; lane++)
		for (int i = 0; i < 2; i++)
			cr_assert_eq(fc[i][lane], expected(lane / 4, lane % 4 * 2 + i, 4));
}

Test(tensor, invalid_shapes)
{
	cr_assert_not(tensor_shape_valid(&(struct tensor_shape){
		16, 8, 16, TENSOR_F16, TENSOR_BF16, TENSOR_F32, TENSOR_F32, .saturate = 0}));
	cr_assert_not(tensor_shape_valid(&(struct tensor_shape){
		16, 8, 12, TENSOR_F16, TENSOR_F16, TENSOR_F32, TENSOR_F32, .saturate = 0}));
	cr_assert_not(tensor_shape_valid(&(struct tensor_shape){
		16, 8, 16, TENSOR_BF16, TENSOR_BF16, TENSOR_F16, TENSOR_F16, .saturate = 0}));
}

ON_EVERY_LEVEL(integers_wrap_or_saturate)
{
	setenv("EMULATED_GPU_SIMD", level, 1);
	struct tensor_shape shape = {16,        8,          32,         TENSOR_S8,
								 TENSOR_S8, TENSOR_S32, TENSOR_S32, .saturate = false};
	struct fragment fa, fb, fc, fd;
	fragment_start(&fa), fragment_start(&fb), fragment_start(&fc), fragment_start(&fd);
	for (int i = 0; i < 4; i++)
		for (int lane = 0; lane < 32; lane++) {
			fa.lanes[i][lane] = 0x7F7F7F7F, fb.lanes[i][lane] = 0x7F7F7F7F;
			fc.lanes[i][lane] = INT32_MAX - 5;
		}
	tensor_mma(&shape, fd.pointers, constant(&fa), constant(&fb), constant(&fc));
	cr_assert_eq(fd.lanes[3][31], (uint32_t)INT32_MAX - 5 + 127 * 127 * 32);
	shape.saturate = true;
	tensor_mma(&shape, fd.pointers, constant(&fa), constant(&fb), constant(&fc));
	cr_assert_eq(fd.lanes[3][31], INT32_MAX);
}

Test(tensor, halves_convert_exactly)
{
	for (uint32_t bits = 0; bits < 0x10000; bits++) {
		float value = tensor_f16_to_float((uint16_t)bits);
		_Float16 half;
		uint16_t narrow = (uint16_t)bits;
		memcpy(&half, &narrow, sizeof half);
		if (half == half) {
			cr_assert_eq(value, (float)half);
			cr_assert_eq(tensor_float_to_f16(value), bits);
		} else {
			cr_assert(value != value);
		}
	}
	cr_assert_eq(tensor_float_to_f16(65520.0f), 0x7C00);
	cr_assert_eq(tensor_float_to_f16(65519.0f), 0x7BFF);
}

ON_EVERY_LEVEL(transpose)
{
	setenv("EMULATED_GPU_SIMD", level, 1);
	uint32_t reg[32];
	uint16_t before[8][8], after[8][8];
	for (int i = 0; i < 64; i++)
		before[i / 8][i % 8] = (uint16_t)(i * 257);
	memcpy(reg, before, sizeof reg);
	tensor_transpose_b16(reg);
	memcpy(after, reg, sizeof after);
	for (int i = 0; i < 64; i++)
		cr_assert_eq(after[i / 8][i % 8], before[i % 8][i / 8]);
}

/* --- wgmma --- */

static void gather(uint64_t bits, unsigned rows, bool mn_major, uint8_t *out)
{
	struct tensor_descriptor descriptor = tensor_descriptor_decode(bits);
	uint32_t addresses[TENSOR_CHUNKS];
	size_t count = tensor_chunks(&descriptor, rows, 2, mn_major, addresses);
	cr_assert_eq(count, 2 * rows);
	for (size_t i = 0; i < count; i++)
		memcpy(out + i * TENSOR_CHUNK, shared + addresses[i], TENSOR_CHUNK);
}

static uint32_t acc[4][128][32];

static void check_result(unsigned n, unsigned k, enum tensor_type type)
{
	for (unsigned warp = 0; warp < 4; warp++)
		for (unsigned lane = 0; lane < 32; lane++)
			for (unsigned i = 0; i < n / 2; i++) {
				unsigned row = 16 * warp + lane / 4 + 8 * (i / 2 % 2);
				unsigned column = 8 * (i / 4) + lane % 4 * 2 + i % 2;
				uint32_t bits = acc[warp][type == TENSOR_F16 ? i / 2 : i][lane];
				float value;
				memcpy(&value, &bits, sizeof value);
				if (type == TENSOR_F16)
					value = tensor_f16_to_float((uint16_t)(bits >> i % 2 * 16));
				if (type == TENSOR_S32)
					value = (float)(int32_t)bits;
				cr_assert_eq(value, expected(row, column, k), "n %u row %u column %u", n, row,
							 column);
			}
}

static void check_wgmma(unsigned n, enum tensor_type type, enum tensor_type d,
						enum tensor_swizzle mode, bool a_mn, bool b_mn)
{
	static uint8_t a_bytes[64 * 32], b_bytes[256 * 32];
	uint32_t *pointers[4][128];
	struct tensor_wgmma op = {.n = (uint16_t)n,
							  .a = type,
							  .b = type,
							  .d = d,
							  .scale_d = false,
							  .a_mn_major = a_mn,
							  .b_mn_major = b_mn,
							  .a_bytes = a_bytes,
							  .b_bytes = b_bytes};
	unsigned k = 32 / (unsigned)tensor_type_bytes(type);
	fill(64, n, k, type, type);
	memset(c, 0, sizeof c);
	memset(acc, 0x55, sizeof acc);
	uint64_t da =
		a_mn ? lay_mn_major(1024, 64, type, mode, true) : lay_k_major(1024, 64, type, mode, true);
	uint64_t db =
		b_mn ? lay_mn_major(65536, n, type, mode, false) : lay_k_major(65536, n, type, mode, false);
	gather(da, 64, a_mn, a_bytes);
	gather(db, n, b_mn, b_bytes);
	for (int warp = 0; warp < 4; warp++) {
		for (int i = 0; i < 128; i++)
			pointers[warp][i] = acc[warp][i];
		op.registers[warp] = pointers[warp];
	}
	tensor_wgmma(&op);
	check_result(n, k, d);
	op.scale_d = true;
	op.negate_a = d != TENSOR_S32;
	if (d == TENSOR_S32)
		return;
	tensor_wgmma(&op);
	for (int warp = 0; warp < 4; warp++)
		for (unsigned i = 0; i < n / (d == TENSOR_F16 ? 4 : 2); i++)
			for (int lane = 0; lane < 32; lane++)
				cr_assert_eq(acc[warp][i][lane] & 0x7FFF7FFF, 0);
}

ON_EVERY_LEVEL(wgmma_reads_every_layout)
{
	setenv("EMULATED_GPU_SIMD", level, 1);
	for (unsigned mode = 0; mode < 4; mode++) {
		enum tensor_swizzle swizzle = (enum tensor_swizzle)mode;
		for (int major = 0; major < 4; major++)
			for (unsigned n = 64; n <= 256; n *= 2)
				check_wgmma(n, TENSOR_F16, TENSOR_F32, swizzle, major & 1, major & 2);
		check_wgmma(8, TENSOR_BF16, TENSOR_F32, swizzle, false, false);
		check_wgmma(40, TENSOR_TF32, TENSOR_F32, swizzle, false, false);
		check_wgmma(96, TENSOR_F16, TENSOR_F16, swizzle, false, false);
		check_wgmma(24, TENSOR_E4M3, TENSOR_F32, swizzle, false, false);
		check_wgmma(32, TENSOR_S8, TENSOR_S32, swizzle, false, false);
	}
}

/* Kernels step along k by adding to the start address inside a swizzled tile. */
Test(tensor, wgmma_start_address_may_lie_inside_the_pattern)
{
	uint32_t addresses[TENSOR_CHUNKS];
	struct tensor_descriptor d =
		tensor_descriptor_decode(describe(2048 + 64, 16, 1024, 0, TENSOR_SWIZZLE_128));
	tensor_chunks(&d, 64, 2, false, addresses);
	for (uint32_t row = 0; row < 64; row++)
		for (uint32_t unit = 0; unit < 2; unit++)
			cr_assert_eq(addresses[2 * row + unit], 2048 + row * 128 + ((4 + unit) ^ row % 8) * 16);
	/* A pattern that starts two lines late says so in the base offset. */
	d = tensor_descriptor_decode(describe(2048 + 256, 16, 1024, 2, TENSOR_SWIZZLE_128));
	tensor_chunks(&d, 8, 2, false, addresses);
	cr_assert_eq(addresses[0], 2048 + 256);
	cr_assert_eq(addresses[2], 2048 + 256 + 128 + 16);
}

Test(tensor, wgmma_takes_a_from_registers)
{
	static uint8_t b_bytes[64 * 32];
	static uint32_t regs[4][4][32];
	uint32_t *d[4][32];
	const uint32_t *from[4][4];
	struct tensor_wgmma op = {
		.n = 64, .a = TENSOR_F16, .b = TENSOR_F16, .d = TENSOR_F32, .b_bytes = b_bytes};
	fill(64, 64, 16, TENSOR_F16, TENSOR_F16);
	memset(c, 0, sizeof c);
	gather(lay_k_major(0, 64, TENSOR_F16, TENSOR_SWIZZLE_32, false), 64, false, b_bytes);
	for (unsigned warp = 0; warp < 4; warp++) {
		for (unsigned lane = 0; lane < 32; lane++)
			for (unsigned i = 0; i < 8; i++) {
				unsigned row, column;
				isa_a(16, lane, i, &row, &column);
				uint32_t value = encode(TENSOR_F16, a[16 * warp + row][column]);
				regs[warp][i / 2][lane] |= value << i % 2 * 16;
			}
		for (int i = 0; i < 4; i++)
			from[warp][i] = regs[warp][i];
		for (int i = 0; i < 32; i++)
			d[warp][i] = acc[warp][i];
		op.a_registers[warp] = from[warp];
		op.registers[warp] = d[warp];
	}
	tensor_wgmma(&op);
	check_result(64, 16, TENSOR_F32);
}
