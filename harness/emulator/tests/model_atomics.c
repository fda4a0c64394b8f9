/* atom and red: every operation and type that sm_90 has, in shared and in global memory, vectors
 * too; each thread has a place of its own. PTX ISA 9.7.13.5 (atom) and 9.7.13.7 (red). */
#include "model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define INPUTS 2048
#define THREADS 256
#define PLACE 16 /* bytes */

struct input {
	uint8_t old[PLACE], b[PLACE], c[PLACE];
};

struct result {
	uint8_t returned[PLACE], memory[PLACE];
};

enum atomic { ADD, MIN, MAX, AND, OR, XOR, EXCH, CAS, INC, DEC };
static const char *const operations[] = {"add", "min",  "max", "and", "or",
										 "xor", "exch", "cas", "inc", "dec"};

static const struct row {
	enum atomic operation;
	const char *type; /* as PTX names it */
	enum model_type of;
	unsigned elements; /* 2: packed */
} rows[] = {
	{ADD, "u32", MODEL_U32, 1},
	{ADD, "s32", MODEL_S32, 1},
	{ADD, "u64", MODEL_U64, 1},
	{ADD, "f32", MODEL_F32, 1},
	{ADD, "f64", MODEL_F64, 1},
	{ADD, "f16", MODEL_F16, 1},
	{ADD, "f16x2", MODEL_F16, 2},
	{ADD, "bf16", MODEL_BF16, 1},
	{ADD, "bf16x2", MODEL_BF16, 2},
	{MIN, "u32", MODEL_U32, 1},
	{MIN, "s32", MODEL_S32, 1},
	{MIN, "u64", MODEL_U64, 1},
	{MIN, "s64", MODEL_S64, 1},
	{MAX, "u32", MODEL_U32, 1},
	{MAX, "s32", MODEL_S32, 1},
	{MAX, "u64", MODEL_U64, 1},
	{MAX, "s64", MODEL_S64, 1},
	{AND, "b32", MODEL_U32, 1},
	{AND, "b64", MODEL_U64, 1},
	{OR, "b32", MODEL_U32, 1},
	{OR, "b64", MODEL_U64, 1},
	{XOR, "b32", MODEL_U32, 1},
	{XOR, "b64", MODEL_U64, 1},
	{EXCH, "b32", MODEL_U32, 1},
	{EXCH, "b64", MODEL_U64, 1},
	{CAS, "b16", MODEL_U16, 1},
	{CAS, "b32", MODEL_U32, 1},
	{CAS, "b64", MODEL_U64, 1},
	{INC, "u32", MODEL_U32, 1},
	{DEC, "u32", MODEL_U32, 1},
	/* from here on as vectors of global memory only */
	{ADD, "v2.f32", MODEL_F32, 2},
	{ADD, "v4.f32", MODEL_F32, 4},
	{ADD, "v2.f16", MODEL_F16, 2},
	{MIN, "v4.f16", MODEL_F16, 4},
	{MAX, "v8.f16", MODEL_F16, 8},
	{ADD, "v8.f16", MODEL_F16, 8},
	{MIN, "v2.bf16", MODEL_BF16, 2},
	{MAX, "v4.bf16", MODEL_BF16, 4},
	{ADD, "v8.bf16", MODEL_BF16, 8},
	{ADD, "v4.f16x2", MODEL_F16, 8},
	{MIN, "v2.f16x2", MODEL_F16, 4},
	{ADD, "v2.bf16x2", MODEL_BF16, 4},
	{MAX, "v4.bf16x2", MODEL_BF16, 8},
};
#define ROWS (sizeof rows / sizeof rows[0])

/* Each row as these, but that nothing is lost by exch and cas, so that red has none. */
enum form { ATOM_GLOBAL, ATOM_GENERIC, RED_GLOBAL, ATOM_SHARED, RED_SHARED, FORMS };

static bool is_vector(const struct row *row)
{
	return row->type[0] == 'v';
}

static bool is_red(enum form form)
{
	return form == RED_GLOBAL || form == RED_SHARED;
}

static bool has_form(const struct row *row, enum form form)
{
	if (is_vector(row) && form >= ATOM_SHARED)
		return false;
	return !is_red(form) || (row->operation != EXCH && row->operation != CAS);
}

/* ------------------------------------------------------------------------ */

/* Registers of an operand: r1, or h1... in braces */
static unsigned registers(const struct row *row, char *letter)
{
	bool packed = strstr(row->type, "x2") != NULL;
	unsigned bits = model_bits(row->of) * (packed ? 2 : 1);
	*letter = bits == 16 ? 'h' : bits == 32 ? 'r' : 'd';
	return row->elements / (packed ? 2 : 1);
}

static void say_operand(struct model_text *text, const struct row *row, unsigned first)
{
	char letter;
	unsigned count = registers(row, &letter);
	for (unsigned i = 0; i < count; i++)
		model_say(text, "%s%%%c%u", i ? ", " : is_vector(row) ? "{" : "", letter, first + i);
	model_say(text, "%s", is_vector(row) ? "}" : "");
}

static void say_moves(struct model_text *text, const struct row *row, const char *what,
					  const char *address, unsigned offset, unsigned first)
{
	char letter;
	unsigned count = registers(row, &letter), bytes = letter == 'h' ? 2 : letter == 'r' ? 4 : 8;
	for (unsigned i = 0; i < count; i++)
		if (what[0] == 'l')
			model_say(text, "%s.b%u %%%c%u, [%s+%u];\n", what, bytes * 8, letter, first + i,
					  address, offset + i * bytes);
		else
			model_say(text, "%s.b%u [%s+%u], %%%c%u;\n", what, bytes * 8, address,
					  offset + i * bytes, letter, first + i);
}

static const char *opcode(const struct row *row, enum form form, char *name, size_t size)
{
	static const char *const spaces[] = {".global", "", ".global", ".shared", ".shared"};
	bool half = row->of == MODEL_F16 || row->of == MODEL_BF16;
	snprintf(name, size, "%s%s.%s%s.%s", is_red(form) ? "red" : "atom",
			 is_vector(row) ? ".global" : spaces[form], operations[row->operation],
			 half ? ".noftz" : "", row->type);
	return name;
}

/* %d40: this row's result in global memory; %d41: of it, the place that is worked on */
static void say_one(struct model_text *text, const struct row *row, enum form form)
{
	char name[64];
	const char *place = form == ATOM_SHARED || form == RED_SHARED ? "%r40"
						: form == ATOM_GENERIC                    ? "%d42"
																  : "%d41";
	const char *load = place[1] == 'r' ? "ld.shared" : "ld.global";
	const char *store = place[1] == 'r' ? "st.shared" : "st.global";
	const char *at = place[1] == 'r' ? place : "%d41";
	say_moves(text, row, "ld.global", "%in", 0, 1);
	say_moves(text, row, store, at, 0, 1);
	say_moves(text, row, "ld.global", "%in", PLACE, 11);
	say_moves(text, row, "ld.global", "%in", 2 * PLACE, 21);
	model_say(text, "%s ", opcode(row, form, name, sizeof name));
	if (!is_red(form)) {
		say_operand(text, row, 31);
		model_say(text, ", ");
	}
	model_say(text, "[%s], ", place);
	say_operand(text, row, 11);
	if (row->operation == CAS) {
		model_say(text, ", ");
		say_operand(text, row, 21);
	}
	model_say(text, ";\n");
	if (!is_red(form))
		say_moves(text, row, "st.global", "%d40", 0, 31);
	say_moves(text, row, load, at, 0, 1);
	say_moves(text, row, "st.global", "%d41", 0, 1);
	model_say(text,
			  "add.s64 %%d40, %%d40, %zu; add.s64 %%d41, %%d41, %zu; add.s64 %%d42, %%d42, "
			  "%zu;\n",
			  INPUTS * sizeof(struct result), INPUTS * sizeof(struct result),
			  INPUTS * sizeof(struct result));
}

static void atomics_kernel(struct model_text *text)
{
	model_begin(text);
	model_say(
		text,
		".shared .align 16 .b8 places[%d]; mov.u32 %%r40, places; shl.b32 %%r41, %%tid32, 4;\n"
		"add.u32 %%r40, %%r40, %%r41; mul.wide.u32 %%d1, %%t, %zu; add.s64 %%in, %%in, "
		"%%d1;\n"
		"mul.wide.u32 %%d1, %%t, %zu; add.s64 %%d40, %%out, %%d1; add.s64 %%d41, %%d40, %d;\n"
		"cvta.global.u64 %%d42, %%d41;\n",
		THREADS * PLACE, sizeof(struct input), sizeof(struct result), PLACE);
	for (size_t i = 0; i < ROWS; i++)
		for (int form = 0; form < FORMS; form++)
			if (has_form(&rows[i], (enum form)form))
				say_one(text, &rows[i], (enum form)form);
	model_end(text);
}

static void atomics_draw(void *to)
{
	struct input *in = to;
	uint64_t state = 97135;
	for (int i = 0; i < INPUTS; i++) {
		unsigned bits = i % 3 == 0 ? 16 : i % 3 == 1 ? 32 : 64;
		for (unsigned k = 0; k < sizeof *in * 8 / bits; k++) {
			uint64_t word = model_operand(&state, bits);
			memcpy((uint8_t *)&in[i] + k * bits / 8, &word, bits / 8);
		}
		uint64_t how = model_random(&state);
		if (how % 4 == 0) /* cas, inc and dec want neighbours */
			memcpy(in[i].b, in[i].old, PLACE);
		if (how % 4 == 0)
			in[i].b[0] += (uint8_t)(how >> 8 & 1);
		if (how % 16 == 1)
			memset(in[i].old, 0, PLACE);
	}
}

/* ------------------------------------------------------------------------ */

static uint64_t element(const uint8_t *from, enum model_type type, unsigned i)
{
	uint64_t bits = 0;
	memcpy(&bits, from + i * model_bits(type) / 8, model_bits(type) / 8);
	return bits;
}

static float float_of(uint64_t bits, bool flush)
{
	float value;
	memcpy(&value, &bits, sizeof value);
	return flush && fabsf(value) < 0x1p-126f ? copysignf(0, value) : value;
}

/* Sums round to nearest even. "Current implementation of atom.add.f32 on global memory flushes
 * subnormal inputs and results to sign-preserving zero", in shared memory it does not; halves are
 * never flushed. Their sums are exact in f32 but for a rounding that does no harm: 24 bits are
 * twice 11 and two. */
static uint64_t sum(enum model_type type, uint64_t a, uint64_t b, bool global)
{
	uint64_t bits = 0;
	if (type == MODEL_F64) {
		double x, y;
		memcpy(&x, &a, sizeof x);
		memcpy(&y, &b, sizeof y);
		x += y;
		memcpy(&bits, &x, sizeof x);
		return bits;
	}
	if (type == MODEL_F32) {
		float total = float_of(a, global) + float_of(b, global);
		memcpy(&bits, &total, sizeof total);
		total = float_of(bits, global);
		memcpy(&bits, &total, sizeof total);
		return bits;
	}
	if (model_is_float(type)) {
		float total = (float)model_decode(type, a) + (float)model_decode(type, b);
		return model_encode(type, (long double)total, MODEL_RN, false);
	}
	return a + b;
}

/* min and max of halves are as the instructions min and max (9.7.4.7): a NaN loses, and -0 is less
 * than +0. */
static uint64_t extreme(enum model_type type, uint64_t a, uint64_t b, bool least)
{
	long double x = model_decode(type, a), y = model_decode(type, b);
	if (isnan(x) || isnan(y))
		return isnan(x) ? b : a;
	bool less = x < y || (x == y && signbit(x) && !signbit(y));
	return less == least ? a : b;
}

static uint64_t expected(const struct row *row, uint64_t a, uint64_t b, uint64_t c, bool global)
{
	switch (row->operation) {
	case ADD: return sum(row->of, a, b, global);
	case MIN: return extreme(row->of, a, b, true);
	case MAX: return extreme(row->of, a, b, false);
	case AND: return a & b;
	case OR: return a | b;
	case XOR: return a ^ b;
	case EXCH: return b;
	case CAS: return a == b ? c : a;
	case INC: return a >= b ? 0 : a + 1;
	default: return a == 0 || a > b ? b : a - 1;
	}
}

static void compare(struct model_differences *all, const struct row *row, enum form form,
					const struct input *in, const struct result *out)
{
	char name[64];
	for (unsigned i = 0; i < row->elements; i++) {
		uint64_t a = element(in->old, row->of, i), b = element(in->b, row->of, i);
		uint64_t wanted = expected(row, a, b, element(in->c, row->of, i), form < ATOM_SHARED);
		uint64_t memory = element(out->memory, row->of, i);
		uint64_t returned = element(out->returned, row->of, i);
		opcode(row, form, name, sizeof name);
		model_compare(all, model_same(row->of, memory, wanted),
					  "%s of %llx and %llx: %llx in memory, expected %llx", name,
					  (unsigned long long)a, (unsigned long long)b, (unsigned long long)memory,
					  (unsigned long long)wanted);
		if (!is_red(form))
			model_compare(all, returned == a, "%s of %llx and %llx returns %llx", name,
						  (unsigned long long)a, (unsigned long long)b,
						  (unsigned long long)returned);
	}
}

static size_t atomics_differ(const void *from, const void *results, size_t *compared, char *said,
							 size_t size)
{
	const struct input *in = from;
	const struct result *out = results;
	struct model_differences all = {.said = said, .size = size};
	for (size_t i = 0; i < ROWS; i++)
		for (int form = 0; form < FORMS; form++)
			for (int k = 0; k < INPUTS && has_form(&rows[i], (enum form)form); k++)
				compare(&all, &rows[i], (enum form)form, &in[k], out++);
	*compared = all.compared;
	return all.differ;
}

static size_t atomics_in(void)
{
	return INPUTS * sizeof(struct input);
}

static size_t atomics_out(void)
{
	size_t count = 0;
	for (size_t i = 0; i < ROWS; i++)
		for (int form = 0; form < FORMS; form++)
			count += has_form(&rows[i], (enum form)form);
	return count * INPUTS * sizeof(struct result);
}

const struct model_suite model_atomics = {"atomics",   INPUTS / THREADS, THREADS,      atomics_in,
										  atomics_out, atomics_kernel,   atomics_draw, NULL,
										  NULL,        atomics_differ};
