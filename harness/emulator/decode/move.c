/* Decoding of comparison, selection, movement and conversion. */
#include "emulator/decode/decoder.h"

#include <string.h>

/* ------------------------------------------------------------------------
 * Comparison and selection */

static const struct {
	const char *name;
	enum handler_operation setp, set;
} comparisons[COMPARISONS] = {
	[COMPARE_EQ] = {"eq", OP_SETP_EQ, OP_SET_EQ},
	[COMPARE_NE] = {"ne", OP_SETP_NE, OP_SET_NE},
	[COMPARE_LT] = {"lt", OP_SETP_LT, OP_SET_LT},
	[COMPARE_LE] = {"le", OP_SETP_LE, OP_SET_LE},
	[COMPARE_GT] = {"gt", OP_SETP_GT, OP_SET_GT},
	[COMPARE_GE] = {"ge", OP_SETP_GE, OP_SET_GE},
	[COMPARE_EQU] = {"equ", OP_SETP_EQU, OP_SET_EQU},
	[COMPARE_NEU] = {"neu", OP_SETP_NEU, OP_SET_NEU},
	[COMPARE_LTU] = {"ltu", OP_SETP_LTU, OP_SET_LTU},
	[COMPARE_LEU] = {"leu", OP_SETP_LEU, OP_SET_LEU},
	[COMPARE_GTU] = {"gtu", OP_SETP_GTU, OP_SET_GTU},
	[COMPARE_GEU] = {"geu", OP_SETP_GEU, OP_SET_GEU},
	[COMPARE_NUM] = {"num", OP_SETP_NUM, OP_SET_NUM},
	[COMPARE_NAN] = {"nan", OP_SETP_NAN, OP_SET_NAN},
};

/* Unsigned comparisons have names of their own: lo, ls, hi, hs. */
static int comparison_of(const struct ptx_instruction *in)
{
	static const char *const unsigned_names[] = {"lo", "ls", "hi", "hs"};
	for (int i = 0; i < 4; i++)
		if (decode_has(in, unsigned_names[i]))
			return COMPARE_LT + i;
	for (int i = 0; i < COMPARISONS; i++)
		if (decode_has(in, comparisons[i].name))
			return i;
	return -1;
}

static enum handler_form comparison_form(int comparison, enum ptx_type type, bool ftz)
{
	size_t size = ptx_type_size(type);
	if (ptx_type_is_float(type))
		return ftz ? decode_form_ftz(type) : decode_form(type);
	if (comparison == COMPARE_EQ || comparison == COMPARE_NE)
		return decode_form_bits(size);
	return decode_form_integer(size, ptx_type_is_signed(type));
}

static void combine_with(struct decoder *decoder, struct exec_instruction *out,
						 const struct ptx_instruction *in)
{
	bool inverted = false;
	out->sub = decode_has(in, "and")   ? COMBINE_AND
			   : decode_has(in, "or")  ? COMBINE_OR
			   : decode_has(in, "xor") ? COMBINE_XOR
									   : COMBINE_NONE;
	if (in->operand_count > 3)
		out->c = decode_predicate(decoder, &in->operands[3], &inverted);
	out->flags |= inverted ? EXEC_FLAG_NEGATED_C : 0;
	if ((out->sub != COMBINE_NONE) != (in->operand_count > 3))
		decode_refuse(decoder);
}

void decode_setp(struct decoder *decoder, const struct ptx_instruction *in)
{
	enum ptx_type type = decode_type(in, 0);
	size_t size = ptx_type_size(type);
	int comparison = comparison_of(in);
	if (comparison < 0 || in->operand_count < 3 || in->operand_count > 4) {
		decode_unsupported(decoder);
		return;
	}
	bool half = decode_is_half(type);
	struct exec_instruction *out = decode_emit(
		decoder, half ? OP_SETP : comparisons[comparison].setp,
		half ? decode_form(type) : comparison_form(comparison, type, decode_has(in, "ftz")));
	out->size = (uint8_t)comparison;
	out->flags = half ? decode_half_flags(in) : 0;
	out->a = ptx_type_is_float(type) ? decode_float(decoder, &in->operands[1], size)
									 : decode_source(decoder, &in->operands[1], size);
	out->b = ptx_type_is_float(type) ? decode_float(decoder, &in->operands[2], size)
									 : decode_source(decoder, &in->operands[2], size);
	combine_with(decoder, out, in);
	const struct ptx_operand *d = &in->operands[0];
	bool pair = d->kind == PTX_OP_PAIR;
	out->d = decode_predicate(decoder, pair ? &d->items[0] : d, NULL);
	out->e = pair ? decode_predicate(decoder, &d->items[1], NULL) : -1;
}

void decode_set(struct decoder *decoder, const struct ptx_instruction *in)
{
	enum ptx_type to = decode_type(in, 0), type = decode_type(in, 1);
	size_t size = ptx_type_size(type), d_size = ptx_type_size(to);
	int comparison = comparison_of(in);
	if (comparison < 0 || in->operand_count < 3 || in->operand_count > 4 || to == PTX_NONE) {
		decode_unsupported(decoder);
		return;
	}
	bool half = decode_is_half(type);
	struct exec_instruction *out = decode_emit(
		decoder, half ? OP_SET : comparisons[comparison].set,
		half ? decode_form(type) : comparison_form(comparison, type, decode_has(in, "ftz")));
	out->size = (uint8_t)comparison;
	out->reg_size = (uint8_t)d_size;
	out->flags = half ? decode_half_flags(in) : 0;
	out->a = ptx_type_is_float(type) ? decode_float(decoder, &in->operands[1], size)
									 : decode_source(decoder, &in->operands[1], size);
	out->b = ptx_type_is_float(type) ? decode_float(decoder, &in->operands[2], size)
									 : decode_source(decoder, &in->operands[2], size);
	out->imm = to == PTX_F32                        ? 0x3f800000
			   : to == PTX_F16 || to == PTX_F16X2   ? 0x3c00
			   : to == PTX_BF16 || to == PTX_BF16X2 ? 0x3f80
													: -1;
	combine_with(decoder, out, in);
	if (half && out->sub != COMBINE_NONE)
		decode_refuse(decoder);
	out->d = decode_destination(decoder, &in->operands[0], d_size);
}

void decode_selp(struct decoder *decoder, const struct ptx_instruction *in)
{
	enum ptx_type type = decode_type(in, 0);
	size_t size = ptx_type_size(type);
	bool inverted = false;
	if (!decode_operands(decoder, in, 4))
		return;
	bool is_float = ptx_type_is_float(type);
	struct exec_instruction *out =
		decode_emit(decoder, OP_SELP, is_float ? decode_form(type) : decode_form_bits(size));
	out->a = is_float ? decode_float(decoder, &in->operands[1], size)
					  : decode_source(decoder, &in->operands[1], size);
	out->b = is_float ? decode_float(decoder, &in->operands[2], size)
					  : decode_source(decoder, &in->operands[2], size);
	out->c = decode_predicate(decoder, &in->operands[3], &inverted);
	out->imm = inverted ? (int64_t)EXEC_FULL : 0;
	out->d = decode_destination(decoder, &in->operands[0], size);
}

void decode_slct(struct decoder *decoder, const struct ptx_instruction *in)
{
	size_t size = ptx_type_size(decode_type(in, 0));
	if (!decode_operands(decoder, in, 4))
		return;
	enum handler_operation operation = size == 2   ? OP_SLCT_B16
									   : size == 4 ? OP_SLCT_B32
									   : size == 8 ? OP_SLCT_B64
												   : OP_NONE;
	struct exec_instruction *out = decode_emit(decoder, operation, decode_form(decode_type(in, 1)));
	out->a = decode_float(decoder, &in->operands[1], size);
	out->b = decode_float(decoder, &in->operands[2], size);
	out->c = decode_float(decoder, &in->operands[3], 4);
	out->d = decode_destination(decoder, &in->operands[0], size);
}

/* ------------------------------------------------------------------------
 * Movement */

static void move_pack(struct decoder *decoder, const struct ptx_instruction *in, size_t size)
{
	const struct ptx_operand *vector = &in->operands[1];
	size_t part = vector->count ? size / vector->count : 0;
	bool halves = size == 4 && part == 2;
	if (part < 2 || part * vector->count != size || vector->count > 4) {
		decode_unsupported(decoder);
		return;
	}
	struct exec_instruction *out = decode_emit(decoder, OP_PACK, halves ? FORM_B32 : FORM_ANY);
	out->count = (uint8_t)vector->count;
	out->size = (uint8_t)part;
	out->reg_size = (uint8_t)size;
	out->d = decode_destination(decoder, &in->operands[0], size);
	int32_t list[4];
	for (uint32_t i = 0; i < vector->count; i++)
		list[i] = decode_source(decoder, &vector->items[i], part);
	decode_list(decoder, list, vector->count);
}

static void move_unpack(struct decoder *decoder, const struct ptx_instruction *in, size_t size)
{
	const struct ptx_operand *vector = &in->operands[0];
	size_t part = vector->count ? size / vector->count : 0;
	bool halves = size == 4 && part == 2;
	if (part < 2 || part * vector->count != size || vector->count > 4) {
		decode_unsupported(decoder);
		return;
	}
	struct exec_instruction *out = decode_emit(decoder, OP_UNPACK, halves ? FORM_B32 : FORM_ANY);
	out->count = (uint8_t)vector->count;
	out->size = (uint8_t)part;
	out->reg_size = (uint8_t)size;
	out->a = decode_source(decoder, &in->operands[1], size);
	int32_t list[4];
	for (uint32_t i = 0; i < vector->count; i++)
		list[i] = vector->items[i].kind == PTX_OP_SINK
					  ? -1
					  : decode_destination(decoder, &vector->items[i], part);
	decode_list(decoder, list, vector->count);
}

static bool move_clock(struct decoder *decoder, const struct ptx_instruction *in)
{
	static const struct {
		const char *name;
		uint8_t sub, size;
	} clocks[] = {
		{"%clock", CLOCK_CYCLES, 4},          {"%clock_hi", CLOCK_CYCLES | CLOCK_HIGH, 4},
		{"%clock64", CLOCK_CYCLES, 8},        {"%globaltimer", CLOCK_GLOBAL, 8},
		{"%globaltimer_lo", CLOCK_GLOBAL, 4}, {"%globaltimer_hi", CLOCK_GLOBAL | CLOCK_HIGH, 4},
	};
	for (size_t i = 0; i < sizeof clocks / sizeof clocks[0]; i++) {
		if (strcmp(in->operands[1].name, clocks[i].name) != 0)
			continue;
		struct exec_instruction *out = decode_emit(decoder, OP_CLOCK, FORM_ONLY);
		out->sub = clocks[i].sub;
		out->reg_size = clocks[i].size;
		out->d = decode_destination(decoder, &in->operands[0], clocks[i].size);
		return true;
	}
	return false;
}

void decode_mov(struct decoder *decoder, const struct ptx_instruction *in)
{
	enum ptx_type type = decode_type(in, 0);
	size_t size = ptx_type_size(type);
	if (!decode_operands(decoder, in, 2))
		return;
	const struct ptx_operand *from = &in->operands[1];
	if (type == PTX_PRED) {
		bool inverted = false;
		struct exec_instruction *out = decode_emit(decoder, OP_MOV, FORM_PRED);
		out->a = out->b = decode_predicate(decoder, from, &inverted);
		out->imm = inverted ? NEGATED_A : 0;
		out->d = decode_predicate(decoder, &in->operands[0], NULL);
	} else if (from->kind == PTX_OP_VECTOR) {
		move_pack(decoder, in, size);
	} else if (in->operands[0].kind == PTX_OP_VECTOR) {
		move_unpack(decoder, in, size);
	} else if (from->kind != PTX_OP_SPECIAL || !move_clock(decoder, in)) {
		struct exec_instruction *out = decode_emit(decoder, OP_MOV, decode_form_bits(size));
		out->a = ptx_type_is_float(type) ? decode_float(decoder, from, size)
										 : decode_source(decoder, from, size);
		out->d = decode_destination(decoder, &in->operands[0], size);
	}
}

static uint64_t window_of(const struct ptx_instruction *in)
{
	if (decode_has(in, "shared") || decode_has(in, "shared::cta") ||
		decode_has(in, "shared::cluster"))
		return EXEC_WINDOW_SHARED;
	if (decode_has(in, "local"))
		return EXEC_WINDOW_LOCAL;
	return decode_has(in, "param") || decode_has(in, "param::entry") ? EXEC_WINDOW_PARAM : 0;
}

void decode_cvta(struct decoder *decoder, const struct ptx_instruction *in)
{
	uint64_t window = window_of(in);
	if (!decode_operands(decoder, in, 2))
		return;
	/* parameters of an inlined function are in local memory */
	if (window == EXEC_WINDOW_PARAM && decoder->frame->caller != NULL)
		window = EXEC_WINDOW_LOCAL;
	struct exec_instruction *out =
		decode_emit(decoder, window == 0 ? OP_MOV : decoder->operation, FORM_B64);
	out->a = decode_source(decoder, &in->operands[1], 8);
	out->b = decode_constant(decoder, window, 8);
	out->d = decode_destination(decoder, &in->operands[0], 8);
}

void decode_isspacep(struct decoder *decoder, const struct ptx_instruction *in)
{
	if (!decode_operands(decoder, in, 2))
		return;
	struct exec_instruction *out = decode_emit(decoder, OP_ISSPACEP, FORM_ONLY);
	uint64_t window = window_of(in);
	out->space = window == EXEC_WINDOW_SHARED  ? PTX_SHARED
				 : window == EXEC_WINDOW_LOCAL ? PTX_LOCAL
				 : window == EXEC_WINDOW_PARAM ? PTX_PARAM
				 : decode_has(in, "const")     ? PTX_CONST
											   : PTX_GLOBAL;
	out->flags = decode_has(in, "shared::cluster") ? EXEC_FLAG_CLUSTER : 0;
	out->a = decode_source(decoder, &in->operands[1], 8);
	out->d = decode_predicate(decoder, &in->operands[0], NULL);
}

/* ------------------------------------------------------------------------
 * Conversion */

static enum sub_rounding conversion_rounding(const struct ptx_instruction *in, bool *integral)
{
	static const char *const modes[] = {[ROUND_NEAREST] = "rn",
										[ROUND_ZERO] = "rz",
										[ROUND_DOWN] = "rm",
										[ROUND_UP] = "rp",
										[ROUND_AWAY] = "rna"};
	static const char *const integer_modes[] = {
		[ROUND_NEAREST] = "rni", [ROUND_ZERO] = "rzi", [ROUND_DOWN] = "rmi", [ROUND_UP] = "rpi"};
	*integral = false;
	for (int i = ROUND_NEAREST; i <= ROUND_UP; i++) {
		if (decode_has(in, integer_modes[i])) {
			*integral = true;
			return (enum sub_rounding)i;
		}
	}
	for (int i = ROUND_NEAREST; i <= ROUND_AWAY; i++)
		if (decode_has(in, modes[i]))
			return (enum sub_rounding)i;
	return ROUND_NEAREST;
}

/* The operation of the handlers that convert to a type only. */
static enum handler_operation conversion_to(enum ptx_type to)
{
	switch (to) {
	case PTX_F16: return OP_CVT_F16;
	case PTX_F16X2: return OP_CVT_F16X2;
	case PTX_BF16: return OP_CVT_BF16;
	case PTX_BF16X2: return OP_CVT_BF16X2;
	case PTX_F32: return OP_CVT_F32;
	case PTX_F64: return OP_CVT_F64;
	default: break;
	}
	if (ptx_type_is_float(to))
		return OP_NONE;
	size_t size = ptx_type_size(to);
	return size == 2 ? OP_CVT_B16 : size == 4 ? OP_CVT_B32 : size == 8 ? OP_CVT_B64 : OP_NONE;
}

/* The form of conversion_to() that does it; FORM_NONE when there is none. */
static enum handler_form quick_conversion(enum ptx_type to, enum ptx_type from, size_t d_size,
										  size_t a_size)
{
	size_t to_size = ptx_type_size(to), from_size = ptx_type_size(from);
	enum handler_form form = decode_form(from);
	if (!ptx_type_is_float(to)) {
		if (ptx_type_is_float(from) || d_size != to_size)
			return FORM_NONE;
		form = to_size > from_size ? decode_form_integer(from_size, ptx_type_is_signed(from))
								   : decode_form_bits(from_size);
	}
	bool exists = handler_find(conversion_to(to), form) != HANDLER_UNSUPPORTED;
	return exists && a_size == from_size ? form : FORM_NONE;
}

static size_t operand_size(const struct ptx_operand *operand, enum ptx_type type)
{
	size_t size = decode_size(operand), least = ptx_type_size(type) < 2 ? 2 : ptx_type_size(type);
	return size ? size : least;
}

/* cvt.rn.f16x2.f32 d, a, b and cvt to and from pairs of 8-bit floats */
static bool pair_types(enum ptx_type to, enum ptx_type from, enum ptx_type *to_one,
					   enum ptx_type *from_one)
{
	static const struct {
		enum ptx_type pair, one;
	} pairs[] = {{PTX_F16X2, PTX_F16},
				 {PTX_BF16X2, PTX_BF16},
				 {PTX_E4M3X2, PTX_E4M3},
				 {PTX_E5M2X2, PTX_E5M2}};
	*to_one = PTX_NONE;
	*from_one = from;
	for (size_t i = 0; i < 4; i++) {
		if (pairs[i].pair == to)
			*to_one = pairs[i].one;
		if (pairs[i].pair == from)
			*from_one = pairs[i].one;
	}
	return *to_one != PTX_NONE;
}

static void convert_pair(struct decoder *decoder, const struct ptx_instruction *in,
						 enum ptx_type to, enum ptx_type from)
{
	enum ptx_type to_one, from_one;
	bool integral;
	enum sub_rounding rounding = conversion_rounding(in, &integral);
	bool two = from == PTX_F32;
	if (!pair_types(to, from, &to_one, &from_one) || !decode_operands(decoder, in, two ? 3 : 2)) {
		decode_refuse(decoder);
		decode_unsupported(decoder);
		return;
	}
	bool quick = two && rounding == ROUND_NEAREST && !decode_has(in, "satfinite") &&
				 (to == PTX_F16X2 || to == PTX_BF16X2);
	struct exec_instruction *out =
		decode_emit(decoder, quick ? conversion_to(to) : OP_CVT, quick ? FORM_F32 : FORM_PAIR);
	out->size = (uint8_t)from_one;
	out->count = (uint8_t)to_one;
	out->sub = (uint8_t)rounding;
	out->e = 0;
	out->width = (uint8_t)ptx_type_size(from_one);
	out->reg_size = (uint8_t)ptx_type_size(to_one);
	out->flags = (uint8_t)((decode_has(in, "relu") ? EXEC_FLAG_RELU : 0) |
						   (decode_has(in, "satfinite") ? EXEC_FLAG_FINITE : 0));
	out->a = decode_float(decoder, &in->operands[1], ptx_type_size(from));
	out->b = two ? decode_float(decoder, &in->operands[2], 4) : -1;
	out->d = decode_destination(decoder, &in->operands[0], ptx_type_size(to));
}

void decode_cvt(struct decoder *decoder, const struct ptx_instruction *in)
{
	enum ptx_type to = decode_type(in, 0), from = decode_type(in, 1);
	if (to == PTX_NONE || from == PTX_NONE || in->operand_count < 2) {
		decode_unsupported(decoder);
		return;
	}
	enum ptx_type one, other;
	if (pair_types(to, from, &one, &other)) {
		convert_pair(decoder, in, to, from);
		return;
	}
	bool integral;
	enum sub_rounding rounding = conversion_rounding(in, &integral);
	size_t d_size = operand_size(&in->operands[0], to),
		   a_size = operand_size(&in->operands[1], from);
	bool plain = in->part_count == 3 ||
				 (in->part_count == 4 && decode_has(in, "rn") && rounding == ROUND_NEAREST);
	enum handler_form form = FORM_NONE;
	if (plain && !integral)
		form = quick_conversion(to, from, d_size, a_size);
	struct exec_instruction *out =
		decode_emit(decoder, form == FORM_NONE ? OP_CVT : conversion_to(to),
					form == FORM_NONE ? FORM_ANY : form);
	out->size = (uint8_t)from;
	out->count = (uint8_t)to;
	out->sub = (uint8_t)rounding;
	/* .rzi and the like between integers and floats is the rounding itself */
	out->e = integral && ptx_type_is_float(to) ? 1 : 0;
	out->width = (uint8_t)a_size;
	out->reg_size = (uint8_t)d_size;
	out->flags = (uint8_t)((decode_has(in, "sat") ? EXEC_FLAG_SAT : 0) |
						   (decode_has(in, "satfinite") ? EXEC_FLAG_FINITE : 0) |
						   (decode_has(in, "ftz") ? EXEC_FLAG_FTZ : 0) |
						   (decode_has(in, "relu") ? EXEC_FLAG_RELU : 0));
	out->a = ptx_type_is_float(from) ? decode_float(decoder, &in->operands[1], a_size)
									 : decode_source(decoder, &in->operands[1], a_size);
	out->d = decode_destination(decoder, &in->operands[0], d_size);
}
