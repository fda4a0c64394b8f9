/* mma.sync and mma.sp: every shape and type that sm_90a has. Floating operands are random, small
 * integers, and now and then an infinity or a NaN. PTX ISA 9.7.14.5 (mma, and its fragments .5.1 to
 * .5.13) and 9.7.14.6 (mma.sp). */
#include "model_sum.h"
#include "model_tile.h"

#include <stdio.h>

#define WARPS 32
#define LANES 32
#define FORMS_MAX 512

struct form {
	unsigned m, k;
	enum model_type a, b, c, d;
	bool sparse, ordered, saturate, bits_and, a_col, b_row;
	unsigned selector;
	size_t in, out; /* where its words begin */
};

static struct form forms[FORMS_MAX];
static size_t form_count, in_words, out_words;

static bool is_quads(const struct form *form)
{
	return form->a == MODEL_F16 && form->k == 4;
}

/* Registers of a lane, 64 bits wide for f64 and else 32. */
static unsigned registers_a(const struct form *form)
{
	unsigned bits = model_bits(form->a) * form->m * form->k / (form->sparse ? 2 : 1) / LANES;
	return is_quads(form) ? 2 : bits / (form->a == MODEL_F64 ? 64 : 32);
}

static unsigned registers_b(const struct form *form)
{
	unsigned bits = model_bits(form->b) * 8 * form->k / LANES;
	return is_quads(form) ? 2 : bits / (form->a == MODEL_F64 ? 64 : 32);
}

static unsigned registers_c(const struct form *form, enum model_type type)
{
	unsigned elements = is_quads(form) ? 8 : form->m * 8 / LANES;
	return type == MODEL_F16 ? elements / 2 : elements;
}

static unsigned words_of(const struct form *form)
{
	unsigned wide = form->a == MODEL_F64 ? 2 : 1;
	return wide * (registers_a(form) + registers_b(form) + registers_c(form, form->c)) +
		   form->sparse;
}

static void add(struct form form)
{
	if (form_count == FORMS_MAX)
		return;
	form.in = in_words;
	form.out = out_words;
	in_words += (size_t)words_of(&form) * WARPS * LANES;
	out_words += (size_t)registers_c(&form, form.d) * (form.a == MODEL_F64 ? 2 : 1) * WARPS * LANES;
	forms[form_count++] = form;
}

/* The selectors that a sparse shape has: one thread of four, a pair of them, all of them. */
static unsigned selectors(const struct form *form)
{
	unsigned bits = model_bits(form->a), row = bits * form->k;
	return bits >= 16 ? (row == 256 ? 4 : 2) : row == 256 ? 2 : 1;
}

static void add_sparse(struct form form)
{
	form.sparse = true;
	for (form.selector = 0; form.selector < selectors(&form); form.selector++) {
		form.ordered = form_count % 2;
		add(form);
	}
}

static void list_floats(void)
{
	const enum model_type f16 = MODEL_F16, bf16 = MODEL_BF16, tf32 = MODEL_TF32, f32 = MODEL_F32;
	const enum model_type f64 = MODEL_F64;
	for (int i = 0; i < 3; i++) {
		/* ptxas wants C and D alike, but for m8n8k4 */
		enum model_type c = i == 0 ? f32 : f16, d = i == 2 ? f16 : f32;
		for (unsigned k = 8; k <= 16 && c == d; k *= 2) {
			add((struct form){.m = 16, .k = k, .a = f16, .b = f16, .c = c, .d = d});
			add_sparse((struct form){.m = 16, .k = 2 * k, .a = f16, .b = f16, .c = c, .d = d});
		}
		for (int layout = 0; layout < 4; layout++)
			add((struct form){.m = 8,
							  .k = 4,
							  .a = f16,
							  .b = f16,
							  .c = c,
							  .d = d,
							  .a_col = layout & 1,
							  .b_row = layout & 2});
	}
	for (unsigned k = 8; k <= 16; k *= 2) {
		add((struct form){.m = 16, .k = k, .a = bf16, .b = bf16, .c = f32, .d = f32});
		add_sparse((struct form){.m = 16, .k = 2 * k, .a = bf16, .b = bf16, .c = f32, .d = f32});
		add((struct form){.m = 16, .k = k / 2, .a = tf32, .b = tf32, .c = f32, .d = f32});
		add_sparse((struct form){.m = 16, .k = k, .a = tf32, .b = tf32, .c = f32, .d = f32});
	}
	add((struct form){.m = 8, .k = 4, .a = f64, .b = f64, .c = f64, .d = f64});
	for (unsigned k = 4; k <= 16; k *= 2)
		add((struct form){.m = 16, .k = k, .a = f64, .b = f64, .c = f64, .d = f64});
}

static void list_bytes(void)
{
	for (int i = 0; i < 4; i++) {
		struct form form = {.m = 16, .a = i & 1 ? MODEL_E5M2 : MODEL_E4M3};
		form.b = i & 2 ? MODEL_E5M2 : MODEL_E4M3;
		for (int half = 0; half < 2; half++) {
			form.c = form.d = half ? MODEL_F16 : MODEL_F32;
			for (form.k = 16; form.k <= 32; form.k *= 2)
				add(form);
		}
		form.c = form.d = MODEL_F32;
		form.k = 64;
		add_sparse(form);
	}
}

static void list_integers(void)
{
	for (int i = 0; i < 16; i++) {
		bool four = i & 1;
		struct form form = {.c = MODEL_S32, .d = MODEL_S32, .saturate = i & 2};
		form.a = four ? (i & 4 ? MODEL_U4 : MODEL_S4) : i & 4 ? MODEL_U8 : MODEL_S8;
		form.b = four ? (i & 8 ? MODEL_U4 : MODEL_S4) : i & 8 ? MODEL_U8 : MODEL_S8;
		const unsigned k = four ? 32 : 16; /* a row of 128 bits */
		for (unsigned shape = 0; shape < 3; shape++) {
			form.m = shape ? 16 : 8;
			form.k = shape == 2 ? 2 * k : k;
			add(form);
		}
		for (form.k = 2 * k; form.k <= 4 * k; form.k *= 2)
			add_sparse(form);
	}
	for (unsigned i = 0; i < 6; i++)
		add((struct form){.m = i < 2 ? 8 : 16,
						  .k = i < 4 ? 128 : 256,
						  .a = MODEL_B1,
						  .b = MODEL_B1,
						  .c = MODEL_S32,
						  .d = MODEL_S32,
						  .bits_and = i & 1});
}

static void list_forms(void)
{
	if (form_count)
		return;
	list_floats();
	list_bytes();
	list_integers();
}

/* ------------------------------------------------------------------------
 * The kernel: thread t has words_of() words each, A, B, C and metadata. */

static const char *opcode(const struct form *form, char *text, size_t size)
{
	snprintf(text, size, "mma%s.sync.aligned.m%un8k%u.%s.%s%s.%s.%s.%s.%s%s",
			 !form->sparse   ? ""
			 : form->ordered ? ".sp::ordered_metadata"
							 : ".sp",
			 form->m, form->k, form->a_col ? "col" : "row", form->b_row ? "row" : "col",
			 form->saturate ? ".satfinite" : "", model_names[form->d], model_names[form->a],
			 model_names[form->b], model_names[form->c],
			 form->a != MODEL_B1 ? ""
			 : form->bits_and    ? ".and.popc"
								 : ".xor.popc");
	return text;
}

static void say_registers(struct model_text *text, char letter, unsigned first, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		model_say(text, "%s%%%c%u", i ? ", " : "{", letter, first + i);
	model_say(text, "}");
}

static void say_form(struct model_text *text, const struct form *form)
{
	const bool wide = form->a == MODEL_F64;
	const unsigned ra = registers_a(form), rb = registers_b(form), rc = registers_c(form, form->c);
	const unsigned rd = registers_c(form, form->d), bytes = wide ? 8 : 4;
	const char letter = wide ? 'd' : 'r';
	char name[128];
	model_say(text, "mul.wide.u32 %%d60, %%t, %u; add.s64 %%d60, %%in, %%d60;\n",
			  4 * words_of(form));
	for (unsigned i = 0; i < ra + rb + rc; i++)
		model_say(text, "ld.global.b%u %%%c%u, [%%d60+%zu];\n", 8 * bytes, letter, i,
				  4 * form->in + bytes * i);
	if (form->sparse)
		model_say(text, "ld.global.b32 %%r50, [%%d60+%zu];\n", 4 * form->in + 4 * (ra + rb + rc));
	model_say(text, "%s ", opcode(form, name, sizeof name));
	say_registers(text, letter, 40, rd);
	model_say(text, ", ");
	say_registers(text, letter, 0, ra);
	model_say(text, ", ");
	say_registers(text, letter, ra, rb);
	model_say(text, ", ");
	say_registers(text, letter, ra + rb, rc);
	if (form->sparse)
		model_say(text, ", %%r50, %u", form->selector);
	model_say(text, ";\nmul.wide.u32 %%d60, %%t, %u; add.s64 %%d60, %%out, %%d60;\n", bytes * rd);
	for (unsigned i = 0; i < rd; i++)
		model_say(text, "st.global.b%u [%%d60+%zu], %%%c%u;\n", 8 * bytes,
				  4 * form->out + bytes * i, letter, 40 + i);
}

static void mma_kernel(struct model_text *text)
{
	list_forms();
	model_begin(text);
	for (size_t i = 0; i < form_count; i++)
		say_form(text, &forms[i]);
	model_end(text);
}

/* ------------------------------------------------------------------------
 * Operands */

/* A quarter of the warps has small integers, or now and then what is no number, the others the
 * ranges' numbers. */
static void draw_operand(uint32_t *to, unsigned words, enum model_type type, uint64_t *state,
						 unsigned warp)
{
	if (warp % 4 == 3)
		model_tile_draw_registers(to, words, type, state, 8, warp % 8 == 7);
	else
		model_tile_draw_range(to, words, type, state, warp % 4);
}

static void mma_draw(void *to)
{
	uint64_t state = 9714;
	list_forms();
	for (size_t i = 0; i < form_count; i++) {
		const struct form *form = &forms[i];
		const unsigned wide = form->a == MODEL_F64 ? 2 : 1;
		const unsigned ra = wide * registers_a(form), rb = wide * registers_b(form);
		const unsigned rc = wide * registers_c(form, form->c);
		uint32_t *words = (uint32_t *)to + form->in;
		for (unsigned thread = 0; thread < WARPS * LANES; thread++, words += words_of(form)) {
			draw_operand(words, ra, form->a, &state, thread / LANES);
			draw_operand(words + ra, rb, form->b, &state, thread / LANES);
			draw_operand(words + ra + rb, rc, form->c, &state, thread / LANES);
			if (form->sparse)
				words[ra + rb + rc] = model_tile_draw_metadata(form->a, form->ordered, &state);
		}
	}
}

static void mma_range(unsigned range, uint32_t *keep, uint32_t *base)
{
	uint64_t state = 97140;
	list_forms();
	for (size_t i = 0; i < form_count; i++) {
		const struct form *form = &forms[i];
		const unsigned wide = form->a == MODEL_F64 ? 2 : 1;
		const unsigned ra = wide * registers_a(form), rb = wide * registers_b(form);
		const unsigned rc = wide * registers_c(form, form->c), words = words_of(form);
		for (size_t at = form->in; at < form->in + (size_t)words * WARPS * LANES; at += words) {
			model_tile_range(keep + at, base + at, ra, form->a, range);
			model_tile_range(keep + at + ra, base + at + ra, rb, form->b, range);
			model_tile_range(keep + at + ra + rb, base + at + ra + rb, rc, form->c, range);
			if (!form->sparse)
				continue;
			keep[at + ra + rb + rc] = 0;
			base[at + ra + rb + rc] = model_tile_draw_metadata(form->a, form->ordered, &state);
		}
	}
}

static bool mma_form(size_t i, char *name, size_t size, size_t *first, size_t *count)
{
	char op[128];
	list_forms();
	if (i >= form_count)
		return false;
	const struct form *form = &forms[i];
	snprintf(name, size, "%s%s%.0u", opcode(form, op, sizeof op), form->sparse ? "," : "",
			 form->selector);
	*first = form->out;
	*count = (size_t)registers_c(form, form->d) * (form->a == MODEL_F64 ? 2 : 1) * WARPS * LANES;
	return true;
}

/* ------------------------------------------------------------------------
 * The product */

struct product {
	uint64_t a[16][MODEL_K_MAX], b[MODEL_K_MAX][8], c[16][8];
	unsigned kept, place[16][MODEL_K_MAX]; /* where along k value i of a row is */
};

/* Element i of a lane. Every figure of 9.7.14.5 says the same of elements of `e` to a register
 * (f64: 1): registers of A alternate between rows %laneid / 4 and that + 8, where there are 16, and
 * go on along k by four threads' registers; those of B lie along k. */
static void lay_lane(struct product *p, const struct form *form, unsigned lane,
					 const uint32_t *words)
{
	const unsigned wide = form->a == MODEL_F64 ? 2 : 1, ra = registers_a(form);
	const unsigned rb = registers_b(form), rc = registers_c(form, form->c), halves = form->m / 8;
	const unsigned e = wide == 2 ? 1 : 32 / model_bits(form->a), group = lane / 4,
				   thread = lane % 4;
	for (unsigned i = 0; i < ra * e; i++)
		p->a[group + 8 * (i / e % halves)][i / e / halves * 4 * e + thread * e + i % e] =
			model_tile_element_bits(words, form->a, i);
	for (unsigned i = 0; i < rb * e; i++)
		p->b[i / e * 4 * e + thread * e + i % e][group] =
			model_tile_element_bits(words + wide * ra, form->b, i);
	for (unsigned i = 0; i < form->m / 4; i++)
		p->c[group + 8 * (i / 2)][thread * 2 + i % 2] =
			model_tile_element_bits(words + wide * (ra + rb), form->c, i);
	if (form->sparse)
		model_tile_place(form->a, form->k, form->selector, lane, words[ra + rb + rc], p->place);
}

static struct model_dot dot_of(const struct product *p, const struct form *form, unsigned row,
							   unsigned column)
{
	struct model_dot dot = {.a_type = form->a,
							.b_type = form->b,
							.c_type = form->c,
							.d_type = form->d,
							.k = form->k,
							.count = p->kept,
							.saturate = form->saturate,
							.bits_and = form->bits_and,
							.c = p->c[row][column]};
	for (unsigned i = 0; i < p->kept; i++) {
		dot.place[i] = p->place[row][i];
		dot.a[i] = p->a[row][i];
		dot.b[i] = p->b[p->place[row][i]][column];
	}
	return dot;
}

static void compare(struct model_differences *all, const struct form *form, unsigned warp,
					const struct product *p, unsigned row, unsigned column, uint64_t got)
{
	char name[128];
	const struct model_dot dot = dot_of(p, form, row, column);
	const uint64_t wanted = model_mma_sum(&dot);
	model_compare(all, got == wanted,
				  "%s selector %u, warp %u, row %u, column %u: %llx, expected %llx",
				  opcode(form, name, sizeof name), form->selector, warp, row, column,
				  (unsigned long long)got, (unsigned long long)wanted);
}

static void check_warp(struct model_differences *all, const struct form *form, unsigned warp,
					   const uint32_t *in, const uint32_t *out)
{
	static struct product p;
	const unsigned wide = form->a == MODEL_F64 ? 2 : 1, rd = wide * registers_c(form, form->d);
	p.kept = form->sparse ? form->k / 2 : form->k;
	for (unsigned row = 0; row < 16; row++)
		for (unsigned i = 0; i < p.kept; i++)
			p.place[row][i] = i;
	for (unsigned lane = 0; lane < LANES; lane++)
		lay_lane(&p, form, lane, in + lane * words_of(form));
	for (unsigned lane = 0; lane < LANES; lane++)
		for (unsigned i = 0; i < form->m / 4; i++)
			compare(all, form, warp, &p, lane / 4 + 8 * (i / 2), lane % 4 * 2 + i % 2,
					model_tile_element_bits(out + lane * rd, form->d, i));
}

/* m8n8k4 of f16, 9.7.14.5.1: four products, of threads 4 q to 4 q + 3 and of those 16 higher, which
 * have rows 4 to 7 of A and columns 4 to 7 of B. */
static void check_quads(struct model_differences *all, const struct form *form, unsigned warp,
						const uint32_t *in, const uint32_t *out)
{
	static struct product p;
	const unsigned words = words_of(form), rd = registers_c(form, form->d);
	p.kept = 4;
	for (unsigned i = 0; i < 32; i++)
		p.place[i / 4][i % 4] = i % 4;
	for (unsigned quad = 0; quad < 4; quad++) {
		for (unsigned pass = 0; pass < 2; pass++)
			for (unsigned t = 0; t < 8; t++) {
				const unsigned lane = quad * 4 + t % 4 + t / 4 * 16, high = t / 4 * 4;
				const uint32_t *own = in + lane * words;
				for (unsigned i = 0; i < 4 && !pass; i++) {
					uint64_t x = model_tile_element_bits(own, MODEL_F16, i),
							 y = model_tile_element_bits(own + 2, MODEL_F16, i);
					p.a[form->a_col ? high + i : t][form->a_col ? t % 4 : i] = x;
					p.b[form->b_row ? t % 4 : i][form->b_row ? high + i : t] = y;
				}
				for (unsigned i = 0; i < 8; i++) {
					/* f16: a row each; f32: X = (lane & 1) + (i & 2), and (i & 4) + (lane & 2) + (i
					 * & 1) */
					unsigned scattered = high + (lane & 1) + (i & 2);
					unsigned along = (i & 4) + (lane & 2) + (i & 1);
					if (!pass && form->c == MODEL_F16)
						p.c[t][i] = model_tile_element_bits(own + 4, form->c, i);
					else if (!pass)
						p.c[scattered][along] = model_tile_element_bits(own + 4, form->c, i);
					else if (form->d == MODEL_F16)
						compare(all, form, warp, &p, t, i,
								model_tile_element_bits(out + lane * rd, form->d, i));
					else
						compare(all, form, warp, &p, scattered, along,
								model_tile_element_bits(out + lane * rd, form->d, i));
				}
			}
	}
}

static size_t mma_differ(const void *from, const void *results, size_t *compared, char *said,
						 size_t size)
{
	struct model_differences all = {.said = said, .size = size};
	for (size_t i = 0; i < form_count; i++) {
		const struct form *form = &forms[i];
		const unsigned rd = registers_c(form, form->d) * (form->a == MODEL_F64 ? 2 : 1);
		for (unsigned warp = 0; warp < WARPS; warp++) {
			const uint32_t *in = (const uint32_t *)from + form->in;
			const uint32_t *out = (const uint32_t *)results + form->out;
			(is_quads(form) ? check_quads : check_warp)(&all, form, warp,
														in + (size_t)warp * LANES * words_of(form),
														out + (size_t)warp * LANES * rd);
		}
	}
	*compared = all.compared;
	return all.differ;
}

static size_t mma_in(void)
{
	list_forms();
	return in_words * 4;
}

static size_t mma_out(void)
{
	list_forms();
	return out_words * 4;
}

const struct model_suite model_mma = {
	"mma",      WARPS *LANES / 128, 128,       mma_in,   mma_out,
	mma_kernel, mma_draw,           mma_range, mma_form, mma_differ,
};
