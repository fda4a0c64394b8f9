/* Arithmetic of floating types on any bits, NaN and subnormals too, and quotients: what PTX leaves
 * open (NaN's bits) or approximate. There is no model of it; bits.c compares hashes. */
#include "model.h"

#include <stdio.h>
#include <string.h>

#define INPUTS 8192

struct input {
	uint64_t wide[3];
	uint32_t word[3];
	uint32_t half; /* two of 16 bits */
};

static const struct type {
	const char *name;
	char letter;
	const char *unary, *binary, *ternary;
} types[] = {
	{"f32", 'r', "abs abs.ftz neg neg.ftz",
	 "add add.ftz add.rz mul mul.ftz mul.rp sub sub.ftz min min.ftz min.NaN max max.ftz "
	 "max.NaN.xorsign.abs div.approx div.approx.ftz div.full div.full.ftz div.rn div.rn.ftz",
	 "fma.rn fma.rn.ftz fma.rz"},
	{"f64", 'd', "abs neg", "add mul sub min max div.rn", "fma.rn"},
	{"f16", 'h', "abs neg", "add.rn mul.rn sub.rn min max min.NaN max.NaN", "fma.rn fma.rn.relu"},
	{"f16x2", 'r', "abs neg", "add.rn mul.rn sub.rn min max min.NaN max.NaN", "fma.rn fma.rn.sat"},
	{"bf16", 'h', "abs neg", "add.rn mul.rn sub.rn min max min.NaN max.NaN", "fma.rn fma.rn.relu"},
	{"bf16x2", 'r', "abs neg", "add.rn mul.rn sub.rn min max min.NaN max.NaN", "fma.rn"},
};
#define TYPES (sizeof types / sizeof types[0])

struct form {
	char name[48];
	char letter;
	unsigned operands;
};
static struct form forms[256];
static size_t form_count;

static void add(const struct type *type, const char *list, unsigned operands)
{
	while (*list && form_count < sizeof forms / sizeof *forms) {
		size_t length = strcspn(list, " ");
		struct form *form = &forms[form_count++];
		snprintf(form->name, sizeof form->name, "%.*s.%s", (int)length, list, type->name);
		form->letter = type->letter;
		form->operands = operands;
		list += length + strspn(list + length, " ");
	}
}

static void list_forms(void)
{
	for (size_t i = 0; i < TYPES && form_count < TYPES * 4; i++) {
		add(&types[i], types[i].unary, 1);
		add(&types[i], types[i].binary, 2);
		add(&types[i], types[i].ternary, 3);
	}
}

static void arithmetic_kernel(struct model_text *text)
{
	list_forms();
	model_begin(text);
	model_say(text,
			  "mul.wide.u32 %%d0, %%t, %zu; add.s64 %%in, %%in, %%d0;\n"
			  "mul.wide.u32 %%d0, %%t, 8; add.s64 %%out, %%out, %%d0; ld.global.b64 %%d1, [%%in];\n"
			  "ld.global.b64 %%d2, [%%in+8]; ld.global.b64 %%d3, [%%in+16];\n"
			  "ld.global.b32 %%r1, [%%in+24]; ld.global.b32 %%r2, [%%in+28];\n"
			  "ld.global.b32 %%r3, [%%in+32]; ld.global.b32 %%r5, [%%in+36];\n"
			  "mov.b32 {%%h1, %%h2}, %%r5; mov.b32 {%%h3, %%h5}, %%r3;\n",
			  sizeof(struct input));
	for (size_t i = 0; i < form_count; i++) {
		const char letter = forms[i].letter;
		model_say(text, "%s %%%c4", forms[i].name, letter);
		for (unsigned operand = 1; operand <= forms[i].operands; operand++)
			model_say(text, ", %%%c%u", letter, operand);
		model_say(text, "; st.global.b%d [%%out+%zu], %%%c4;\n",
				  letter == 'd'   ? 64
				  : letter == 'r' ? 32
								  : 16,
				  i * INPUTS * 8, letter);
	}
	model_end(text);
}

/* Ranges: numbers of all bits; and of f32 and f64 those of three exponents in the middle. */
static void arithmetic_range(unsigned range, uint32_t *keep, uint32_t *base)
{
	const uint32_t wide[] = {~0u, 0x803fffff, 0x81ffffff}, word[] = {~0u, 0x81ffffff, 0xbfffffff};
	memset(keep, 0xff, INPUTS * sizeof(struct input));
	memset(base, 0, INPUTS * sizeof(struct input));
	for (size_t i = 0; i < INPUTS * sizeof(struct input) / 4; i++) {
		const size_t at = i % 10;
		if (at == 9 || (at < 6 && at % 2 == 0))
			continue;
		keep[i] = at < 6 ? wide[range] : word[range];
		base[i] = range == 0 ? 0 : at < 6 ? 0x3fe00000 : range == 1 ? 0x3e800000 : 0x20000000;
	}
}

static bool arithmetic_form(size_t i, char *name, size_t size, size_t *first, size_t *count)
{
	list_forms();
	if (i >= form_count)
		return false;
	snprintf(name, size, "%s", forms[i].name);
	*first = i * INPUTS * 2;
	*count = INPUTS * 2;
	return true;
}

static size_t arithmetic_in(void)
{
	return INPUTS * sizeof(struct input);
}

static size_t arithmetic_out(void)
{
	list_forms();
	return form_count * INPUTS * 8;
}

const struct model_suite model_arithmetic = {
	"arithmetic",     INPUTS / 256,    256,  arithmetic_in, arithmetic_out, arithmetic_kernel, NULL,
	arithmetic_range, arithmetic_form, NULL,
};
