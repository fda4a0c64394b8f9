/* cvt: every pair of types, every rounding and every modifier that sm_90a has. PTX ISA 9.7.9.22. */
#include "model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define INPUTS 2048

struct input {
	uint64_t wide, other;
	uint32_t word, second;
	uint16_t half, pad[3];
};

struct form {
	enum model_type to, from;
	const char *rounding; /* "", ".rn", ".rni" */
	bool sat, relu, satfinite, ftz;
	enum { SINGLE, FROM_TWO, FROM_PAIR } pair;
};

#define FORMS_MAX 1024
static struct form forms[FORMS_MAX];
static size_t form_count;

static void add(struct form form)
{
	if (form_count < FORMS_MAX)
		forms[form_count++] = form;
}

static const char *const float_roundings[] = {".rn", ".rz", ".rm", ".rp"};
static const char *const integer_roundings[] = {".rni", ".rzi", ".rmi", ".rpi"};

static long double limit(enum model_type type, bool most)
{
	unsigned bits = model_bits(type);
	if (!most)
		return model_is_signed(type) ? -ldexpl(1, (int)bits - 1) : 0;
	return ldexpl(1, (int)bits - (model_is_signed(type) ? 1 : 0)) - 1;
}

static void list_integers(enum model_type to, enum model_type from)
{
	add((struct form){.to = to, .from = from, .rounding = ""});
	/* .sat: where the destination is not a superset */
	if (limit(to, true) < limit(from, true) || limit(to, false) > limit(from, false))
		add((struct form){.to = to, .from = from, .rounding = "", .sat = true});
}

static bool has_sat(enum model_type to)
{
	return to != MODEL_BF16;
}

static void list_mixed(enum model_type to, enum model_type from)
{
	bool from_float = model_is_float(from);
	for (int i = 0; i < 4; i++) {
		struct form form = {.to = to, .from = from};
		form.rounding = from_float ? integer_roundings[i] : float_roundings[i];
		add(form);
		form.ftz = from == MODEL_F32;
		if (form.ftz)
			add(form);
		form.sat = !from_float && has_sat(to);
		if (form.sat)
			add(form);
	}
}

static int precision_order(enum model_type type)
{
	return type == MODEL_F16 || type == MODEL_BF16 ? 0 : type == MODEL_F32 ? 1 : 2;
}

static void list_modified(struct form form)
{
	bool single = form.to == MODEL_F32 || form.from == MODEL_F32;
	add(form);
	form.ftz = single;
	if (single)
		add(form);
	form.ftz = false;
	/* of bf16 ptxas takes .sat for neither side */
	form.sat = has_sat(form.to) && has_sat(form.from);
	if (form.sat)
		add(form);
	form.ftz = single;
	if (form.sat && single)
		add(form);
}

static void list_floats(enum model_type to, enum model_type from)
{
	struct form form = {.to = to, .from = from, .rounding = ""};
	bool exact = precision_order(to) > precision_order(from);
	if (exact || (to == from && to != MODEL_BF16))
		list_modified(form);
	for (int i = 0; i < 4 && !exact; i++) {
		form.rounding = to == from ? integer_roundings[i] : float_roundings[i];
		list_modified(form);
	}
}

/* .relu and .satfinite, each alone and both; a single one has been listed without */
static void list_clamped(struct form form)
{
	for (int i = form.pair == SINGLE; i < 4; i++) {
		form.relu = i & 1;
		form.satfinite = i & 2;
		add(form);
	}
}

static void list_packed(void)
{
	for (int i = 0; i < 2; i++) {
		struct form form = {.from = MODEL_F32, .rounding = float_roundings[i], .pair = FROM_TWO};
		form.to = MODEL_F16;
		list_clamped(form);
		form.to = MODEL_BF16;
		list_clamped(form);
		form.pair = SINGLE;
		list_clamped(form);
		form.to = MODEL_F16;
		list_clamped(form);
		form.to = MODEL_TF32; /* with .satfinite from sm_100 on */
		add(form);
		form.relu = true;
		add(form);
		enum model_type byte = i ? MODEL_E5M2 : MODEL_E4M3;
		for (int relu = 0; relu < 2; relu++) {
			add((struct form){byte, MODEL_F32, ".rn", false, relu, true, false, FROM_TWO});
			add((struct form){byte, MODEL_F16, ".rn", false, relu, true, false, FROM_PAIR});
			add((struct form){MODEL_F16, byte, ".rn", false, relu, false, false, FROM_PAIR});
		}
		add((struct form){MODEL_TF32, MODEL_F32, ".rna", false, false, i, false, SINGLE});
	}
}

static void list_forms(void)
{
	static const enum model_type types[] = {MODEL_U8,  MODEL_S8,   MODEL_U16, MODEL_S16,
											MODEL_U32, MODEL_S32,  MODEL_U64, MODEL_S64,
											MODEL_F16, MODEL_BF16, MODEL_F32, MODEL_F64};
	if (form_count)
		return;
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		for (size_t j = 0; j < sizeof types / sizeof *types; j++) {
			bool to = model_is_float(types[i]), from = model_is_float(types[j]);
			if (to && from)
				list_floats(types[i], types[j]);
			else if (to || from)
				list_mixed(types[i], types[j]);
			else
				list_integers(types[i], types[j]);
		}
	list_packed();
}

/* ------------------------------------------------------------------------ */

static const char *opcode(const struct form *form, char *text, size_t size)
{
	const char *to = form->pair ? "x2" : "", *from = form->pair == FROM_PAIR ? "x2" : "";
	snprintf(text, size, "cvt%s%s%s%s%s.%s%s.%s%s", form->rounding, form->ftz ? ".ftz" : "",
			 form->sat ? ".sat" : "", form->relu ? ".relu" : "",
			 form->satfinite ? ".satfinite" : "", model_names[form->to], to,
			 model_names[form->from], from);
	return text;
}

/* Registers: 8 bits are in the low ones of 32, but where the other side is a bf16. */
static unsigned register_bits(const struct form *form, bool destination)
{
	enum model_type type = destination ? form->to : form->from;
	bool pair = form->pair == FROM_PAIR || (form->pair && destination);
	unsigned bits = model_bits(type) * (pair ? 2 : 1);
	bool brain = form->to == MODEL_BF16 || form->from == MODEL_BF16;
	return bits > 8 || brain ? bits : 32;
}

static char letter(unsigned bits)
{
	return bits == 64 ? 'd' : bits == 32 ? 'r' : bits == 16 ? 'h' : 'b';
}

static void cvt_kernel(struct model_text *text)
{
	char name[64];
	list_forms();
	model_begin(text);
	model_say(text,
			  "mul.wide.u32 %%d0, %%t, %zu; add.s64 %%in, %%in, %%d0;\n"
			  "mul.wide.u32 %%d0, %%t, 8; add.s64 %%out, %%out, %%d0; ld.global.b64 %%d1, [%%in];\n"
			  "ld.global.b32 %%r1, [%%in+16]; ld.global.b32 %%r2, [%%in+20];\n"
			  "ld.global.b16 %%h1, [%%in+24]; .reg .b8 %%b<4>; ld.global.b8 %%b1, [%%in+24];\n",
			  sizeof(struct input));
	for (size_t i = 0; i < form_count; i++) {
		const struct form *form = &forms[i];
		unsigned to = register_bits(form, true), from = register_bits(form, false);
		char d = letter(to), a = letter(from);
		model_say(text, "%s %%%c3, %%%c1%s; st.global.b%u [%%out+%zu], %%%c3;\n",
				  opcode(form, name, sizeof name), d, a, form->pair == FROM_TWO ? ", %r2" : "", to,
				  i * INPUTS * 8, d);
	}
	model_end(text);
}

static void cvt_draw(void *to)
{
	struct input *in = to;
	uint64_t state = 9722;
	for (int i = 0; i < INPUTS; i++)
		in[i] = (struct input){.wide = model_operand(&state, 64),
							   .word = (uint32_t)model_operand(&state, 32),
							   .second = (uint32_t)model_operand(&state, 32),
							   .half = (uint16_t)model_operand(&state, 16)};
	/* pairs of halves have edges of their own */
	for (int i = 0; i < INPUTS; i += 4)
		in[i].word = (uint32_t)(model_operand(&state, 16) | model_operand(&state, 16) << 16);
}

/* All bits are drawn, as any pattern is one of each type; ranges are alike but for other draws. */
static void cvt_range(unsigned range, uint32_t *keep, uint32_t *base)
{
	(void)range;
	memset(keep, 0xff, INPUTS * sizeof(struct input));
	memset(base, 0, INPUTS * sizeof(struct input));
}

static bool cvt_form(size_t i, char *name, size_t size, size_t *first, size_t *count)
{
	list_forms();
	if (i >= form_count)
		return false;
	opcode(&forms[i], name, size);
	*first = i * INPUTS * 2;
	*count = INPUTS * 2;
	return true;
}

/* ------------------------------------------------------------------------ */

static enum model_rounding rounding_of(const struct form *form)
{
	return form->rounding[0] == 0                ? MODEL_RN
		   : strcmp(form->rounding, ".rna") == 0 ? MODEL_RNA
		   : form->rounding[2] == 'n'            ? MODEL_RN
		   : form->rounding[2] == 'z'            ? MODEL_RZ
		   : form->rounding[2] == 'm'            ? MODEL_RM
												 : MODEL_RP;
}

/* Subnormals of f32, where .ftz is given, are zeros of their sign; but for f16 ptxas drops it. */
static long double flushed(const struct form *form, enum model_type type, long double value)
{
	bool flush =
		form->ftz && type == MODEL_F32 && form->to != MODEL_F16 && fabsl(value) < 0x1p-126L;
	return flush ? copysignl(0, value) : value;
}

/* What is flushed is below 2^-126 when it is rounded to 24 bits of any exponent, as an H200 has it.
 */
static bool is_tiny(const struct form *form, long double value)
{
	if (!form->ftz || form->to != MODEL_F32 || !(fabsl(value) < 0x1p-125L))
		return false;
	uint64_t bits = model_encode(MODEL_F32, value * 0x1p64L, rounding_of(form), false);
	return fabsl(model_decode(MODEL_F32, bits)) < 0x1p-62L;
}

/* "Integer Notes": NaN gives zero, or 1 << (width - 1) from .f64 and to 64 bits; the rest is
 * clamped. A register wider than the type gets the sign, or zeros. */
static uint64_t to_integer(const struct form *form, long double value)
{
	const unsigned bits = model_bits(form->to);
	uint64_t result;
	if (isnan(value)) {
		bool half = form->from == MODEL_F64 || bits == 64;
		result = half ? (uint64_t)1 << (bits - 1) : 0;
		if (half && model_is_signed(form->to) && bits < 64)
			result = ~(((uint64_t)1 << (bits - 1)) - 1);
		return result;
	}
	value = model_integral(value, rounding_of(form));
	value = value < limit(form->to, false) ? limit(form->to, false) : value;
	value = value > limit(form->to, true) ? limit(form->to, true) : value;
	return value < 0 ? (uint64_t)(int64_t)value : (uint64_t)value;
}

/* Without .sat the low bits stay, seen as the destination's type. */
static uint64_t cut(const struct form *form, uint64_t bits)
{
	unsigned width = model_bits(form->to);
	uint64_t mask = width == 64 ? ~(uint64_t)0 : ((uint64_t)1 << width) - 1;
	bool negative = model_is_signed(form->to) && bits >> (width - 1) & 1;
	return negative ? bits | ~mask : bits & mask;
}

static uint64_t to_float(const struct form *form, long double value)
{
	const bool to_integer = form->rounding[0] && form->rounding[3] == 'i';
	const enum model_rounding rounding = rounding_of(form);
	if (to_integer)
		value = model_integral(value, rounding);
	if (form->relu && !isnan(value) && (value < 0 || signbit(value)))
		value = 0;
	uint64_t bits = model_encode(form->to, value, rounding, form->satfinite);
	value = is_tiny(form, value) ? copysignl(0, value)
								 : flushed(form, form->to, model_decode(form->to, bits));
	if (form->sat) /* [0.0, 1.0], and NaN is +0 */
		value = !(value > 0) ? 0 : value > 1 ? 1 : value;
	return model_encode(form->to, value, MODEL_RN, false);
}

/* Sign, payload and the bit that makes it quiet, in f64. */
static uint64_t nan_as_f64(enum model_type type, uint64_t bits)
{
	const uint64_t quiet = 0x7ff8000000000000, sign = (bits >> (model_bits(type) - 1) & 1) << 63;
	switch (type) {
	case MODEL_F64: return bits | quiet;
	case MODEL_F32: return sign | quiet | (bits & 0x7fffff) << 29;
	case MODEL_BF16: return sign | quiet | (bits & 0x7f) << 45;
	default: return sign | quiet | (bits & 0x3ff) << 42;
	}
}

/* PTX leaves a NaN's bits open; this is what an H200 gives. Of f64 all is kept for which there is
 * room; where the instruction is a move or a shift, all of it; by integer instructions (.rna) what
 * they leave; else it is the one of its type. */
static uint64_t nan_of(const struct form *form, uint64_t bits)
{
	const bool plain = form->rounding[0] == 0 && !form->ftz;
	if (form->rounding[0] && strcmp(form->rounding, ".rna") == 0) {
		bits &= 0xffffe000;
		return form->satfinite ? bits - 0x2000 : bits;
	}
	if (form->to == MODEL_F64 && form->from == MODEL_F64)
		return plain ? bits : nan_as_f64(MODEL_F64, bits);
	if (form->to == MODEL_F64)
		return form->ftz ? 0x7fffffffe0000000 : nan_as_f64(form->from, bits);
	if (form->from == MODEL_F64) {
		const uint64_t wide = nan_as_f64(MODEL_F64, bits), sign = wide >> 63;
		return form->to == MODEL_F32    ? sign << 31 | (wide >> 29 & 0x7fffff) | 0x7f800000
			   : form->to == MODEL_BF16 ? sign << 15 | (wide >> 45 & 0x7f) | 0x7f80
										: sign << 15 | (wide >> 42 & 0x3ff) | 0x7c00;
	}
	if (form->to == MODEL_F32 && plain && form->from == MODEL_F32)
		return bits;
	if (form->to == MODEL_F32 && plain && form->from == MODEL_BF16)
		return bits << 16;
	return form->to == MODEL_TF32 ? 0x7fffe000 : model_encode(form->to, NAN, MODEL_RN, false);
}

static uint64_t convert(const struct form *form, uint64_t bits)
{
	long double value = flushed(form, form->from, model_decode(form->from, bits));
	if (model_is_float(form->to) && isnan(value) && !form->sat)
		return nan_of(form, bits);
	if (model_is_float(form->to))
		return to_float(form, value);
	if (model_is_float(form->from) || form->sat)
		return to_integer(form, value);
	bits = value < 0 ? (uint64_t)(int64_t)value : (uint64_t)value;
	return cut(form, bits);
}

static uint64_t source(const struct form *form, const struct input *in)
{
	unsigned bits = register_bits(form, false);
	return bits == 64 ? in->wide : bits == 32 ? in->word : in->half;
}

static void compare(struct model_differences *all, const struct form *form, uint64_t from,
					uint64_t got, uint64_t wanted)
{
	char name[64];
	unsigned bits = form->pair ? model_bits(form->to) : register_bits(form, true);
	uint64_t mask = bits == 64 ? ~(uint64_t)0 : ((uint64_t)1 << bits) - 1;
	got &= mask, wanted &= mask;
	model_compare(all, got == wanted, "%s of %llx: %llx, expected %llx",
				  opcode(form, name, sizeof name), (unsigned long long)from,
				  (unsigned long long)got, (unsigned long long)wanted);
}

static size_t cvt_differ(const void *from, const void *results, size_t *compared, char *said,
						 size_t size)
{
	const struct input *in = from;
	const uint64_t *out = results;
	struct model_differences all = {.said = said, .size = size};
	for (size_t i = 0; i < form_count * INPUTS; i++) {
		const struct form *form = &forms[i / INPUTS];
		const struct input *of = &in[i % INPUTS];
		uint64_t a = source(form, of), low = form->pair == FROM_TWO ? of->second : a;
		compare(&all, form, low, out[i], convert(form, low));
		if (!form->pair)
			continue;
		uint64_t high = form->pair == FROM_TWO ? a : a >> model_bits(form->from);
		compare(&all, form, high, out[i] >> model_bits(form->to), convert(form, high));
	}
	*compared = all.compared;
	return all.differ;
}

static size_t cvt_in(void)
{
	return INPUTS * sizeof(struct input);
}

static size_t cvt_out(void)
{
	list_forms();
	return form_count * INPUTS * 8;
}

const struct model_suite model_cvt = {
	"cvt",      INPUTS / 256, 256,       cvt_in,   cvt_out,
	cvt_kernel, cvt_draw,     cvt_range, cvt_form, cvt_differ,
};
