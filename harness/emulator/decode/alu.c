/* Decoding of arithmetic and logic. */
#include "emulator/decode/decoder.h"

#include <string.h>

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

static enum sub_rounding rounding_of(const struct ptx_instruction *in)
{
	return decode_has(in, "rz")   ? ROUND_ZERO
		   : decode_has(in, "rm") ? ROUND_DOWN
		   : decode_has(in, "rp") ? ROUND_UP
								  : ROUND_NEAREST;
}

/* The form that takes a rounding mode or .sat. */
static enum handler_form form_mode(enum ptx_type type)
{
	return type == PTX_F32 ? FORM_MODE_F32 : type == PTX_F64 ? FORM_MODE_F64 : FORM_NONE;
}

static void float_arithmetic(struct decoder *decoder, const struct ptx_instruction *in,
							 enum handler_operation operation, uint32_t count, uint8_t flops)
{
	enum ptx_type type = decode_type(in, 0);
	if (!decode_operands(decoder, in, count))
		return;
	struct exec_instruction *out;
	enum sub_rounding rounding = rounding_of(in);
	bool ftz = decode_has(in, "ftz"), sat = decode_has(in, "sat"), relu = decode_has(in, "relu");
	if (decode_is_half(type)) {
		out = decode_emit(decoder, operation,
						  rounding == ROUND_NEAREST ? decode_form(type) : FORM_NONE);
		out->flags = decode_half_flags(in);
		flops = (uint8_t)(flops * (type == PTX_F16X2 || type == PTX_BF16X2 ? 2 : 1));
	} else if (rounding != ROUND_NEAREST || sat) {
		out = decode_emit(decoder, operation, relu ? FORM_NONE : form_mode(type));
		out->sub = (uint8_t)rounding;
		out->flags = decode_half_flags(in);
	} else {
		out = decode_emit(decoder, operation,
						  relu  ? FORM_NONE
						  : ftz ? decode_form_ftz(type)
								: decode_form(type));
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
	struct exec_instruction *out = decode_emit(decoder, OP_CARRY, decode_form_bits(size));
	out->sub = (uint8_t)((carry_in ? CARRY_IN : 0) | (decode_has(in, "cc") ? CARRY_OUT : 0) |
						 (subtract ? CARRY_SUBTRACT : 0));
	operands_n(decoder, out, in, size, size, false);
}

static void decode_add_sub(struct decoder *decoder, const struct ptx_instruction *in)
{
	enum ptx_type type = decode_type(in, 0);
	enum handler_operation operation = decoder->operation;
	size_t size = ptx_type_size(type);
	if (ptx_type_is_float(type)) {
		float_arithmetic(decoder, in, operation, 3, 1);
		return;
	}
	if (decode_has(in, "cc")) {
		integer_carry(decoder, in, operation == OP_SUB);
		return;
	}
	if (!decode_operands(decoder, in, 3))
		return;
	enum handler_form form = decode_form_bits(size);
	if (type == PTX_U16X2 || type == PTX_S16X2)
		form = FORM_B16X2;
	else if (decode_has(in, "sat"))
		form = type == PTX_S32 ? FORM_SAT_S32 : FORM_NONE;
	struct exec_instruction *out = decode_emit(decoder, operation, form);
	operands_n(decoder, out, in, size, size, false);
}

static void decode_addc(struct decoder *decoder, const struct ptx_instruction *in)
{
	integer_carry(decoder, in, in->parts[0][0] == 's');
}

enum product_part { PART_LO, PART_HI, PART_WIDE };

static enum product_part product_part(const struct ptx_instruction *in)
{
	return decode_has(in, "hi") ? PART_HI : decode_has(in, "wide") ? PART_WIDE : PART_LO;
}

static void decode_mul_mad(struct decoder *decoder, const struct ptx_instruction *in)
{
	static const enum handler_operation operations[2][3] = {
		{[PART_LO] = OP_MUL_LO, [PART_HI] = OP_MUL_HI, [PART_WIDE] = OP_MUL_WIDE},
		{[PART_LO] = OP_MAD_LO, [PART_HI] = OP_MAD_HI, [PART_WIDE] = OP_MAD_WIDE},
	};
	enum ptx_type type = decode_type(in, 0);
	bool is_mad = in->parts[0][1] == 'a';
	size_t size = ptx_type_size(type);
	enum product_part part = product_part(in);
	if (ptx_type_is_float(type)) { /* mad on f32, f64 is fma */
		float_arithmetic(decoder, in, is_mad ? OP_FMA : OP_MUL, is_mad ? 4 : 3, is_mad ? 2 : 1);
		return;
	}
	if (!decode_operands(decoder, in, is_mad ? 4 : 3))
		return;
	if (decode_has(in, "sat")) {
		decode_unsupported(decoder);
		return;
	}
	struct exec_instruction *out;
	if (is_mad && (decode_has(in, "cc") || strcmp(in->parts[0], "madc") == 0)) {
		out = decode_emit(decoder, OP_CARRY_MAD,
						  part == PART_WIDE ? FORM_NONE : decode_form_bits(size));
		out->sub =
			(uint8_t)((in->parts[0][3] == 'c' ? CARRY_IN : 0) |
					  (decode_has(in, "cc") ? CARRY_OUT : 0) | (part == PART_HI ? CARRY_HIGH : 0));
		out->flags = ptx_type_is_signed(type) ? EXEC_FLAG_SIGNED : 0;
	} else {
		out = decode_emit(decoder, operations[is_mad][part],
						  part == PART_LO ? decode_form_bits(size) : decode_form(type));
	}
	size_t d_size = part == PART_WIDE ? 2 * size : size;
	out->a = decode_source(decoder, &in->operands[1], size);
	out->b = decode_source(decoder, &in->operands[2], size);
	if (is_mad)
		out->c = decode_source(decoder, &in->operands[3], d_size);
	out->d = decode_destination(decoder, &in->operands[0], d_size);
}

static void decode_fma(struct decoder *decoder, const struct ptx_instruction *in)
{
	float_arithmetic(decoder, in, OP_FMA, 4, 2);
}

static void decode_mul24(struct decoder *decoder, const struct ptx_instruction *in)
{
	if (!decode_operands(decoder, in, 3))
		return;
	struct exec_instruction *out =
		decode_emit(decoder, product_part(in) == PART_LO ? OP_MUL24_LO : OP_NONE,
					decode_form(decode_type(in, 0)));
	operands_n(decoder, out, in, 4, 4, false);
}

static void decode_clmad(struct decoder *decoder, const struct ptx_instruction *in)
{
	static const enum handler_operation operations[] = {
		[PART_LO] = OP_CLMAD_LO, [PART_HI] = OP_CLMAD_HI, [PART_WIDE] = OP_NONE};
	if (!decode_operands(decoder, in, 4))
		return;
	struct exec_instruction *out =
		decode_emit(decoder, operations[product_part(in)], decode_form(decode_type(in, 0)));
	operands_n(decoder, out, in, 8, 8, false);
}

static void decode_div(struct decoder *decoder, const struct ptx_instruction *in)
{
	enum ptx_type type = decode_type(in, 0);
	size_t size = ptx_type_size(type);
	if (!decode_operands(decoder, in, 3))
		return;
	struct exec_instruction *out;
	if (decode_has(in, "approx") || decode_has(in, "full"))
		out = decode_emit(decoder, decoder->operation,
						  decode_has(in, "ftz") ? decode_form_ftz(type) : decode_form(type));
	else if (ptx_type_is_float(type)) {
		float_arithmetic(decoder, in, decoder->operation, 3, 1);
		return;
	} else {
		out = decode_emit(decoder, decoder->operation, decode_form(type));
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
		float_arithmetic(decoder, in, decoder->operation, 2, 1);
		return;
	}
	if (!decode_operands(decoder, in, 2))
		return;
	bool ftz = decode_has(in, "ftz") && type == PTX_F32;
	struct exec_instruction *out =
		decode_emit(decoder, decoder->operation, ftz ? FORM_FTZ_F32 : decode_form(type));
	out->flops = 1;
	operands_n(decoder, out, in, size, size, true);
}

/* rsqrt, ex2, lg2, sin, cos, tanh */
static void decode_approximate(struct decoder *decoder, const struct ptx_instruction *in)
{
	enum ptx_type type = decode_type(in, 0);
	size_t size = ptx_type_size(type);
	enum handler_operation operation = decoder->operation;
	if (decode_has(in, "2pi"))
		operation = operation == OP_SIN ? OP_SIN_2PI : OP_COS_2PI;
	if (!decode_operands(decoder, in, 2))
		return;
	bool ftz = decode_has(in, "ftz") && type == PTX_F32;
	struct exec_instruction *out =
		decode_emit(decoder, operation, ftz ? FORM_FTZ_F32 : decode_form(type));
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
	bool ftz = decode_has(in, "ftz") && !decode_is_half(type);
	struct exec_instruction *out =
		decode_emit(decoder, decoder->operation, ftz ? decode_form_ftz(type) : decode_form(type));
	operands_n(decoder, out, in, size, size, ptx_type_is_float(type));
}

/* .relu of floats is a flag. */
static enum handler_operation min_max_operation(const struct decoder *decoder,
												const struct ptx_instruction *in, bool is_integer)
{
	static const enum handler_operation operations[2][2][2] = {
		{{OP_MIN, OP_MIN_XORSIGN}, {OP_MIN_NAN, OP_MIN_NAN_XORSIGN}},
		{{OP_MAX, OP_MAX_XORSIGN}, {OP_MAX_NAN, OP_MAX_NAN_XORSIGN}},
	};
	bool max = decoder->operation == OP_MAX, nan = decode_has(in, "NaN");
	bool xorsign = decode_has(in, "xorsign");
	if (is_integer && decode_has(in, "relu"))
		return nan || xorsign ? OP_NONE : max ? OP_MAX_RELU : OP_MIN_RELU;
	return operations[max][nan][xorsign];
}

static void decode_min_max(struct decoder *decoder, const struct ptx_instruction *in)
{
	enum ptx_type type = decode_type(in, 0);
	size_t size = ptx_type_size(type);
	if (!decode_operands(decoder, in, 3))
		return;
	bool half = decode_is_half(type), ftz = decode_has(in, "ftz") && !half;
	struct exec_instruction *out =
		decode_emit(decoder, min_max_operation(decoder, in, !ptx_type_is_float(type)),
					ftz ? decode_form_ftz(type) : decode_form(type));
	out->flags = half ? decode_half_flags(in) : 0;
	out->flops = ptx_type_is_float(type);
	operands_n(decoder, out, in, size, size, ptx_type_is_float(type));
}

static void decode_copysign(struct decoder *decoder, const struct ptx_instruction *in)
{
	enum ptx_type type = decode_type(in, 0);
	if (!decode_operands(decoder, in, 3))
		return;
	struct exec_instruction *out = decode_emit(decoder, OP_COPYSIGN, decode_form(type));
	operands_n(decoder, out, in, ptx_type_size(type), ptx_type_size(type), true);
}

static void decode_testp(struct decoder *decoder, const struct ptx_instruction *in)
{
	static const struct {
		const char *name;
		uint8_t numbers; /* enum sub_number */
	} tests[] = {
		{"finite", NUMBER_ZERO | NUMBER_SUBNORMAL | NUMBER_NORMAL},
		{"infinite", NUMBER_INFINITE},
		{"number", NUMBER_INFINITE | NUMBER_ZERO | NUMBER_SUBNORMAL | NUMBER_NORMAL},
		{"notanumber", NUMBER_NAN},
		{"normal", NUMBER_NORMAL},
		{"subnormal", NUMBER_SUBNORMAL},
	};
	enum ptx_type type = decode_type(in, 0);
	if (!decode_operands(decoder, in, 2))
		return;
	struct exec_instruction *out = decode_emit(decoder, OP_TESTP, decode_form(type));
	for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
		if (decode_has(in, tests[i].name))
			out->sub = tests[i].numbers;
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
		struct exec_instruction *out =
			decode_emit(decoder, decoder->operation, decode_form_bits(ptx_type_size(type)));
		operands_n(decoder, out, in, ptx_type_size(type), ptx_type_size(type), false);
		return;
	}
	struct exec_instruction *out = decode_emit(decoder, decoder->operation, FORM_PRED);
	bool a = false, b = false;
	out->a = decode_predicate(decoder, &in->operands[1], &a);
	out->b = count == 3 ? decode_predicate(decoder, &in->operands[2], &b) : out->a;
	out->imm = (a ? NEGATED_A : 0) | (b ? NEGATED_B : 0);
	out->d = decode_predicate(decoder, &in->operands[0], NULL);
}

static void decode_shift(struct decoder *decoder, const struct ptx_instruction *in)
{
	enum ptx_type type = decode_type(in, 0);
	size_t size = ptx_type_size(type);
	if (!decode_operands(decoder, in, 3))
		return;
	bool left = decoder->operation == OP_SHL;
	struct exec_instruction *out = decode_emit(
		decoder, decoder->operation,
		left ? decode_form_bits(size) : decode_form_integer(size, ptx_type_is_signed(type)));
	out->a = decode_source(decoder, &in->operands[1], size);
	out->b = decode_source(decoder, &in->operands[2], 4);
	out->d = decode_destination(decoder, &in->operands[0], size);
}

static void decode_shf(struct decoder *decoder, const struct ptx_instruction *in)
{
	static const enum handler_operation operations[2][2] = {{OP_SHF_R_CLAMP, OP_SHF_R_WRAP},
															{OP_SHF_L_CLAMP, OP_SHF_L_WRAP}};
	if (!decode_operands(decoder, in, 4))
		return;
	struct exec_instruction *out =
		decode_emit(decoder, operations[decode_has(in, "l")][decode_has(in, "wrap")], FORM_B32);
	operands_n(decoder, out, in, 4, 4, false);
}

/* popc, clz, bfind: 32-bit results; brev: as wide as a */
static void decode_count(struct decoder *decoder, const struct ptx_instruction *in)
{
	enum ptx_type type = decode_type(in, 0);
	size_t size = ptx_type_size(type);
	if (!decode_operands(decoder, in, 2))
		return;
	enum handler_operation operation = decoder->operation;
	enum handler_form form = operation == OP_BFIND ? decode_form(type) : decode_form_bits(size);
	if (operation == OP_BFIND && decode_has(in, "shiftamt"))
		operation = OP_BFIND_SHIFTAMT;
	struct exec_instruction *out = decode_emit(decoder, operation, form);
	operands_n(decoder, out, in, operation == OP_BREV ? size : 4, size, false);
}

static void decode_field(struct decoder *decoder, const struct ptx_instruction *in)
{
	enum ptx_type type = decode_type(in, 0);
	size_t size = ptx_type_size(type);
	bool insert = decoder->operation == OP_BFI;
	if (!decode_operands(decoder, in, insert ? 5 : 4))
		return;
	struct exec_instruction *out = decode_emit(decoder, decoder->operation, decode_form(type));
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
	bool wrap = decode_has(in, "wrap");
	enum handler_operation wrapping =
		decoder->operation == OP_BMSK_CLAMP ? OP_BMSK_WRAP : OP_SZEXT_WRAP;
	if (!decode_operands(decoder, in, 3))
		return;
	struct exec_instruction *out =
		decode_emit(decoder, wrap ? wrapping : decoder->operation, decode_form(decode_type(in, 0)));
	operands_n(decoder, out, in, 4, 4, false);
}

/* lop3.or.b32 d|p, a, b, c, table, q: p is (d != 0) or q */
static void lop3_predicate(struct decoder *decoder, const struct ptx_instruction *in, int32_t d)
{
	bool inverted = false;
	struct exec_instruction *out = decode_emit(decoder, OP_SETP_NE, FORM_B32);
	out->a = d;
	out->b = decode_constant(decoder, 0, 4);
	out->sub = decode_has(in, "or") ? COMBINE_OR : COMBINE_AND;
	out->c = decode_predicate(decoder, &in->operands[5], &inverted);
	out->flags = inverted ? EXEC_FLAG_NEGATED_C : 0;
	out->d = decode_predicate(decoder, &in->operands[0].items[1], NULL);
	out->e = -1;
}

static void decode_lop3(struct decoder *decoder, const struct ptx_instruction *in)
{
	bool combines = decode_has(in, "or") || decode_has(in, "and");
	const struct ptx_operand *d = in->operands;
	if (!decode_operands(decoder, in, combines ? 6 : 5))
		return;
	if (combines && d->kind != PTX_OP_PAIR) {
		decode_unsupported(decoder);
		return;
	}
	struct exec_instruction *out =
		decode_emit(decoder, OP_LOP3, in->part_count == (combines ? 3 : 2) ? FORM_B32 : FORM_NONE);
	out->a = decode_source(decoder, &in->operands[1], 4);
	out->b = decode_source(decoder, &in->operands[2], 4);
	out->c = decode_source(decoder, &in->operands[3], 4);
	int32_t slot = out->d = decode_destination(decoder, combines ? &d->items[0] : d, 4);
	out->sub = (uint8_t)in->operands[4].integer;
	if (in->operands[4].kind != PTX_OP_INTEGER)
		decode_refuse(decoder);
	if (combines)
		lop3_predicate(decoder, in, slot);
}

static void decode_prmt(struct decoder *decoder, const struct ptx_instruction *in)
{
	static const char *const modes[] = {
		[PERMUTE_F4E] = "f4e", [PERMUTE_B4E] = "b4e", [PERMUTE_RC8] = "rc8",
		[PERMUTE_ECL] = "ecl", [PERMUTE_ECR] = "ecr", [PERMUTE_RC16] = "rc16"};
	if (!decode_operands(decoder, in, 4))
		return;
	int mode = PERMUTE_ANY;
	for (int i = PERMUTE_F4E; i <= PERMUTE_RC16; i++)
		if (decode_has(in, modes[i]))
			mode = i;
	struct exec_instruction *out =
		decode_emit(decoder, OP_PRMT, mode == PERMUTE_ANY ? FORM_B32 : FORM_MODE_B32);
	out->sub = (uint8_t)mode;
	operands_n(decoder, out, in, 4, 4, false);
}

static void decode_dot(struct decoder *decoder, const struct ptx_instruction *in)
{
	if (!decode_operands(decoder, in, 4))
		return;
	struct exec_instruction *out = decode_emit(decoder, decoder->operation, FORM_ONLY);
	out->sub = (uint8_t)((ptx_type_is_signed(decode_type(in, 0)) ? DOT_SIGNED_A : 0) |
						 (ptx_type_is_signed(decode_type(in, 1)) ? DOT_SIGNED_B : 0) |
						 (decode_has(in, "hi") ? DOT_HIGH : 0));
	operands_n(decoder, out, in, 4, 4, false);
}

static void decode_sad(struct decoder *decoder, const struct ptx_instruction *in)
{
	if (!decode_operands(decoder, in, 4))
		return;
	struct exec_instruction *out =
		decode_emit(decoder, decoder->operation, decode_form(decode_type(in, 0)));
	operands_n(decoder, out, in, 4, 4, false);
}

const struct decode_entry decode_alu_table[] = {
	{"add", decode_add_sub, OP_ADD},
	{"sub", decode_add_sub, OP_SUB},
	{"addc", decode_addc, OP_NONE},
	{"subc", decode_addc, OP_NONE},
	{"mul", decode_mul_mad, OP_NONE},
	{"mad", decode_mul_mad, OP_NONE},
	{"madc", decode_mul_mad, OP_NONE},
	{"fma", decode_fma, OP_FMA},
	{"mul24", decode_mul24, OP_NONE},
	{"clmad", decode_clmad, OP_NONE},
	{"div", decode_div, OP_DIV},
	{"rem", decode_div, OP_REM},
	{"sqrt", decode_root, OP_SQRT},
	{"rcp", decode_root, OP_RCP},
	{"rsqrt", decode_approximate, OP_RSQRT},
	{"ex2", decode_approximate, OP_EX2},
	{"lg2", decode_approximate, OP_LG2},
	{"sin", decode_approximate, OP_SIN},
	{"cos", decode_approximate, OP_COS},
	{"tanh", decode_approximate, OP_TANH},
	{"abs", decode_sign, OP_ABS},
	{"neg", decode_sign, OP_NEG},
	{"min", decode_min_max, OP_MIN},
	{"max", decode_min_max, OP_MAX},
	{"copysign", decode_copysign, OP_COPYSIGN},
	{"testp", decode_testp, OP_TESTP},
	{"and", decode_logic, OP_AND},
	{"or", decode_logic, OP_OR},
	{"xor", decode_logic, OP_XOR},
	{"not", decode_logic, OP_NOT},
	{"cnot", decode_logic, OP_CNOT},
	{"shl", decode_shift, OP_SHL},
	{"shr", decode_shift, OP_SHR},
	{"shf", decode_shf, OP_NONE},
	{"popc", decode_count, OP_POPC},
	{"clz", decode_count, OP_CLZ},
	{"brev", decode_count, OP_BREV},
	{"bfind", decode_count, OP_BFIND},
	{"bfe", decode_field, OP_BFE},
	{"bfi", decode_field, OP_BFI},
	{"bmsk", decode_mask, OP_BMSK_CLAMP},
	{"szext", decode_mask, OP_SZEXT_CLAMP},
	{"lop3", decode_lop3, OP_LOP3},
	{"prmt", decode_prmt, OP_PRMT},
	{"dp4a", decode_dot, OP_DP4A},
	{"dp2a", decode_dot, OP_DP2A},
	{"sad", decode_sad, OP_SAD},
	{"fns", decode_sad, OP_FNS},
	{NULL, NULL, OP_NONE},
};
