/* Decoding of arithmetic and logic. */
#include <stdio.h>
#include <string.h>

#include "emulator/decode/decoder.h"

static int bits_of(enum ptx_type type)
{
	return (int)ptx_type_size(type) * 8;
}

bool decode_is_half(enum ptx_type type)
{
	return type == PTX_F16 || type == PTX_F16X2 || type == PTX_BF16 || type == PTX_BF16X2;
}

uint8_t decode_half_flags(const struct ptx_instruction *in)
{
	return (uint8_t)((decode_has(in, "sat") ? EXEC_FLAG_SAT : 0) |
					 (decode_has(in, "ftz") ? EXEC_FLAG_FTZ : 0) |
					 (decode_has(in, "relu") ? EXEC_FLAG_RELU : 0));
}

/* d, a[, b[, c]], all of `size` bytes but d */
static void operands_n(struct decoder *decoder, struct exec_instruction *out,
					   const struct ptx_instruction *in, size_t d_size, size_t size, bool is_float)
{
	int32_t (*get)(struct decoder *, const struct ptx_operand *, size_t) =
		is_float ? decode_float : decode_source;
	uint32_t n = in->operand_count;
	int32_t a = n > 1 ? get(decoder, &in->operands[1], size) : 0;
	int32_t b = n > 2 ? get(decoder, &in->operands[2], size) : a;
	int32_t c = n > 3 ? get(decoder, &in->operands[3], size) : a;
	out->a = a;
	out->b = b;
	out->c = c;
	out->d = decode_destination(decoder, &in->operands[0], d_size);
}

/* ------------------------------------------------------------------------
 * Floating arithmetic: add, sub, mul, fma, div, sqrt, rcp */

static int rounding_of(const struct ptx_instruction *in)
{
	return decode_has(in, "rz") ? 1 : decode_has(in, "rm") ? 2 : decode_has(in, "rp") ? 3 : 0;
}

static void float_arithmetic(struct decoder *decoder, const struct ptx_instruction *in,
							 const char *name, uint32_t count, uint8_t flops)
{
	static const char *const known[] = {"rn", "rz", "rm", "rp", "ftz", "sat", "relu", NULL};
	enum ptx_type type = decode_type(in, 0);
	if (!decode_only(in, known) || decode_type(in, 1) != PTX_NONE) {
		decode_unsupported(decoder);
		return;
	}
	if (!decode_operands(decoder, in, count))
		return;
	struct exec_instruction *out;
	int rounding = rounding_of(in);
	bool ftz = decode_has(in, "ftz"), sat = decode_has(in, "sat"), relu = decode_has(in, "relu");
	if (decode_is_half(type)) {
		out = decode_emit(decoder, "%s_%s", name, rounding ? "?" : ptx_type_name(type));
		out->flags = decode_half_flags(in);
		flops = (uint8_t)(flops * (type == PTX_F16X2 || type == PTX_BF16X2 ? 2 : 1));
	} else if (rounding || sat) {
		out = decode_emit(decoder, "%s_mode_%s", name, relu ? "?" : ptx_type_name(type));
		out->sub = (uint8_t)rounding;
		out->flags = decode_half_flags(in);
	} else {
		out = decode_emit(decoder, "%s%s_%s", name, ftz ? "_ftz" : "",
						  relu ? "?" : ptx_type_name(type));
	}
	out->flops = flops;
	operands_n(decoder, out, in, ptx_type_size(type), ptx_type_size(type), true);
}

static void integer_carry(struct decoder *decoder, const struct ptx_instruction *in, bool subtract)
{
	size_t size = ptx_type_size(decode_type(in, 0));
	bool carry_in = in->parts[0][strlen(in->parts[0]) - 1] == 'c';
	if (!decode_operands(decoder, in, 3))
		return;
	struct exec_instruction *out = decode_emit(decoder, "carry_b%zu", size * 8);
	out->sub = (uint8_t)((carry_in ? 1 : 0) | (decode_has(in, "cc") ? 2 : 0) | (subtract ? 4 : 0));
	operands_n(decoder, out, in, size, size, false);
}

static void decode_add_sub(struct decoder *decoder, const struct ptx_instruction *in)
{
	enum ptx_type type = decode_type(in, 0);
	const char *name = in->parts[0];
	size_t size = ptx_type_size(type);
	if (ptx_type_is_float(type)) {
		float_arithmetic(decoder, in, name, 3, 1);
		return;
	}
	if (decode_has(in, "cc")) {
		integer_carry(decoder, in, name[0] == 's');
		return;
	}
	if (!decode_operands(decoder, in, 3))
		return;
	struct exec_instruction *out;
	if (type == PTX_U16X2 || type == PTX_S16X2)
		out = decode_emit(decoder, "%s_b16x2", name);
	else if (decode_has(in, "sat"))
		out = decode_emit(decoder, "%s_sat_%s", name, ptx_type_name(type));
	else
		out = decode_emit(decoder, "%s_b%zu", name, size * 8);
	operands_n(decoder, out, in, size, size, false);
}

static void decode_addc(struct decoder *decoder, const struct ptx_instruction *in)
{
	integer_carry(decoder, in, in->parts[0][0] == 's');
}

static const char *product_part(const struct ptx_instruction *in)
{
	return decode_has(in, "hi") ? "hi" : decode_has(in, "wide") ? "wide" : "lo";
}

static void decode_mul_mad(struct decoder *decoder, const struct ptx_instruction *in)
{
	enum ptx_type type = decode_type(in, 0);
	bool is_mad = in->parts[0][1] == 'a';
	size_t size = ptx_type_size(type);
	const char *part = product_part(in);
	if (ptx_type_is_float(type)) { /* mad on f32, f64 is fma */
		float_arithmetic(decoder, in, is_mad ? "fma" : "mul", is_mad ? 4 : 3, is_mad ? 2 : 1);
		return;
	}
	if (!decode_operands(decoder, in, is_mad ? 4 : 3))
		return;
	if (decode_has(in, "sat")) {
		decode_unsupported(decoder);
		return;
	}
	bool wide = part[0] == 'w';
	struct exec_instruction *out;
	if (is_mad && (decode_has(in, "cc") || strcmp(in->parts[0], "madc") == 0)) {
		out = decode_emit(decoder, wide ? "?" : "carry_mad_b%zu", size * 8);
		out->sub = (uint8_t)((in->parts[0][3] == 'c' ? 1 : 0) | (decode_has(in, "cc") ? 2 : 0) |
							 (part[0] == 'h' ? 8 : 0));
		out->flags = ptx_type_is_signed(type) ? EXEC_FLAG_SIGNED : 0;
	} else if (part[0] == 'l') {
		out = decode_emit(decoder, "%s_lo_b%zu", in->parts[0], size * 8);
	} else {
		out = decode_emit(decoder, "%s_%s_%s", in->parts[0], part, ptx_type_name(type));
	}
	size_t d_size = wide ? 2 * size : size;
	out->a = decode_source(decoder, &in->operands[1], size);
	out->b = decode_source(decoder, &in->operands[2], size);
	if (is_mad)
		out->c = decode_source(decoder, &in->operands[3], d_size);
	out->d = decode_destination(decoder, &in->operands[0], d_size);
}

static void decode_fma(struct decoder *decoder, const struct ptx_instruction *in)
{
	float_arithmetic(decoder, in, "fma", 4, 2);
}

static void decode_mul24(struct decoder *decoder, const struct ptx_instruction *in)
{
	if (!decode_operands(decoder, in, 3))
		return;
	struct exec_instruction *out =
		decode_emit(decoder, "mul24_%s_%s", product_part(in), ptx_type_name(decode_type(in, 0)));
	operands_n(decoder, out, in, 4, 4, false);
}

static void decode_div(struct decoder *decoder, const struct ptx_instruction *in)
{
	enum ptx_type type = decode_type(in, 0);
	size_t size = ptx_type_size(type);
	if (!decode_operands(decoder, in, 3))
		return;
	struct exec_instruction *out;
	if (decode_has(in, "approx") || decode_has(in, "full"))
		out = decode_emit(decoder, "div%s_%s", decode_has(in, "ftz") ? "_ftz" : "",
						  ptx_type_name(type));
	else if (ptx_type_is_float(type)) {
		float_arithmetic(decoder, in, "div", 3, 1);
		return;
	} else {
		out = decode_emit(decoder, "%s_%s", in->parts[0], ptx_type_name(type));
	}
	out->flops = ptx_type_is_float(type);
	operands_n(decoder, out, in, size, size, ptx_type_is_float(type));
}

/* sqrt, rcp: also approximate, then computed exactly */
static void decode_root(struct decoder *decoder, const struct ptx_instruction *in)
{
	enum ptx_type type = decode_type(in, 0);
	size_t size = ptx_type_size(type);
	if (!decode_has(in, "approx")) {
		float_arithmetic(decoder, in, in->parts[0], 2, 1);
		return;
	}
	if (!decode_operands(decoder, in, 2))
		return;
	bool ftz = decode_has(in, "ftz") && type == PTX_F32;
	struct exec_instruction *out =
		decode_emit(decoder, "%s%s_%s", in->parts[0], ftz ? "_ftz" : "", ptx_type_name(type));
	out->flops = 1;
	operands_n(decoder, out, in, size, size, true);
}

/* rsqrt, ex2, lg2, sin, cos, tanh */
static void decode_approximate(struct decoder *decoder, const struct ptx_instruction *in)
{
	enum ptx_type type = decode_type(in, 0);
	size_t size = ptx_type_size(type);
	if (!decode_operands(decoder, in, 2))
		return;
	bool ftz = decode_has(in, "ftz") && type == PTX_F32;
	struct exec_instruction *out = decode_emit(decoder, "%s_approx%s_%s", in->parts[0],
											   ftz ? "_ftz" : "", ptx_type_name(type));
	out->flops = 1;
	if (type == PTX_F16 || type == PTX_F16X2)
		out->flags = decode_half_flags(in);
	operands_n(decoder, out, in, size, size, true);
}

static void decode_sign(struct decoder *decoder, const struct ptx_instruction *in)
{
	enum ptx_type type = decode_type(in, 0);
	size_t size = ptx_type_size(type);
	if (!decode_operands(decoder, in, 2))
		return;
	struct exec_instruction *out;
	if (decode_is_half(type))
		out = decode_emit(decoder, "%s_b16%sf", in->parts[0], size == 4 ? "x2" : "");
	else
		out = decode_emit(decoder, "%s%s_%s", in->parts[0], decode_has(in, "ftz") ? "_ftz" : "",
						  ptx_type_name(type));
	operands_n(decoder, out, in, size, size, ptx_type_is_float(type));
}

static void decode_min_max(struct decoder *decoder, const struct ptx_instruction *in)
{
	enum ptx_type type = decode_type(in, 0);
	size_t size = ptx_type_size(type);
	if (!decode_operands(decoder, in, 3))
		return;
	bool half = decode_is_half(type), xorsign = decode_has(in, "xorsign");
	const char *ftz = decode_has(in, "ftz") && !half ? "_ftz" : "";
	const char *relu = decode_has(in, "relu") && !ptx_type_is_float(type) ? "_relu" : "";
	struct exec_instruction *out = decode_emit(
		decoder, "%s%s%s%s%s_%s", in->parts[0], ftz, decode_has(in, "NaN") ? "_NaN" : "",
		xorsign ? "_xorsign_abs" : "", relu, ptx_type_name(type));
	out->flags = half ? decode_half_flags(in) : 0;
	out->flops = ptx_type_is_float(type);
	operands_n(decoder, out, in, size, size, ptx_type_is_float(type));
}

static void decode_copysign(struct decoder *decoder, const struct ptx_instruction *in)
{
	enum ptx_type type = decode_type(in, 0);
	if (!decode_operands(decoder, in, 3))
		return;
	struct exec_instruction *out = decode_emit(decoder, "copysign_%s", ptx_type_name(type));
	operands_n(decoder, out, in, ptx_type_size(type), ptx_type_size(type), true);
}

static void decode_testp(struct decoder *decoder, const struct ptx_instruction *in)
{
	static const struct {
		const char *name;
		uint8_t classes; /* bits: nan, infinite, zero, subnormal, normal */
	} tests[] = {{"finite", 0x1c},     {"infinite", 0x02}, {"number", 0x1e},
				 {"notanumber", 0x01}, {"normal", 0x10},   {"subnormal", 0x08}};
	enum ptx_type type = decode_type(in, 0);
	if (!decode_operands(decoder, in, 2))
		return;
	struct exec_instruction *out = decode_emit(decoder, "testp_%s", ptx_type_name(type));
	for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
		if (decode_has(in, tests[i].name))
			out->sub = tests[i].classes;
	out->a = decode_float(decoder, &in->operands[1], ptx_type_size(type));
	out->d = decode_predicate(decoder, &in->operands[0], NULL);
}

/* ------------------------------------------------------------------------
 * Integers and bits */

static void decode_logic(struct decoder *decoder, const struct ptx_instruction *in)
{
	enum ptx_type type = decode_type(in, 0);
	uint32_t count = in->parts[0][0] == 'n' || in->parts[0][0] == 'c' ? 2 : 3;
	if (!decode_operands(decoder, in, count))
		return;
	if (type != PTX_PRED) {
		struct exec_instruction *out = decode_emit(decoder, "%s_b%d", in->parts[0], bits_of(type));
		operands_n(decoder, out, in, ptx_type_size(type), ptx_type_size(type), false);
		return;
	}
	struct exec_instruction *out = decode_emit(decoder, "%s_pred", in->parts[0]);
	bool a = false, b = false;
	out->a = decode_predicate(decoder, &in->operands[1], &a);
	out->b = count == 3 ? decode_predicate(decoder, &in->operands[2], &b) : out->a;
	out->imm = (a ? 1 : 0) | (b ? 2 : 0);
	out->d = decode_predicate(decoder, &in->operands[0], NULL);
}

static void decode_shift(struct decoder *decoder, const struct ptx_instruction *in)
{
	enum ptx_type type = decode_type(in, 0);
	size_t size = ptx_type_size(type);
	if (!decode_operands(decoder, in, 3))
		return;
	bool left = in->parts[0][2] == 'l';
	struct exec_instruction *out;
	if (left)
		out = decode_emit(decoder, "shl_b%zu", size * 8);
	else
		out = decode_emit(decoder, "shr_%c%zu", ptx_type_is_signed(type) ? 's' : 'u', size * 8);
	out->a = decode_source(decoder, &in->operands[1], size);
	out->b = decode_source(decoder, &in->operands[2], 4);
	out->d = decode_destination(decoder, &in->operands[0], size);
}

static void decode_shf(struct decoder *decoder, const struct ptx_instruction *in)
{
	if (!decode_operands(decoder, in, 4))
		return;
	struct exec_instruction *out =
		decode_emit(decoder, "shf_%c_%s_b32", decode_has(in, "l") ? 'l' : 'r',
					decode_has(in, "wrap") ? "wrap" : "clamp");
	operands_n(decoder, out, in, 4, 4, false);
}

/* popc, clz, bfind: 32-bit results; brev: as wide as a */
static void decode_count(struct decoder *decoder, const struct ptx_instruction *in)
{
	enum ptx_type type = decode_type(in, 0);
	size_t size = ptx_type_size(type);
	if (!decode_operands(decoder, in, 2))
		return;
	bool is_bfind = strcmp(in->parts[0], "bfind") == 0, is_brev = strcmp(in->parts[0], "brev") == 0;
	struct exec_instruction *out;
	if (is_bfind)
		out = decode_emit(decoder, "bfind%s_%s", decode_has(in, "shiftamt") ? "_shiftamt" : "",
						  ptx_type_name(type));
	else
		out = decode_emit(decoder, "%s_b%zu", in->parts[0], size * 8);
	operands_n(decoder, out, in, is_brev ? size : 4, size, false);
}

static void decode_field(struct decoder *decoder, const struct ptx_instruction *in)
{
	enum ptx_type type = decode_type(in, 0);
	size_t size = ptx_type_size(type);
	bool insert = in->parts[0][2] == 'i';
	if (!decode_operands(decoder, in, insert ? 5 : 4))
		return;
	struct exec_instruction *out = decode_emit(decoder, "%s_%s", in->parts[0], ptx_type_name(type));
	out->a = decode_source(decoder, &in->operands[1], size);
	if (insert) {
		out->b = decode_source(decoder, &in->operands[2], size);
		out->c = decode_source(decoder, &in->operands[3], 4);
		out->e = decode_source(decoder, &in->operands[4], 4);
	} else {
		out->b = decode_source(decoder, &in->operands[2], 4);
		out->c = decode_source(decoder, &in->operands[3], 4);
	}
	out->d = decode_destination(decoder, &in->operands[0], size);
}

static void decode_mask(struct decoder *decoder, const struct ptx_instruction *in)
{
	if (!decode_operands(decoder, in, 3))
		return;
	struct exec_instruction *out =
		decode_emit(decoder, "%s_%s_%s", in->parts[0], decode_has(in, "wrap") ? "wrap" : "clamp",
					ptx_type_name(decode_type(in, 0)));
	operands_n(decoder, out, in, 4, 4, false);
}

static void decode_lop3(struct decoder *decoder, const struct ptx_instruction *in)
{
	if (!decode_operands(decoder, in, 5))
		return;
	struct exec_instruction *out = decode_emit(decoder, in->part_count == 2 ? "lop3_b32" : "?");
	out->a = decode_source(decoder, &in->operands[1], 4);
	out->b = decode_source(decoder, &in->operands[2], 4);
	out->c = decode_source(decoder, &in->operands[3], 4);
	out->d = decode_destination(decoder, &in->operands[0], 4);
	out->sub = (uint8_t)in->operands[4].integer;
	if (in->operands[4].kind != PTX_OP_INTEGER)
		decode_refuse(decoder);
}

static void decode_prmt(struct decoder *decoder, const struct ptx_instruction *in)
{
	static const char *const modes[] = {"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"};
	if (!decode_operands(decoder, in, 4))
		return;
	uint8_t mode = 0;
	for (uint8_t i = 0; i < 6; i++)
		if (decode_has(in, modes[i]))
			mode = (uint8_t)(i + 1);
	struct exec_instruction *out = decode_emit(decoder, mode ? "prmt_mode_b32" : "prmt_b32");
	out->sub = mode;
	operands_n(decoder, out, in, 4, 4, false);
}

static void decode_dot(struct decoder *decoder, const struct ptx_instruction *in)
{
	if (!decode_operands(decoder, in, 4))
		return;
	struct exec_instruction *out = decode_emit(decoder, "%s", in->parts[0]);
	out->sub = (uint8_t)((ptx_type_is_signed(decode_type(in, 0)) ? 1 : 0) |
						 (ptx_type_is_signed(decode_type(in, 1)) ? 2 : 0) |
						 (decode_has(in, "hi") ? 4 : 0));
	operands_n(decoder, out, in, 4, 4, false);
}

static void decode_sad(struct decoder *decoder, const struct ptx_instruction *in)
{
	if (!decode_operands(decoder, in, 4))
		return;
	struct exec_instruction *out =
		decode_emit(decoder, "%s_%s", in->parts[0], ptx_type_name(decode_type(in, 0)));
	operands_n(decoder, out, in, 4, 4, false);
}

const struct decode_entry decode_alu_table[] = {
	{"add", decode_add_sub},      {"sub", decode_add_sub},       {"addc", decode_addc},
	{"subc", decode_addc},        {"mul", decode_mul_mad},       {"mad", decode_mul_mad},
	{"madc", decode_mul_mad},     {"fma", decode_fma},           {"mul24", decode_mul24},
	{"div", decode_div},          {"rem", decode_div},           {"sqrt", decode_root},
	{"rcp", decode_root},         {"rsqrt", decode_approximate}, {"ex2", decode_approximate},
	{"lg2", decode_approximate},  {"sin", decode_approximate},   {"cos", decode_approximate},
	{"tanh", decode_approximate}, {"abs", decode_sign},          {"neg", decode_sign},
	{"min", decode_min_max},      {"max", decode_min_max},       {"copysign", decode_copysign},
	{"testp", decode_testp},      {"and", decode_logic},         {"or", decode_logic},
	{"xor", decode_logic},        {"not", decode_logic},         {"cnot", decode_logic},
	{"shl", decode_shift},        {"shr", decode_shift},         {"shf", decode_shf},
	{"popc", decode_count},       {"clz", decode_count},         {"brev", decode_count},
	{"bfind", decode_count},      {"bfe", decode_field},         {"bfi", decode_field},
	{"bmsk", decode_mask},        {"szext", decode_mask},        {"lop3", decode_lop3},
	{"prmt", decode_prmt},        {"dp4a", decode_dot},          {"dp2a", decode_dot},
	{"sad", decode_sad},          {"fns", decode_sad},           {NULL, NULL},
};
