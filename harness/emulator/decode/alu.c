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
 * What needs no more than its row: decode_plain(), also of another operation */

/* The form that the operation has of the type: of itself, of its width, of unsigned integers where
 * the type is bits, or the only one. */
static enum handler_form plain_form(enum handler_operation operation, enum ptx_type type)
{
	const size_t size = ptx_type_size(type);
	const enum handler_form itself = decode_form(type), bits = decode_form_bits(size),
							whole = itself == bits ? decode_form_integer(size, false) : FORM_NONE;
	const enum handler_form forms[] = {itself, bits, whole, FORM_ONLY};
	for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
		if (handler_exists(operation, forms[i]))
			return forms[i];
	return FORM_NONE;
}

/* Of an operand, by its letter in the row: ptx/forms.h. */
static size_t plain_size(char letter, enum ptx_type first, enum ptx_type last)
{
	switch (letter) {
	case 'n':
	case 'r': return 4;
	case 'd':
	case 'e': return ptx_type_size(first);
	default: return ptx_type_size(last);
	}
}

/* The sources are a, b, c and e, in order. */
static struct exec_instruction *plain(struct decoder *decoder, const struct ptx_instruction *in)
{
	const enum ptx_type first = decode_type(in, 0), second = decode_type(in, 1),
						last = second == PTX_NONE ? first : second;
	struct exec_instruction *out =
		decode_emit(decoder, decoder->operation, plain_form(decoder->operation, last));
	int32_t *const sources[] = {NULL, &out->a, &out->b, &out->c, &out->e};
	const char *letter = in->expects;
	for (uint32_t i = 1; i < in->operand_count && i < sizeof sources / sizeof sources[0]; i++) {
		letter = strchr(letter, ',') + 1;
		const size_t size = plain_size(*letter, first, last);
		*sources[i] = ptx_type_is_float(last) ? decode_float(decoder, &in->operands[i], size)
											  : decode_source(decoder, &in->operands[i], size);
	}
	out->d = decode_destination(decoder, &in->operands[0], plain_size(*in->expects, first, last));
	return out;
}

void decode_plain(struct decoder *decoder, const struct ptx_instruction *in)
{
	plain(decoder, in);
}

void decode_clmad(struct decoder *decoder, const struct ptx_instruction *in)
{
	decoder->operation = decode_has(in, "hi") ? OP_CLMAD_HI : OP_CLMAD_LO;
	plain(decoder, in);
}

void decode_shf(struct decoder *decoder, const struct ptx_instruction *in)
{
	const bool left = in->op == OPCODE_SHF_L;
	if (decode_has(in, "wrap"))
		decoder->operation = left ? OP_SHF_L_WRAP : OP_SHF_R_WRAP;
	plain(decoder, in);
}

void decode_bfind(struct decoder *decoder, const struct ptx_instruction *in)
{
	if (decode_has(in, "shiftamt"))
		decoder->operation = OP_BFIND_SHIFTAMT;
	plain(decoder, in);
}

void decode_mask(struct decoder *decoder, const struct ptx_instruction *in)
{
	if (decode_has(in, "wrap"))
		decoder->operation = in->op == OPCODE_BMSK ? OP_BMSK_WRAP : OP_SZEXT_WRAP;
	plain(decoder, in);
}

void decode_dot(struct decoder *decoder, const struct ptx_instruction *in)
{
	plain(decoder, in)->sub =
		(uint8_t)((ptx_type_is_signed(decode_type(in, 0)) ? DOT_SIGNED_A : 0) |
				  (ptx_type_is_signed(decode_type(in, 1)) ? DOT_SIGNED_B : 0) |
				  (decode_has(in, "hi") ? DOT_HIGH : 0));
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

/* Of an fma that was a product and a difference: ptx/contract.c. */
static uint8_t negated_operands(const struct ptx_instruction *in)
{
	if (in->op != OPCODE_FMA || in->operand_count != 4)
		return 0;
	return (uint8_t)((in->operands[1].negated ? EXEC_FLAG_NEGATED_A : 0) |
					 (in->operands[3].negated ? EXEC_FLAG_NEGATED_C : 0));
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
	const uint8_t negated = negated_operands(in);
	if (decode_is_half(type)) {
		out = decode_emit(decoder, operation,
						  rounding == ROUND_NEAREST ? decode_form(type) : FORM_NONE);
		out->flags = decode_half_flags(in);
		flops = (uint8_t)(flops * (type == PTX_F16X2 || type == PTX_BF16X2 ? 2 : 1));
	} else if (rounding != ROUND_NEAREST || sat || negated) {
		out = decode_emit(decoder, operation, relu ? FORM_NONE : form_mode(type));
		out->sub = (uint8_t)rounding;
		out->flags = decode_half_flags(in);
	} else {
		out = decode_emit(decoder, operation,
						  relu  ? FORM_NONE
						  : ftz ? decode_form_ftz(type)
								: decode_form(type));
	}
	out->flags |= negated;
	out->flops = flops;
	operands_n(decoder, out, in, ptx_type_size(type), ptx_type_size(type), true);
}

static void integer_carry(struct decoder *decoder, const struct ptx_instruction *in, bool subtract)
{
	size_t size = ptx_type_size(decode_type(in, 0));
	const bool carry_in = ptx_opcode_facts[in->op] & PTX_READS_CARRY;
	if (!decode_operands(decoder, in, 3))
		return;
	struct exec_instruction *out = decode_emit(decoder, OP_CARRY, decode_form_bits(size));
	out->sub = (uint8_t)((carry_in ? CARRY_IN : 0) | (decode_has(in, "cc") ? CARRY_OUT : 0) |
						 (subtract ? CARRY_SUBTRACT : 0));
	operands_n(decoder, out, in, size, size, false);
}

void decode_add_sub(struct decoder *decoder, const struct ptx_instruction *in)
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

void decode_addc(struct decoder *decoder, const struct ptx_instruction *in)
{
	integer_carry(decoder, in, in->op == OPCODE_SUBC);
}

enum product_part { PART_LO, PART_HI, PART_WIDE };

static enum product_part product_part(const struct ptx_instruction *in)
{
	return decode_has(in, "hi") ? PART_HI : decode_has(in, "wide") ? PART_WIDE : PART_LO;
}

void decode_mul_mad(struct decoder *decoder, const struct ptx_instruction *in)
{
	static const enum handler_operation operations[2][3] = {
		{[PART_LO] = OP_MUL_LO, [PART_HI] = OP_MUL_HI, [PART_WIDE] = OP_MUL_WIDE},
		{[PART_LO] = OP_MAD_LO, [PART_HI] = OP_MAD_HI, [PART_WIDE] = OP_MAD_WIDE},
	};
	enum ptx_type type = decode_type(in, 0);
	bool is_mad = in->op != OPCODE_MUL;
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
	if (is_mad && (decode_has(in, "cc") || in->op == OPCODE_MADC)) {
		out = decode_emit(decoder, OP_CARRY_MAD,
						  part == PART_WIDE ? FORM_NONE : decode_form_bits(size));
		out->sub =
			(uint8_t)((in->op == OPCODE_MADC ? CARRY_IN : 0) |
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

void decode_fma(struct decoder *decoder, const struct ptx_instruction *in)
{
	float_arithmetic(decoder, in, OP_FMA, 4, 2);
}

/* The reciprocal of a constant is ptxas's. */
static enum handler_operation quotient_operation(const struct ptx_instruction *in)
{
	const bool constant = in->operands[2].kind == PTX_OP_FLOAT;
	if (decode_has(in, "full"))
		return constant ? OP_DIV_FULL_CONSTANT : OP_DIV_FULL;
	return constant ? OP_DIV_APPROX_CONSTANT : OP_DIV_APPROX;
}

void decode_div(struct decoder *decoder, const struct ptx_instruction *in)
{
	enum ptx_type type = decode_type(in, 0);
	size_t size = ptx_type_size(type);
	if (!decode_operands(decoder, in, 3))
		return;
	struct exec_instruction *out;
	if (decode_has(in, "approx") || decode_has(in, "full"))
		out = decode_emit(decoder, quotient_operation(in),
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

/* sqrt, rcp: also approximate */
void decode_root(struct decoder *decoder, const struct ptx_instruction *in)
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
		decode_emit(decoder, decoder->operation == OP_RCP ? OP_RCP_APPROX : OP_SQRT_APPROX,
					ftz ? FORM_FTZ_F32 : decode_form(type));
	out->flops = 1;
	operands_n(decoder, out, in, size, size, true);
}

/* rsqrt, ex2, lg2, sin, cos, tanh */
void decode_approximate(struct decoder *decoder, const struct ptx_instruction *in)
{
	enum ptx_type type = decode_type(in, 0);
	size_t size = ptx_type_size(type);
	enum handler_operation operation = decoder->operation;
	if (decode_has(in, "2pi"))
		operation = operation == OP_SIN ? OP_SIN_2PI : OP_COS_2PI;
	if (operation == OP_RSQRT && type == PTX_F64 && decode_has(in, "ftz"))
		operation = OP_RSQRT_FTZ;
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

void decode_sign(struct decoder *decoder, const struct ptx_instruction *in)
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

/* ptxas makes a copy of it, and so a NaN keeps its bits; not of bf16, nor of pairs. */
static bool is_of_itself(const struct ptx_instruction *in, enum ptx_type type)
{
	const struct ptx_operand *a = &in->operands[1], *b = &in->operands[2];
	bool is_single = type == PTX_F16 || type == PTX_F32 || type == PTX_F64;
	return is_single && in->part_count == 2 && a->kind == PTX_OP_REGISTER &&
		   b->kind == PTX_OP_REGISTER && a->reg == b->reg;
}

void decode_min_max(struct decoder *decoder, const struct ptx_instruction *in)
{
	enum ptx_type type = decode_type(in, 0);
	size_t size = ptx_type_size(type);
	if (!decode_operands(decoder, in, 3))
		return;
	bool half = decode_is_half(type), ftz = decode_has(in, "ftz") && !half;
	if (is_of_itself(in, type)) {
		struct exec_instruction *move = decode_emit(decoder, OP_MOV, decode_form_bits(size));
		move->flops = 1;
		move->a = decode_float(decoder, &in->operands[1], size);
		move->d = decode_destination(decoder, &in->operands[0], size);
		return;
	}
	struct exec_instruction *out =
		decode_emit(decoder, min_max_operation(decoder, in, !ptx_type_is_float(type)),
					ftz ? decode_form_ftz(type) : decode_form(type));
	out->flags = half ? decode_half_flags(in) : 0;
	out->flops = ptx_type_is_float(type);
	operands_n(decoder, out, in, size, size, ptx_type_is_float(type));
}

void decode_testp(struct decoder *decoder, const struct ptx_instruction *in)
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

void decode_logic(struct decoder *decoder, const struct ptx_instruction *in)
{
	if (decode_type(in, 0) != PTX_PRED) {
		plain(decoder, in);
		return;
	}
	struct exec_instruction *out = decode_emit(decoder, decoder->operation, FORM_PRED);
	bool a = false, b = false;
	out->a = decode_predicate(decoder, &in->operands[1], &a);
	out->b = in->operand_count == 3 ? decode_predicate(decoder, &in->operands[2], &b) : out->a;
	out->imm = (a ? NEGATED_A : 0) | (b ? NEGATED_B : 0);
	out->d = decode_predicate(decoder, &in->operands[0], NULL);
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

void decode_lop3(struct decoder *decoder, const struct ptx_instruction *in)
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

void decode_prmt(struct decoder *decoder, const struct ptx_instruction *in)
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
