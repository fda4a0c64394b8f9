/* links: emulator_core */
/* Matrix instructions in every form that is emulated, from PTX text to the result:
 * operands are laid out by tensor_fixture.h, results are compared with sums of
 * integers. The layouts alone, on every x86-64 level, are in test_tensor.c. */
#include "exec_fixture.h"
#include "tensor_fixture.h"

#define TEXT 65536

static const char *const names[] = {
	[TENSOR_F16] = "f16",   [TENSOR_BF16] = "bf16", [TENSOR_TF32] = "tf32", [TENSOR_E4M3] = "e4m3",
	[TENSOR_E5M2] = "e5m2", [TENSOR_S8] = "s8",     [TENSOR_U8] = "u8",     [TENSOR_F32] = "f32",
	[TENSOR_S32] = "s32",   [TENSOR_F64] = "f64",
};

static char body[TEXT], ptx[TEXT + 1024];

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *format, ...)
{
	va_list arguments;
	size_t used = strlen(body);
	va_start(arguments, format);
	vsnprintf(body + used, sizeof body - used, format, arguments);
	va_end(arguments);
	cr_assert(strlen(body) + 1 < sizeof body);
}

/* "{%q3, %q4}": `count` registers q from `first` on */
static void say_registers(unsigned first, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		say("%s%%q%u", i ? ", " : "{", first + i);
	say("}");
}

/* What stands behind mma's result: A, B and C in so many registers, from q0 on */
static void say_operands(unsigned ra, unsigned rb, unsigned rc)
{
	say(", ");
	say_registers(0, ra);
	say(", ");
	say_registers(ra, rb);
	say(", ");
	say_registers(ra + rb, rc);
}

/* q0... from or to 4 bytes each at a thread's own place of a buffer */
static void say_moves(const char *opcode, const char *buffer, unsigned first, unsigned count)
{
	say("mad.wide.u32 %%d1, %%t, %u, %s;\n", 4 * count, buffer);
	for (unsigned i = 0; i < count; i++)
		if (opcode[0] == 'l')
			say("%s %%q%u, [%%d1+%u];\n", opcode, first + i, 4 * i);
		else
			say("%s [%%d1+%u], %%q%u;\n", opcode, 4 * i, first + i);
}

static uint32_t input[1 << 14], output[1 << 15];

static void run(unsigned threads, size_t in_bytes, size_t out_bytes)
{
	cr_assert(in_bytes <= sizeof input && out_bytes <= sizeof output);
	fixture_kernel(ptx, sizeof ptx, body);
	fixture_expect(ptx, (struct fixture_launch){.threads = threads}, input, in_bytes, output,
				   out_bytes);
}

/* Element i of an operand that has `registers` of them a lane. */
static void put_element(uint32_t *lanes, unsigned registers, unsigned lane, unsigned i,
						unsigned bits, uint32_t value)
{
	uint32_t mask = bits == 32 ? UINT32_MAX : (1u << bits) - 1;
	lanes[lane * registers + i * bits / 32] |= (value & mask) << i * bits % 32;
}

static double number(enum tensor_type type, const uint32_t *registers, unsigned i)
{
	float value;
	if (type == TENSOR_F16)
		return tensor_f16_to_float((uint16_t)(registers[i / 2] >> i % 2 * 16));
	if (type == TENSOR_S32)
		return (int32_t)registers[i];
	memcpy(&value, &registers[i], sizeof value);
	return value;
}

/* ------------------------------------------------------------------------
 * mma.sync */

struct form {
	uint16_t m, k;
	enum tensor_type a, b, c, d;
};

static void accumulator_place(unsigned lane, unsigned i, unsigned *row, unsigned *column)
{
	*row = lane / 4 + (i >= 2 ? 8 : 0);
	*column = lane % 4 * 2 + i % 2;
}

static void lay_operands(const struct form *form, unsigned ra, unsigned rb, unsigned rc)
{
	unsigned bits = (unsigned)tensor_type_bytes(form->a) * 8, row, column;
	unsigned c_bits = form->c == TENSOR_F16 ? 16 : 32;
	uint32_t *lanes_a = input, *lanes_b = lanes_a + 32 * ra, *lanes_c = lanes_b + 32 * rb;
	memset(input, 0, sizeof input);
	for (unsigned lane = 0; lane < 32; lane++) {
		for (unsigned i = 0; i < ra * 32 / bits; i++) {
			isa_a(bits, lane, i, &row, &column);
			put_element(lanes_a, ra, lane, i, bits, encode(form->a, a[row][column]));
		}
		for (unsigned i = 0; i < rb * 32 / bits; i++) {
			isa_b(bits, lane, i, &row, &column);
			put_element(lanes_b, rb, lane, i, bits, encode(form->b, b[row][column]));
		}
		for (unsigned i = 0; i < form->m / 4u; i++) {
			accumulator_place(lane, i, &row, &column);
			put_element(lanes_c, rc, lane, i, c_bits, encode(form->c, c[row][column]));
		}
	}
}

static unsigned accumulator_registers(const struct form *form, enum tensor_type type)
{
	return form->m / (type == TENSOR_F16 ? 8u : 4u);
}

static void check_mma(struct form form)
{
	unsigned bits = (unsigned)tensor_type_bytes(form.a) * 8;
	unsigned ra = form.m * form.k * bits / 1024, rb = 8 * form.k * bits / 1024;
	unsigned rc = accumulator_registers(&form, form.c), rd = accumulator_registers(&form, form.d);
	fill(form.m, 8, form.k, form.a, form.b);
	lay_operands(&form, ra, rb, rc);
	body[0] = 0;
	say(".reg .b32 %%q<32>; .reg .b64 %%from<3>; mov.b64 %%from0, %%in;\n");
	say("add.s64 %%from1, %%in, %u; add.s64 %%from2, %%in, %u;\n", 128 * ra, 128 * (ra + rb));
	say_moves("ld.global.b32", "%from0", 0, ra);
	say_moves("ld.global.b32", "%from1", ra, rb);
	say_moves("ld.global.b32", "%from2", ra + rb, rc);
	say("mma.sync.aligned.m%un8k%u.row.col.%s.%s.%s.%s ", form.m, form.k, names[form.d],
		names[form.a], names[form.b], names[form.c]);
	say_registers(16, rd);
	say_operands(ra, rb, rc);
	say(";\n");
	say_moves("st.global.b32", "%out", 16, rd);
	run(32, 128 * (ra + rb + rc), 128 * rd);
	for (unsigned lane = 0; lane < 32; lane++)
		for (unsigned i = 0; i < form.m / 4u; i++) {
			unsigned row, column;
			accumulator_place(lane, i, &row, &column);
			cr_assert_eq(number(form.d, output + lane * rd, i), expected(row, column, form.k),
						 "m%u k%u %s %s lane %u element %u", form.m, form.k, names[form.a],
						 names[form.d], lane, i);
		}
}

Test(exec_matrix, mma_of_floats)
{
	const enum tensor_type f16 = TENSOR_F16, bf16 = TENSOR_BF16, tf32 = TENSOR_TF32;
	const enum tensor_type f32 = TENSOR_F32, e4m3 = TENSOR_E4M3, e5m2 = TENSOR_E5M2;
	for (uint16_t k = 8; k <= 16; k *= 2) {
		check_mma((struct form){16, k, f16, f16, f32, f32});
		check_mma((struct form){16, k, f16, f16, f16, f16});
		check_mma((struct form){16, k, bf16, bf16, f32, f32});
		check_mma((struct form){16, k / 2, tf32, tf32, f32, f32});
	}
	check_mma((struct form){16, 32, e4m3, e4m3, f32, f32});
	check_mma((struct form){16, 32, e4m3, e5m2, f32, f32});
	check_mma((struct form){16, 32, e5m2, e4m3, f32, f32});
	check_mma((struct form){16, 32, e5m2, e5m2, f32, f32});
}

Test(exec_matrix, mma_of_bytes)
{
	const enum tensor_type signs[] = {TENSOR_S8, TENSOR_U8}, s32 = TENSOR_S32;
	for (int i = 0; i < 4; i++) {
		check_mma((struct form){8, 16, signs[i % 2], signs[i / 2], s32, s32});
		check_mma((struct form){16, 16, signs[i % 2], signs[i / 2], s32, s32});
		check_mma((struct form){16, 32, signs[i % 2], signs[i / 2], s32, s32});
	}
}

/* Doubles: element i of A at row g + 8 (i % 2), column t + 4 (i / 2); of B at row
 * t + 4 i, column g (PTX ISA, mma.m16n8k4, .k8 and .k16 for .f64). */
static void check_mma_f64(unsigned m, unsigned k)
{
	double *in = (double *)(void *)input, *out = (double *)(void *)output;
	unsigned ra = m * k / 32, rb = k / 4, rc = m / 4, next = 0;
	fill(m, 8, k, TENSOR_S8, TENSOR_S8);
	for (unsigned lane = 0; lane < 32; lane++) {
		unsigned g = lane / 4, t = lane % 4;
		for (unsigned i = 0; i < ra; i++)
			in[next++] = m == 8 ? a[g][t] : a[g + 8 * (i % 2)][t + 4 * (i / 2)];
		for (unsigned i = 0; i < rb; i++)
			in[next++] = b[t + 4 * i][g];
		for (unsigned i = 0; i < rc; i++)
			in[next++] = c[g + 8 * (i / 2)][2 * t + i % 2];
	}
	body[0] = 0;
	say(".reg .b64 %%q<24>; mad.wide.u32 %%d1, %%t, %u, %%in;\n", 8 * (ra + rb + rc));
	for (unsigned i = 0; i < ra + rb + rc; i++)
		say("ld.global.b64 %%q%u, [%%d1+%u];\n", i, 8 * i);
	say("mma.sync.aligned.m%un8k%u.row.col.f64.f64.f64.f64 ", m, k);
	say_registers(20, rc);
	say_operands(ra, rb, rc);
	say(";\nmad.wide.u32 %%d1, %%t, %u, %%out;\n", 8 * rc);
	for (unsigned i = 0; i < rc; i++)
		say("st.global.b64 [%%d1+%u], %%q%u;\n", 8 * i, 20 + i);
	run(32, 8 * next, 32 * 8 * rc);
	for (unsigned lane = 0; lane < 32; lane++)
		for (unsigned i = 0; i < rc; i++) {
			unsigned row, column;
			accumulator_place(lane, i, &row, &column);
			cr_assert_eq(out[lane * rc + i], expected(row, column, k), "m%u k%u lane %u", m, k,
						 lane);
		}
}

Test(exec_matrix, mma_of_doubles)
{
	check_mma_f64(8, 4);
	for (unsigned k = 4; k <= 16; k *= 2)
		check_mma_f64(16, k);
}

/* ------------------------------------------------------------------------
 * wmma, through global and through shared memory: A, B and C from four kinds of
 * layout with rows that are wider than they must be; D the other way round than C. */

#define PAD 16 /* bytes at the end of each row, or column */

struct tile {
	const char *name; /* "a" */
	enum tensor_type type;
	unsigned rows, columns;
	bool by_rows;
};

static unsigned tile_stride(const struct tile *tile)
{
	return (tile->by_rows ? tile->columns : tile->rows) +
		   PAD / (unsigned)tensor_type_bytes(tile->type);
}

static size_t tile_bytes(const struct tile *tile)
{
	return (size_t)(tile->by_rows ? tile->rows : tile->columns) * tile_stride(tile) *
		   tensor_type_bytes(tile->type);
}

static size_t tile_place(const struct tile *tile, unsigned row, unsigned column)
{
	size_t at = tile->by_rows ? (size_t)row * tile_stride(tile) + column
							  : (size_t)column * tile_stride(tile) + row;
	return at * tensor_type_bytes(tile->type);
}

static void tile_put(const struct tile *tile, uint8_t *to, unsigned row, unsigned column, int value)
{
	uint32_t bits = encode(tile->type, value);
	double wide = value;
	size_t bytes = tensor_type_bytes(tile->type);
	memcpy(to + tile_place(tile, row, column), bytes == 8 ? (void *)&wide : (void *)&bits, bytes);
}

static double tile_get(const struct tile *tile, const uint8_t *from, unsigned row, unsigned column)
{
	uint32_t bits = 0;
	double wide;
	from += tile_place(tile, row, column);
	if (tile->type == TENSOR_F64) {
		memcpy(&wide, from, sizeof wide);
		return wide;
	}
	memcpy(&bits, from, tensor_type_bytes(tile->type));
	return number(tile->type, &bits, 0);
}

static void say_tile(const char *what, const char *shape, const char *space,
					 const struct tile *tile, const char *address, unsigned first, unsigned count)
{
	bool load = what[0] == 'l';
	say("wmma.%s.%s.sync.aligned.%s.%s.%s.%s ", what, tile->name, tile->by_rows ? "row" : "col",
		shape, space, names[tile->type]);
	if (load)
		say_registers(first, count);
	say("%s[%s], ", load ? ", " : "", address);
	if (!load)
		say_registers(first, count);
	say("%s%u;\n", load ? "" : ", ", tile_stride(tile));
}

/* PTX's numbers of registers: 8 for A and B of f16, whatever the shape. */
static unsigned wmma_registers(const struct tile *tile)
{
	unsigned elements = tile->rows * tile->columns / 32;
	if (tile->name[0] > 'b')
		return tile->type == TENSOR_F16 ? elements / 2 : elements;
	if (tile->type == TENSOR_F16)
		return 8;
	return elements * (unsigned)tensor_type_bytes(tile->type) / 4 +
		   (tile->type == TENSOR_F64 ? -elements : 0);
}

static void say_wmma(const struct tile tiles[4], unsigned m, unsigned n, unsigned k, bool in_shared)
{
	const char *space = in_shared ? "shared" : "global", *base = in_shared ? "%s" : "%from";
	char shape[32], address[32];
	unsigned first[5] = {0};
	size_t at = 0;
	bool f64 = tiles[0].type == TENSOR_F64, f16 = tiles[0].type == TENSOR_F16;
	snprintf(shape, sizeof shape, "m%un%uk%u", m, n, k);
	say(".reg .%s %%q<64>; .shared .align 128 .b8 tile[16384];\n", f64 ? "f64" : "b32");
	say(".reg .b32 %%s<4>; .reg .b64 %%from<3>; .reg .b64 %%to;\n");
	for (unsigned i = 0; i < 4; i++)
		first[i + 1] = first[i] + wmma_registers(&tiles[i]);
	for (unsigned i = 0; i < 3; at += tile_bytes(&tiles[i++])) {
		say("mov.u32 %%s%u, tile; add.u32 %%s%u, %%s%u, %zu; add.s64 %%from%u, %%in, %zu;\n", i, i,
			i, at, i, at);
		for (size_t word = 0; in_shared && word < tile_bytes(&tiles[i]); word += 128)
			say("mad.wide.u32 %%d1, %%t, 4, %%from%u; ld.global.b32 %%r1, [%%d1+%zu];\n"
				"mad.lo.u32 %%r2, %%t, 4, %%s%u; st.shared.b32 [%%r2+%zu], %%r1;\n",
				i, word, i, word);
	}
	say("bar.sync 0;\n");
	for (unsigned i = 0; i < 3; i++) {
		snprintf(address, sizeof address, "%s%u", base, i);
		say_tile("load", shape, space, &tiles[i], address, first[i], first[i + 1] - first[i]);
	}
	say("wmma.mma.sync.aligned.%s.%s.%s%s", tiles[0].by_rows ? "row" : "col",
		tiles[1].by_rows ? "row" : "col", shape, f64 ? ".rn" : "");
	for (unsigned i = 0; i < 4; i++) /* f16 names the types of d and c alone */
		if (!f16 || i % 3 == 0)
			say(".%s", names[tiles[(i + 3) % 4].type]);
	for (unsigned i = 0; i < 4; i++) {
		unsigned operand = (i + 3) % 4;
		say(i ? ", " : " ");
		say_registers(first[operand], first[operand + 1] - first[operand]);
	}
	say(";\n");
	say_tile("store", shape, "global", &tiles[3], "%out", first[3], first[4] - first[3]);
}

static void check_wmma(unsigned m, unsigned n, unsigned k, enum tensor_type type,
					   enum tensor_type sums, unsigned layouts)
{
	bool in_shared = layouts & 8, last = layouts & 4;
	const struct tile tiles[4] = {{"a", type, m, k, !(layouts & 1)},
								  {"b", type, k, n, !(layouts & 2)},
								  {"c", sums, m, n, !last},
								  {"d", sums, m, n, last}};
	int(*sources[3])[256] = {NULL, b, c};
	uint8_t *to = (uint8_t *)input;
	fill(m, n, k, type, type);
	memset(input, 0, sizeof input);
	for (unsigned i = 0; i < 3; to += tile_bytes(&tiles[i++]))
		for (unsigned row = 0; row < tiles[i].rows; row++)
			for (unsigned column = 0; column < tiles[i].columns; column++)
				tile_put(&tiles[i], to, row, column, i ? sources[i][row][column] : a[row][column]);
	body[0] = 0;
	say_wmma(tiles, m, n, k, in_shared);
	run(32, sizeof input, sizeof output);
	for (unsigned row = 0; row < m; row++)
		for (unsigned column = 0; column < n; column++)
			cr_assert_eq(tile_get(&tiles[3], (uint8_t *)output, row, column),
						 expected(row, column, k), "m%un%uk%u %s %s layouts %u at %u %u", m, n, k,
						 names[type], names[sums], layouts, row, column);
}

Test(exec_matrix, wmma_in_every_shape_and_layout)
{
	static const unsigned shapes[3][2] = {{16, 16}, {32, 8}, {8, 32}};
	for (unsigned layouts = 0; layouts < 16; layouts++) {
		for (int i = 0; i < 3; i++) {
			unsigned m = shapes[i][0], n = shapes[i][1];
			check_wmma(m, n, 16, TENSOR_F16, TENSOR_F32, layouts);
			check_wmma(m, n, 16, TENSOR_F16, TENSOR_F16, layouts);
			check_wmma(m, n, 16, TENSOR_BF16, TENSOR_F32, layouts);
			check_wmma(m, n, 16, TENSOR_S8, TENSOR_S32, layouts);
			check_wmma(m, n, 16, TENSOR_U8, TENSOR_S32, layouts);
		}
		check_wmma(16, 16, 8, TENSOR_TF32, TENSOR_F32, layouts);
		check_wmma(8, 8, 4, TENSOR_F64, TENSOR_F64, layouts);
	}
}

/* ------------------------------------------------------------------------
 * ldmatrix and stmatrix: lane l has the address of row l % 8 of matrix l / 8, and
 * element 2 (l % 4) + i of row l / 4; turned round with .trans. */

static void check_matrix_move(bool store, unsigned count, bool trans)
{
	uint16_t *in = (uint16_t *)(void *)input, *out = (uint16_t *)(void *)output;
	for (unsigned i = 0; i < 64 * count; i++)
		in[i] = (uint16_t)(i * 257 + 3);
	body[0] = 0;
	say(".reg .b32 %%q<4>; .shared .align 128 .b8 tile[512]; mov.u32 %%r8, tile;\n");
	say("mad.lo.u32 %%r7, %%t, 4, %%r8; mad.lo.u32 %%r9, %%t, 16, %%r8;\n");
	if (store) {
		say_moves("ld.global.b32", "%in", 0, count);
	} else {
		say("mad.wide.u32 %%d1, %%t, 4, %%in;\n");
		for (unsigned i = 0; i < count; i++)
			say("ld.global.b32 %%r1, [%%d1+%u]; st.shared.b32 [%%r7+%u], %%r1;\n", 128 * i,
				128 * i);
	}
	const char *turned = trans ? ".trans" : "";
	say("bar.sync 0;\n%s.sync.aligned.m8n8.x%u%s.shared.b16 ", store ? "stmatrix" : "ldmatrix",
		count, turned);
	say(store ? "[%%r9], " : "");
	say_registers(0, count);
	say(store ? ";\nbar.sync 0;\nmad.wide.u32 %%d1, %%t, 4, %%out;\n" : ", [%%r9];\n");
	if (!store)
		say_moves("st.global.b32", "%out", 0, count);
	for (unsigned i = 0; store && i < count; i++)
		say("ld.shared.b32 %%r1, [%%r7+%u]; st.global.b32 [%%d1+%u], %%r1;\n", 128 * i, 128 * i);
	run(32, 128 * count, 128 * count);
	for (unsigned matrix = 0; matrix < count; matrix++)
		for (unsigned lane = 0; lane < 32; lane++)
			for (unsigned i = 0; i < 2; i++) {
				unsigned row = lane / 4, column = lane % 4 * 2 + i;
				unsigned held = (lane * count + matrix) * 2 + i;
				unsigned stored = matrix * 64 + (trans ? column * 8 + row : row * 8 + column);
				cr_assert_eq(out[store ? stored : held], in[store ? held : stored],
							 "%s x%u%s lane %u", store ? "stmatrix" : "ldmatrix", count, turned,
							 lane);
			}
}

Test(exec_matrix, matrices_to_and_from_shared_memory)
{
	for (int form = 0; form < 4; form++)
		for (unsigned count = 1; count <= 4; count *= 2)
			check_matrix_move(form & 1, count, form & 2);
}

/* ------------------------------------------------------------------------
 * wgmma */

struct wgmma_form {
	unsigned n;
	enum tensor_type type, d;
	enum tensor_swizzle swizzle;
	bool a_mn_major, b_mn_major, a_in_registers;
};

#define A_AT 0
#define B_AT 8192
#define TILE_BYTES 40960 /* B: 256 rows of 128 bytes */

static void say_wgmma(const struct wgmma_form *form, uint64_t from_a, uint64_t from_b)
{
	bool whole = form->type == TENSOR_S8, major = tensor_type_bytes(form->type) == 2;
	unsigned k = 32 / (unsigned)tensor_type_bytes(form->type);
	unsigned count = form->n / (form->d == TENSOR_F16 ? 4 : 2);
	body[0] = 0;
	say(".reg .b32 %%q<160>; .shared .align 1024 .b8 tile[%u]; mov.u32 %%r8, tile;\n", TILE_BYTES);
	say("mov.u32 %%r1, %%t; mad.wide.u32 %%d1, %%t, 4, %%in; mad.lo.u32 %%r2, %%t, 4, %%r8;\n"
		"$copy: ld.global.b32 %%r3, [%%d1]; st.shared.b32 [%%r2], %%r3; add.u32 %%r1, %%r1, 128;\n"
		"add.s64 %%d1, %%d1, 512; add.u32 %%r2, %%r2, 512; setp.lt.u32 %%p1, %%r1, %u;\n"
		"@%%p1 bra $copy; fence.proxy.async; bar.sync 0;\n",
		TILE_BYTES / 4);
	say("add.s64 %%in, %%in, %u;\n", TILE_BYTES);
	say_moves("ld.global.b32", "%in", 150, 4); /* A's own registers */
	for (unsigned i = 0; i < count; i++)
		say("mov.b32 %%q%u, 0x7fff7fff;\n", i); /* not to be seen: scale-d is false */
	say("shr.u32 %%r8, %%r8, 4; cvt.u64.u32 %%d4, %%r8; mov.u64 %%d2, 0x%llx;\n"
		"mov.u64 %%d3, 0x%llx; add.s64 %%d2, %%d2, %%d4; add.s64 %%d3, %%d3, %%d4;\n",
		(unsigned long long)from_a, (unsigned long long)from_b);
	say("setp.ne.b32 %%p2, 0, 0; wgmma.fence.sync.aligned;\n"
		"wgmma.mma_async.sync.aligned.m64n%uk%u.%s.%s.%s ",
		form->n, k, names[form->d], names[form->type], names[form->type]);
	say_registers(0, count);
	say(", ");
	if (form->a_in_registers)
		say_registers(150, 4);
	say("%s, %%d3, %%p2%s", form->a_in_registers ? "" : "%d2", whole ? "" : ", 1, 1");
	if (major && !form->a_in_registers)
		say(", %d", form->a_mn_major);
	if (major)
		say(", %d", form->b_mn_major);
	say(";\nwgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n");
	say_moves("st.global.b32", "%out", 0, count);
}

static uint64_t lay(const struct wgmma_form *form, bool is_a)
{
	bool mn_major = is_a ? form->a_mn_major : form->b_mn_major;
	return (mn_major ? lay_mn_major : lay_k_major)(is_a ? A_AT : B_AT, is_a ? 64 : form->n,
												   form->type, form->swizzle, is_a);
}

static void check_wgmma(struct wgmma_form form)
{
	unsigned bits = (unsigned)tensor_type_bytes(form.type) * 8, k = 256 / bits, row, column;
	unsigned count = form.n / (form.d == TENSOR_F16 ? 4 : 2);
	uint32_t *registers = input + TILE_BYTES / 4;
	fill(64, form.n, k, form.type, form.type);
	memset(c, 0, sizeof c);
	memset(shared, 0, TILE_BYTES);
	memset(registers, 0, (size_t)128 * 4 * 4);
	uint64_t from_a = lay(&form, true), from_b = lay(&form, false);
	memcpy(input, shared, TILE_BYTES);
	for (unsigned thread = 0; thread < 128; thread++)
		for (unsigned i = 0; i < 128 / bits; i++) {
			isa_a(bits, thread % 32, i, &row, &column);
			put_element(registers, 4, thread, i, bits,
						encode(form.type, a[thread / 32 * 16 + row][column]));
		}
	say_wgmma(&form, from_a, from_b);
	run(128, TILE_BYTES + 128 * 16, (size_t)512 * count);
	for (unsigned thread = 0; thread < 128; thread++)
		for (unsigned i = 0; i < form.n / 2; i++) {
			row = thread / 32 * 16 + thread % 32 / 4 + 8 * (i / 2 % 2);
			column = 8 * (i / 4) + thread % 4 * 2 + i % 2;
			cr_assert_eq(number(form.d, output + thread * count, i), expected(row, column, k),
						 "n %u %s to %s, swizzle %d, major %d %d, registers %d: row %u column %u",
						 form.n, names[form.type], names[form.d], form.swizzle, form.a_mn_major,
						 form.b_mn_major, form.a_in_registers, row, column);
		}
}

Test(exec_matrix, wgmma_of_every_width)
{
	static const enum tensor_type types[][2] = {
		{TENSOR_F16, TENSOR_F32},  {TENSOR_F16, TENSOR_F16},  {TENSOR_BF16, TENSOR_F32},
		{TENSOR_TF32, TENSOR_F32}, {TENSOR_E4M3, TENSOR_F32}, {TENSOR_E5M2, TENSOR_F16},
	};
	for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
		for (unsigned n = 8; n <= 256; n += 8)
			check_wgmma((struct wgmma_form){n, types[i][0], types[i][1], TENSOR_SWIZZLE_128, false,
											false, n % 16 == 0});
	for (unsigned n = 8; n <= 256; n += n < 32 ? 8 : 16)
		check_wgmma((struct wgmma_form){n, TENSOR_S8, TENSOR_S32, TENSOR_SWIZZLE_128, false, false,
										n % 32 == 0});
}

Test(exec_matrix, wgmma_in_every_layout)
{
	for (int swizzle = 0; swizzle < 4; swizzle++)
		for (int form = 0; form < 8; form++)
			for (unsigned n = 24; n <= 216; n += 192) {
				enum tensor_swizzle mode = (enum tensor_swizzle)swizzle;
				bool registers = form & 4, a_mn = !registers && form & 1, b_mn = form & 2;
				check_wgmma(
					(struct wgmma_form){n, TENSOR_F16, TENSOR_F32, mode, a_mn, b_mn, registers});
				check_wgmma(
					(struct wgmma_form){n, TENSOR_BF16, TENSOR_F32, mode, a_mn, b_mn, registers});
				check_wgmma(
					(struct wgmma_form){n, TENSOR_TF32, TENSOR_F32, mode, false, false, registers});
			}
}

/* ------------------------------------------------------------------------
 * wmma of 4 bits and of one: rows of A and columns of B are 16 bytes, 32 apart. */

static uint32_t row_by_column(const uint32_t *x, const uint32_t *y, char type)
{
	uint32_t sum = 0;
	for (unsigned i = 0; i < 32; i++) {
		const uint32_t left = x[i / 8] << (28 - i % 8 * 4), right = y[i / 8] << (28 - i % 8 * 4);
		sum += type == 'b'   ? (uint32_t)(i < 4 ? __builtin_popcount(x[i] ^ y[i]) : 0)
			   : type == 's' ? (uint32_t)(((int32_t)left >> 28) * ((int32_t)right >> 28))
							 : (left >> 28) * (right >> 28);
	}
	return sum;
}

static void check_small_wmma(const char *shape, const char *operation, const char *type,
							 unsigned stride)
{
	for (unsigned i = 0; i < 8 * 8 * 3; i++)
		input[i] = (uint32_t)rand() * 2654435761u;
	body[0] = 0;
	say(".reg .b32 %%q<8>; .reg .b64 %%b<2>; add.s64 %%b0, %%in, 256; add.s64 %%b1, %%in, 512;\n");
	say("wmma.load.a.sync.aligned.row.%s.global.%s {%%q0}, [%%in], %u;\n", shape, type, stride);
	say("wmma.load.b.sync.aligned.col.%s.global.%s {%%q1}, [%%b0], %u;\n", shape, type, stride);
	say("wmma.load.c.sync.aligned.row.%s.global.s32 {%%q2, %%q3}, [%%b1], 8;\n", shape);
	say("wmma.mma%s.sync.aligned.row.col.%s.s32.%s.%s.s32 {%%q4, %%q5}, {%%q0}, {%%q1}, {%%q2, "
		"%%q3};\n",
		operation, shape, type, type);
	say("wmma.store.d.sync.aligned.row.%s.global.s32 [%%out], {%%q4, %%q5}, 8;\n", shape);
	run(32, 8 * 8 * 3 * 4, 64 * 4);
	for (unsigned i = 0; i < 64; i++) {
		const uint32_t *row = input + i / 8 * 8, *column = input + 64 + i % 8 * 8;
		uint32_t sum = input[128 + i] + row_by_column(row, column, type[0]);
		cr_assert_eq(output[i], sum, "%s: row %u column %u", type, i / 8, i % 8);
	}
}

Test(exec_matrix, wmma_below_a_byte)
{
	check_small_wmma("m8n8k32", "", "s4", 64);
	check_small_wmma("m8n8k32", "", "u4", 64);
	check_small_wmma("m8n8k128", ".xor.popc", "b1", 256);
}
