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

/* What an instruction's operands and result are: numbers of its type; a predicate, which selp makes
 * a word of; a word; or memory, which an atomic changes. */
enum kind { NUMBERS, PREDICATE, WORD_OF_ANY, MEMORY };

static const struct group {
	enum kind kind;
	const char *type;
	char letter;
	unsigned operands;
	const char *list; /* what stands before the type */
} groups[] = {
	{NUMBERS, "f32", 'r', 1, "abs abs.ftz neg neg.ftz"},
	{NUMBERS, "f32", 'r', 2,
	 "add add.ftz add.rz mul mul.ftz mul.rp sub sub.ftz min min.ftz min.NaN max max.ftz "
	 "max.NaN.xorsign.abs div.approx div.approx.ftz div.full div.full.ftz div.rn div.rn.ftz"},
	{NUMBERS, "f32", 'r', 3, "fma.rn fma.rn.ftz fma.rz"},
	{NUMBERS, "f32", 'r', 1,
	 "rcp.rn.ftz rcp.rz rcp.rm rcp.rp.ftz sqrt.rn.ftz sqrt.rz sqrt.rm.ftz sqrt.rp"},
	{NUMBERS, "f32", 'r', 2,
	 "add.sat add.rz.ftz add.rm add.rp add.rp.ftz.sat sub.rz sub.rm.ftz sub.rp sub.sat mul.rz "
	 "mul.rm mul.rz.ftz mul.sat mul.ftz.sat div.rz div.rm.ftz div.rp min.ftz.NaN max.NaN "
	 "max.ftz.NaN "
	 "min.xorsign.abs max.ftz.xorsign.abs min.NaN.xorsign.abs min.ftz.NaN.xorsign.abs copysign"},
	{NUMBERS, "f32", 'r', 3, "fma.rm fma.rp fma.rz.ftz fma.rn.sat fma.rn.ftz.sat mad.rn"},
	{NUMBERS, "f64", 'd', 1, "abs neg rcp.rn rcp.rz sqrt.rn sqrt.rp"},
	{NUMBERS, "f64", 'd', 2,
	 "add mul sub min max div.rn add.rz add.rm sub.rp mul.rz mul.rm div.rz div.rp copysign"},
	{NUMBERS, "f64", 'd', 3, "fma.rn fma.rz fma.rm fma.rp mad.rn"},
	{NUMBERS, "f16", 'h', 1, "abs neg"},
	{NUMBERS, "f16", 'h', 2,
	 "add.rn mul.rn sub.rn min max min.NaN max.NaN add.ftz mul.ftz sub.ftz add.sat mul.sat sub.sat "
	 "add.ftz.sat mul.ftz.sat min.ftz max.ftz.NaN min.xorsign.abs max.ftz.xorsign.abs "
	 "min.NaN.xorsign.abs"},
	{NUMBERS, "f16", 'h', 3, "fma.rn fma.rn.relu fma.rn.ftz fma.rn.sat fma.rn.ftz.relu"},
	{NUMBERS, "f16x2", 'r', 1, "abs neg"},
	{NUMBERS, "f16x2", 'r', 2,
	 "add.rn mul.rn sub.rn min max min.NaN max.NaN add.ftz mul.ftz.sat sub.sat min.ftz.NaN "
	 "max.xorsign.abs"},
	{NUMBERS, "f16x2", 'r', 3, "fma.rn fma.rn.sat fma.rn.relu fma.rn.ftz.sat"},
	{NUMBERS, "bf16", 'h', 1, "abs neg"},
	{NUMBERS, "bf16", 'h', 2,
	 "add.rn mul.rn sub.rn min max min.NaN max.NaN add mul sub min.xorsign.abs "
	 "max.NaN.xorsign.abs"},
	{NUMBERS, "bf16", 'h', 3, "fma.rn fma.rn.relu"},
	{NUMBERS, "bf16x2", 'r', 1, "abs neg"},
	{NUMBERS, "bf16x2", 'r', 2,
	 "add.rn mul.rn sub.rn min max min.NaN max.NaN min.xorsign.abs max.xorsign.abs"},
	{NUMBERS, "bf16x2", 'r', 3, "fma.rn fma.rn.relu"},
	{PREDICATE, "f32", 'r', 1,
	 "testp.finite testp.infinite testp.number testp.notanumber testp.normal testp.subnormal"},
	{PREDICATE, "f64", 'd', 1,
	 "testp.finite testp.infinite testp.number testp.notanumber testp.normal testp.subnormal"},
	{PREDICATE, "f32", 'r', 2,
	 "setp.eq setp.ne setp.lt setp.leu.ftz setp.gtu setp.equ setp.neu setp.num.ftz "
	 "setp.nan setp.ge.ftz"},
	{PREDICATE, "f64", 'd', 2, "setp.eq setp.ne setp.le setp.ltu setp.num setp.nan"},
	{PREDICATE, "f16", 'h', 2, "setp.eq setp.ne setp.lt.ftz setp.geu setp.nan"},
	{PREDICATE, "bf16", 'h', 2, "setp.ne setp.le setp.gtu setp.num"},
	{WORD_OF_ANY, "f32", 'r', 2, "set.lt.f32 set.ne.ftz.f32 set.geu.u32 set.nan.s32 set.num.f32"},
	{WORD_OF_ANY, "f64", 'd', 2, "set.le.f32 set.neu.u32"},
	{MEMORY, "f32", 'r', 1, "atom.global.add atom.shared.add"},
	{MEMORY, "f64", 'd', 1, "atom.global.add"},
	{MEMORY, "f16", 'h', 1, "atom.global.add.noftz"},
	{MEMORY, "bf16", 'h', 1, "atom.global.add.noftz"},
	{MEMORY, "f16x2", 'r', 1, "atom.global.add.noftz"},
	{MEMORY, "bf16x2", 'r', 1, "atom.global.add.noftz"},
};
#define GROUPS (sizeof groups / sizeof groups[0])

struct form {
	char name[48];
	const struct group *group;
};
static struct form forms[256];
static size_t form_count;

static void add(const struct group *group)
{
	const char *list = group->list;
	while (*list && form_count < sizeof forms / sizeof *forms) {
		size_t length = strcspn(list, " ");
		struct form *form = &forms[form_count++];
		snprintf(form->name, sizeof form->name, "%.*s.%s", (int)length, list, group->type);
		form->group = group;
		list += length + strspn(list + length, " ");
	}
}

static void list_forms(void)
{
	if (form_count)
		return;
	for (size_t i = 0; i < GROUPS; i++)
		add(&groups[i]);
}

static int bits_of(char letter)
{
	return letter == 'd' ? 64 : letter == 'r' ? 32 : 16;
}

/* The result is in %X4 then. */
static void say_atomic(struct model_text *text, const struct form *form, size_t to)
{
	const char letter = form->group->letter;
	const bool shared = strstr(form->name, ".shared") != NULL;
	const char *space = shared ? "shared" : "global";
	char at[32];
	snprintf(at, sizeof at, shared ? "[%%r6]" : "[%%out+%zu]", to);
	model_say(text, "st.%s.b%d %s, %%%c1; %s %%%c5, %s, %%%c2; ld.%s.b%d %%%c4, %s;\n", space,
			  bits_of(letter), at, letter, form->name, letter, at, letter, space, bits_of(letter),
			  letter, at);
}

static void say_form(struct model_text *text, const struct form *form, size_t to)
{
	char letter = form->group->letter;
	if (form->group->kind == MEMORY) {
		say_atomic(text, form, to);
	} else {
		const enum kind kind = form->group->kind;
		model_say(text, "%s %s", form->name,
				  kind == PREDICATE ? "%p1"
				  : kind == NUMBERS ? ""
									: "%r4");
		if (kind == NUMBERS)
			model_say(text, "%%%c4", letter);
		for (unsigned operand = 1; operand <= form->group->operands; operand++)
			model_say(text, ", %%%c%u", letter, operand);
		model_say(text, ";%s\n", kind == PREDICATE ? " selp.b32 %r4, 1, 0, %p1;" : "");
		letter = kind == NUMBERS ? letter : 'r';
	}
	model_say(text, "st.global.b%d [%%out+%zu], %%%c4;\n", bits_of(letter), to, letter);
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
			  "mov.b32 {%%h1, %%h2}, %%r5; mov.b32 {%%h3, %%h5}, %%r3;\n"
			  ".shared .b32 words[256]; mov.u32 %%r6, words; shl.b32 %%r7, %%tid32, 2; "
			  "add.u32 %%r6, %%r6, %%r7;\n",
			  sizeof(struct input));
	for (size_t i = 0; i < form_count; i++)
		say_form(text, &forms[i], i * INPUTS * 8);
	model_end(text);
}

/* Ranges: numbers of all bits; of f32 and f64 those of three exponents in the middle; of f32 more
 * of these, of f64 the largest ones and NaN, half of each. */
static void arithmetic_range(unsigned range, uint32_t *keep, uint32_t *base)
{
	const uint32_t wide[] = {~0u, 0x803fffff, 0x801fffff}, word[] = {~0u, 0x81ffffff, 0xbfffffff};
	memset(keep, 0xff, INPUTS * sizeof(struct input));
	memset(base, 0, INPUTS * sizeof(struct input));
	for (size_t i = 0; i < INPUTS * sizeof(struct input) / 4; i++) {
		const size_t at = i % 10;
		if (at == 9 || (at < 6 && at % 2 == 0))
			continue;
		keep[i] = at < 6 ? wide[range] : word[range];
		const uint32_t least[] = {0, at < 6 ? 0x3fe00000 : 0x3e800000,
								  at < 6 ? 0x7fe00000 : 0x20000000};
		base[i] = least[range];
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
