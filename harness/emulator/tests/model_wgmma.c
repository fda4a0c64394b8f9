/* wgmma.mma_async and its sparse form: every type, 64 x 8 products, A from registers and from
 * shared memory, both major orders of 16-bit types; and sparse 64 x 64 ones with B in a 128-byte
 * swizzle. PTX ISA 9.7.15.5 and 9.7.15.6. Operands are random, or small integers,
 * infinities and NaN. */
#include "model_sum.h"
#include "model_tile.h"

#include <stdio.h>

#define BLOCKS 4
#define THREADS 128
#define LANES 32
#define ROWS 64
#define COLUMNS 64 /* at most */
#define FORMS_MAX 256

/* A thread's words: 4 of A, as its registers or as 16 bytes of shared memory; metadata; those of B
 * in shared memory, each 128 after the one before; accumulators */
enum { AT_A = 0, AT_METADATA = 4, AT_B = 5 };

struct form {
	enum model_type a, b, d;
	bool registers, a_turned, b_turned; /* turned: the other dimension than k is contiguous */
	bool sparse, saturate, fresh;       /* fresh: scale-d is false */
	bool negate_a, negate_b;
	unsigned selector;
	unsigned n;     /* 8, or 64 with a swizzle */
	size_t in, out; /* where its words begin */
};

static struct form forms[FORMS_MAX];
static size_t form_count, in_words, out_words;

static unsigned bits_of(const struct form *form)
{
	return model_bits(form->a);
}

static unsigned stored(const struct form *form)
{
	return 256 / bits_of(form);
}

static unsigned depth(const struct form *form)
{
	return stored(form) * (form->sparse ? 2 : 1);
}

static unsigned accumulators(const struct form *form)
{
	return form->n / (form->d == MODEL_F16 ? 4 : 2);
}

static unsigned words_of_b(const struct form *form)
{
	return form->n == 8 ? 1 : form->n / 4;
}

static unsigned words_of(const struct form *form)
{
	return AT_B + words_of_b(form) + accumulators(form);
}

static void add(struct form form)
{
	bool number = model_is_float(form.a);
	form.fresh = form_count % 5 == 4;
	form.negate_a = number && form_count % 2;
	form.negate_b = number && form_count % 3 == 0;
	form.in = in_words;
	form.out = out_words;
	if (form_count == FORMS_MAX)
		return;
	in_words += (size_t)BLOCKS * THREADS * words_of(&form);
	out_words += (size_t)BLOCKS * THREADS * accumulators(&form);
	forms[form_count++] = form;
}

/* From registers and from memory, in each major order that the type has. */
static void add_layouts(struct form form)
{
	unsigned orders = bits_of(&form) == 16 ? 2 : 1;
	form.n = 8;
	for (unsigned i = 0; i < orders; i++)
		for (unsigned k = 0; k <= orders; k++) {
			form.b_turned = i;
			form.registers = k == orders;
			form.a_turned = k == 1 && !form.registers;
			add(form);
		}
}

static void add_densities(struct form form)
{
	add_layouts(form);
	form.sparse = true;
	for (form.selector = 0; form.selector < (bits_of(&form) == 8 ? 1u : 2u); form.selector++)
		add_layouts(form);
	form.selector = 0;
	form.n = 64;
	if (!form.saturate && form.d != MODEL_F16)
		add(form);
}

static void list_forms(void)
{
	if (form_count)
		return;
	add_densities((struct form){.a = MODEL_F16, .b = MODEL_F16, .d = MODEL_F32});
	add_densities((struct form){.a = MODEL_F16, .b = MODEL_F16, .d = MODEL_F16});
	add_densities((struct form){.a = MODEL_BF16, .b = MODEL_BF16, .d = MODEL_F32});
	add_densities((struct form){.a = MODEL_TF32, .b = MODEL_TF32, .d = MODEL_F32});
	for (int i = 0; i < 8; i++) {
		struct form form = {.d = i & 4 ? MODEL_F16 : MODEL_F32};
		form.a = i & 1 ? MODEL_E5M2 : MODEL_E4M3;
		form.b = i & 2 ? MODEL_E5M2 : MODEL_E4M3;
		add_densities(form);
		form = (struct form){.d = MODEL_S32, .saturate = i & 4};
		form.a = i & 1 ? MODEL_U8 : MODEL_S8;
		form.b = i & 2 ? MODEL_U8 : MODEL_S8;
		add_densities(form);
	}
}

/* ------------------------------------------------------------------------ */

#define ACCUMULATORS 64 /* the first of their registers; %r4: metadata, %r40 on: B */

static const char *opcode(const struct form *form, char *text, size_t size)
{
	snprintf(text, size, "wgmma.mma_async%s.sync.aligned.m64n%uk%u%s.%s.%s.%s",
			 form->sparse ? ".sp" : "", form->n, depth(form), form->saturate ? ".satfinite" : "",
			 model_names[form->d], model_names[form->a], model_names[form->b]);
	return text;
}

static void say_wgmma(struct model_text *text, const struct form *form)
{
	char name[96];
	model_say(text, "%s ", opcode(form, name, sizeof name));
	for (unsigned i = 0; i < accumulators(form); i++)
		model_say(text, "%s%%r%u", i ? ", " : "{", ACCUMULATORS + i);
	model_say(text, "}, %s, %s, ", form->registers ? "{%r0, %r1, %r2, %r3}" : "%d20",
			  form->n == 8 ? "%d21" : "%d22");
	if (form->sparse)
		model_say(text, "%%r4, %u, ", form->selector);
	model_say(text, "%%p1");
	if (model_is_float(form->a))
		model_say(text, ", %d, %d", form->negate_a ? -1 : 1, form->negate_b ? -1 : 1);
	if (bits_of(form) == 16 && !form->registers)
		model_say(text, ", %d", form->a_turned);
	if (bits_of(form) == 16)
		model_say(text, ", %d", form->b_turned);
	model_say(text, ";\n");
}

static void say_form(struct model_text *text, const struct form *form)
{
	const unsigned words = words_of(form), b = words_of_b(form), count = accumulators(form);
	model_say(text, "bar.sync 0; mul.wide.u32 %%d10, %%t, %u; add.s64 %%d10, %%in, %%d10;\n",
			  4 * words);
	for (unsigned i = 0; i < words; i++) {
		unsigned reg = i < AT_B ? i : i < AT_B + b ? 40 + i - AT_B : ACCUMULATORS + i - AT_B - b;
		model_say(text, "ld.global.b32 %%r%u, [%%d10+%zu];\n", reg, 4 * form->in + 4 * i);
	}
	model_say(text, "st.shared.v4.b32 [%%r20], {%%r0, %%r1, %%r2, %%r3};\n");
	for (unsigned i = 0; i < b; i++)
		model_say(text, "st.shared.b32 [%%r21+%u], %%r%u;\n", 4 * THREADS * i, 40 + i);
	model_say(text,
			  "fence.proxy.async; bar.sync 0; setp.%s.u32 %%p1, 0, 0;\n"
			  "wgmma.fence.sync.aligned;\n",
			  form->fresh ? "ne" : "eq");
	say_wgmma(text, form);
	model_say(text,
			  "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n"
			  "mul.wide.u32 %%d11, %%t, %u; add.s64 %%d11, %%out, %%d11;\n",
			  4 * count);
	for (unsigned i = 0; i < count; i++)
		model_say(text, "st.global.b32 [%%d11+%zu], %%r%u;\n", 4 * form->out + 4 * i,
				  ACCUMULATORS + i);
}

/* %r20, %r21: where the thread stores its part of A and of B; %d20, %d21: their descriptors: 128
 * bytes between core matrices along k, 256 along rows, no swizzle; %d22: B in rows of 128 bytes,
 * swizzled, 1024 bytes between groups of eight. 9.7.15.5.1.2 */
static void wgmma_kernel(struct model_text *text)
{
	list_forms();
	model_begin(text);
	model_say(
		text,
		".shared .align 1024 .b8 tile[10240]; mov.u32 %%r22, tile; shl.b32 %%r20, %%tid32, 4;\n"
		"add.u32 %%r20, %%r20, %%r22; shl.b32 %%r21, %%tid32, 2; add.u32 %%r21, %%r21, %%r22;\n"
		"add.u32 %%r21, %%r21, 2048; shr.u32 %%r23, %%r22, 4; and.b32 %%r23, %%r23, 0x3fff;\n"
		"cvt.u64.u32 %%d20, %%r23; or.b64 %%d20, %%d20, 0x1000080000;\n"
		"add.s64 %%d21, %%d20, 128; and.b64 %%d22, %%d21, 0x3fff;\n"
		"or.b64 %%d22, %%d22, 0x4000004000010000;\n");
	for (size_t i = 0; i < form_count; i++)
		say_form(text, &forms[i]);
	model_end(text);
}

/* A block has small integers, infinities and NaN, the others the ranges' numbers. */
static void draw_operand(uint32_t *to, unsigned words, enum model_type type, uint64_t *state,
						 unsigned block)
{
	if (block == MODEL_RANGES)
		model_tile_draw_registers(to, words, type, state, 8, true);
	else
		model_tile_draw_range(to, words, type, state, block);
}

static void wgmma_draw(void *to)
{
	uint64_t state = 9715;
	list_forms();
	for (size_t i = 0; i < form_count; i++) {
		const struct form *form = &forms[i];
		const unsigned b = words_of_b(form), count = accumulators(form);
		uint32_t *words = (uint32_t *)to + form->in;
		for (unsigned thread = 0; thread < BLOCKS * THREADS; thread++, words += words_of(form)) {
			draw_operand(words + AT_A, 4, form->a, &state, thread / THREADS);
			words[AT_METADATA] = model_tile_draw_metadata(form->a, true, &state);
			draw_operand(words + AT_B, b, form->b, &state, thread / THREADS);
			draw_operand(words + AT_B + b, count, form->d, &state, thread / THREADS);
		}
	}
}

static void wgmma_range(unsigned range, uint32_t *keep, uint32_t *base)
{
	uint64_t state = 97150;
	list_forms();
	for (size_t i = 0; i < form_count; i++) {
		const struct form *form = &forms[i];
		const unsigned b = words_of_b(form), count = accumulators(form), words = words_of(form);
		for (size_t at = form->in; at < form->in + (size_t)words * BLOCKS * THREADS; at += words) {
			model_tile_range(keep + at + AT_A, base + at + AT_A, 4, form->a, range);
			keep[at + AT_METADATA] = 0;
			base[at + AT_METADATA] = model_tile_draw_metadata(form->a, true, &state);
			model_tile_range(keep + at + AT_B, base + at + AT_B, b, form->b, range);
			model_tile_range(keep + at + AT_B + b, base + at + AT_B + b, count, form->d, range);
		}
	}
}

static bool wgmma_form(size_t i, char *name, size_t size, size_t *first, size_t *count)
{
	char op[96];
	list_forms();
	if (i >= form_count)
		return false;
	const struct form *form = &forms[i];
	snprintf(name, size, "%s,%s%s%s%s,%d,%d,%u", opcode(form, op, sizeof op),
			 form->registers  ? "registers"
			 : form->a_turned ? "columns"
							  : "rows",
			 form->b_turned ? ",turned" : "", form->fresh ? ",fresh" : "", "",
			 form->negate_a ? -1 : 1, form->negate_b ? -1 : 1, form->selector);
	*first = form->out;
	*count = (size_t)accumulators(form) * BLOCKS * THREADS;
	return true;
}

/* ------------------------------------------------------------------------ */

struct product {
	uint64_t a[ROWS][64], b[64][COLUMNS], c[ROWS][COLUMNS];
	unsigned place[4][16][MODEL_K_MAX];
};

/* 16 bytes of A: a row's part, or 8 rows at one k. Core matrices are 8 times 16 bytes. */
static void lay_chunk_of_a(struct product *p, const struct form *form, unsigned thread,
						   const uint32_t *words)
{
	const unsigned count = 128 / bits_of(form);
	for (unsigned i = 0; i < count; i++) {
		uint64_t value = model_tile_element_bits(words, form->a, i);
		if (form->a_turned)
			p->a[thread / 16 * 8 + i][thread % 16] = value;
		else
			p->a[thread / 16 * 8 + thread % 8][thread / 8 % 2 * count + i] = value;
	}
}

/* 4 bytes of B: word `at` of the core matrices, which follow each other along k; or of rows of 128
 * bytes, whose 16-byte units are swizzled: unit u of row n is at u ^ n % 8. */
static void lay_word_of_b(struct product *p, const struct form *form, unsigned at,
						  const uint32_t *word)
{
	const unsigned count = 32 / bits_of(form), row = at / 4, part = at % 4 * count;
	for (unsigned i = 0; i < count; i++) {
		uint64_t value = model_tile_element_bits(word, form->b, i);
		unsigned unit = form->n == 8 ? row / 8 : row % 8 ^ row / 8 % 8;
		unsigned k = form->b_turned ? row : unit * 4 * count + part + i;
		unsigned column = form->b_turned ? part + i : form->n == 8 ? row % 8 : row / 8;
		if (k < depth(form))
			p->b[k][column] = value;
	}
}

/* Fragments of a warp's 16 rows: as mma.sync has them. 9.7.15.5.1.1 */
static void lay_thread(struct product *p, const struct form *form, unsigned thread,
					   const uint32_t *words)
{
	const unsigned lane = thread % LANES, e = 32 / bits_of(form);
	const unsigned row = thread / LANES * 16 + lane / 4;
	for (unsigned i = 0; i < 4 * e && form->registers; i++)
		p->a[row + 8 * (i / e % 2)][i / e / 2 * 4 * e + lane % 4 * e + i % e] =
			model_tile_element_bits(words + AT_A, form->a, i);
	if (!form->registers)
		lay_chunk_of_a(p, form, thread, words + AT_A);
	for (unsigned i = 0; i < words_of_b(form); i++)
		lay_word_of_b(p, form, THREADS * i + thread, words + AT_B + i);
	for (unsigned i = 0; i < form->n / 2; i++)
		p->c[row + 8 * (i / 2 % 2)][i / 4 * 8 + lane % 4 * 2 + i % 2] =
			form->fresh ? 0 : model_tile_element_bits(words + AT_B + words_of_b(form), form->d, i);
	for (unsigned k = 0; k < stored(form) && !form->sparse; k++)
		p->place[thread / LANES][lane / 2][k] = k;
	if (form->sparse)
		model_tile_place(form->a, depth(form), form->selector, lane, words[AT_METADATA],
						 p->place[thread / LANES]);
}

static uint64_t result_of(const struct form *form, const struct product *p, unsigned row,
						  unsigned column)
{
	struct model_dot dot = {.a_type = form->a,
							.b_type = form->b,
							.c_type = form->d,
							.d_type = form->d,
							.k = depth(form),
							.count = stored(form),
							.saturate = form->saturate,
							.negate = form->negate_a != form->negate_b,
							.c = p->c[row][column]};
	for (unsigned i = 0; i < dot.count; i++) {
		dot.place[i] = p->place[row / 16][row % 16][i];
		dot.a[i] = p->a[row][i];
		dot.b[i] = p->b[dot.place[i]][column];
	}
	return model_wgmma_sum(&dot);
}

static void check_block(struct model_differences *all, const struct form *form, const uint32_t *in,
						const uint32_t *out)
{
	static struct product p;
	char name[96];
	for (unsigned thread = 0; thread < THREADS; thread++)
		lay_thread(&p, form, thread, in + (size_t)thread * words_of(form));
	for (unsigned thread = 0; thread < THREADS; thread++)
		for (unsigned i = 0; i < form->n / 2; i++) {
			unsigned row = thread / LANES * 16 + thread % LANES / 4 + 8 * (i / 2 % 2);
			unsigned column = i / 4 * 8 + thread % 4 * 2 + i % 2;
			const uint32_t *own = out + (size_t)thread * accumulators(form);
			uint64_t got = model_tile_element_bits(own, form->d, i);
			uint64_t wanted = result_of(form, &p, row, column);
			model_compare(all, got == wanted,
						  "%s, A from %s, orders %d %d, selector %u: row %u, column %u: %llx, "
						  "expected %llx",
						  opcode(form, name, sizeof name), form->registers ? "registers" : "memory",
						  form->a_turned, form->b_turned, form->selector, row, column,
						  (unsigned long long)got, (unsigned long long)wanted);
		}
}

static size_t wgmma_differ(const void *from, const void *results, size_t *compared, char *said,
						   size_t size)
{
	struct model_differences all = {.said = said, .size = size};
	for (size_t i = 0; i < form_count; i++)
		for (size_t block = 0; block < BLOCKS; block++) {
			const struct form *form = &forms[i];
			check_block(
				&all, form, (const uint32_t *)from + form->in + block * THREADS * words_of(form),
				(const uint32_t *)results + form->out + block * THREADS * accumulators(form));
		}
	*compared = all.compared;
	return all.differ;
}

static size_t wgmma_in(void)
{
	list_forms();
	return in_words * 4;
}

static size_t wgmma_out(void)
{
	list_forms();
	return out_words * 4;
}

const struct model_suite model_wgmma = {
	"wgmma",      BLOCKS,     THREADS,     wgmma_in,   wgmma_out,
	wgmma_kernel, wgmma_draw, wgmma_range, wgmma_form, wgmma_differ,
};
