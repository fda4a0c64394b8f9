/* What an instruction reads and writes, for values that are followed (exec/undefined.h). It comes
 * from the operands as they are written, so that a handler needs to say nothing about it. */
#include "emulator/decode/decoder.h"

#include <string.h>

#include "emulator/exec/undefined.h"

#define REFERENCES_MAX 160

struct effects {
	struct decoder *decoder;
	int32_t list[EFFECT_HEAD + REFERENCES_MAX];
	uint32_t used;
};

static const struct {
	const char *opcode;
	enum exec_effect_kind kind;
} kinds[] = {
	{"ld", EFFECT_LOAD},
	{"ldu", EFFECT_LOAD},
	{"tex", EFFECT_TEXTURE},
	{"ldmatrix", EFFECT_LOAD_ROWS},
	{"st", EFFECT_STORE},
	{"stmatrix", EFFECT_STORE_ROWS},
	{"mma", EFFECT_MMA},
	{"wgmma", EFFECT_OPERANDS},
	{"mov", EFFECT_MOVE},
	{"selp", EFFECT_MOVE},
	{"shfl", EFFECT_MOVE},
	{"prmt", EFFECT_MOVE},
	{"movmatrix", EFFECT_MOVE},
	{"shl", EFFECT_MOVE},
	{"shr", EFFECT_MOVE},
	{"setp", EFFECT_COMPARE},
	{"lop3", EFFECT_PARTS},
	{"xor", EFFECT_PARTS},
	{"not", EFFECT_PARTS},
	{"vote", EFFECT_CROSS},
	{"match", EFFECT_CROSS},
	{"redux", EFFECT_CROSS},
	{"atom", EFFECT_OPERANDS},
	{"red", EFFECT_OPERANDS},
	{"cp", EFFECT_OPERANDS},
	{"tensormap", EFFECT_OPERANDS},
	{"bar", EFFECT_OPERANDS},
	{"barrier", EFFECT_OPERANDS},
	{"mbarrier", EFFECT_OPERANDS},
	{"brx", EFFECT_OPERANDS},
	{"stackrestore", EFFECT_OPERANDS},
	{"elect", EFFECT_OPERANDS},
	/* no results, and operands that only are hints, or variables of a call */
	{"bra", EFFECT_NONE},
	{"call", EFFECT_NONE},
	{"ret", EFFECT_NONE},
	{"exit", EFFECT_NONE},
	{"trap", EFFECT_NONE},
	{"brkpt", EFFECT_NONE},
	{"prefetch", EFFECT_NONE},
	{"prefetchu", EFFECT_NONE},
	{"discard", EFFECT_NONE},
	{"applypriority", EFFECT_NONE},
	{"nanosleep", EFFECT_NONE},
	{"fence", EFFECT_NONE},
	{"membar", EFFECT_NONE},
	{"setmaxnreg", EFFECT_NONE},
	{"griddepcontrol", EFFECT_NONE},
	{"pmevent", EFFECT_NONE},
};

static bool in_pairs(enum ptx_type type)
{
	return type == PTX_F16X2 || type == PTX_BF16X2 || type == PTX_U16X2 || type == PTX_S16X2;
}

static enum exec_effect_kind kind_of_cvt(const struct ptx_instruction *in)
{
	enum ptx_type to = decode_type(in, 0), from = decode_type(in, 1);
	if (in_pairs(to) && from == PTX_F32)
		return EFFECT_PAIR;
	return ptx_type_is_float(to) || ptx_type_is_float(from) || decode_has(in, "sat") ? EFFECT_LANES
																					 : EFFECT_MOVE;
}

static enum exec_effect_kind kind_of(const struct ptx_instruction *in)
{
	const char *name = in->parts[0], *what = in->part_count > 1 ? in->parts[1] : "";
	if (strcmp(name, "wmma") == 0)
		return what[0] == 'm' ? EFFECT_MMA : what[0] == 'l' ? EFFECT_LOAD_TILE : EFFECT_STORE_TILE;
	if (strcmp(name, "cvt") == 0)
		return kind_of_cvt(in);
	if (strcmp(name, "st") == 0 && strcmp(what, "async") == 0)
		return EFFECT_OPERANDS;
	if (strcmp(name, "and") == 0 || strcmp(name, "or") == 0)
		return decode_type(in, 0) == PTX_PRED ? EFFECT_LOGIC : EFFECT_MOVE;
	bool may_be_predicate = name[0] == 'm' || name[0] == 'x' || name[0] == 'n'; /* mov, xor, not */
	if (may_be_predicate && in->part_count == 2 && strcmp(what, "pred") == 0)
		return EFFECT_LANES;
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (strcmp(kinds[i].opcode, name) == 0)
			return kinds[i].kind;
	return in_pairs(decode_type(in, 0)) ? EFFECT_PARTS : EFFECT_LANES;
}

/* How many operands, from the first on, are results. */
static uint32_t result_count(const struct ptx_instruction *in, enum exec_effect_kind kind)
{
	const char *name = in->parts[0];
	if (kind == EFFECT_STORE || kind == EFFECT_STORE_ROWS || kind == EFFECT_STORE_TILE)
		return 0;
	if (kind != EFFECT_OPERANDS)
		return 1;
	if (strcmp(name, "mbarrier") == 0) { /* what stands before the address */
		uint32_t at = 0;
		while (at < in->operand_count && in->operands[at].kind != PTX_OP_ADDRESS)
			at++;
		return at < in->operand_count ? at : 1;
	}
	if (strcmp(name, "bar") == 0 || strcmp(name, "barrier") == 0)
		return decode_has(in, "red");
	return strcmp(name, "atom") == 0 || strcmp(name, "elect") == 0;
}

/* Which operands, after the results, are values, and which of the rest only control. */
static enum exec_effect_head role_of(const struct ptx_instruction *in, enum exec_effect_kind kind,
									 uint32_t operand)
{
	const char *name = in->parts[0];
	bool two = strcmp(name, "selp") == 0 || strcmp(name, "prmt") == 0 || strcmp(name, "and") == 0 ||
			   strcmp(name, "or") == 0;
	switch (kind) {
	case EFFECT_LOAD:
	case EFFECT_LOAD_ROWS:
	case EFFECT_LOAD_TILE:
	case EFFECT_TEXTURE:
	case EFFECT_OPERANDS: return EFFECT_STRICT;
	case EFFECT_STORE:
	case EFFECT_STORE_ROWS:
	case EFFECT_STORE_TILE: return operand == 1 ? EFFECT_DATA : EFFECT_STRICT;
	case EFFECT_MOVE: return operand <= (two ? 2u : 1u) ? EFFECT_DATA : EFFECT_CONTROL;
	case EFFECT_COMPARE: return operand <= 2 ? EFFECT_DATA : EFFECT_CONTROL;
	default: return EFFECT_DATA;
	}
}

static void add(struct effects *effects, enum exec_effect_head role, int32_t reference)
{
	if (effects->used == REFERENCES_MAX) {
		effects->decoder->failed = true;
		return;
	}
	effects->list[role]++;
	effects->list[EFFECT_HEAD + effects->used++] = reference;
}

static void add_operand(struct effects *effects, enum exec_effect_head role,
						const struct ptx_operand *operand)
{
	struct decoder *decoder = effects->decoder;
	if (operand->kind == PTX_OP_REGISTER) {
		int32_t slot = decode_register(decoder, operand->reg);
		add(effects, role,
			operand->type == PTX_PRED ? (int32_t)((uint32_t)slot << 6 | EFFECT_PREDICATE)
									  : slot | (int32_t)(decode_size(operand) / 2));
	}
	for (uint32_t i = 0; i < operand->count; i++)
		add_operand(effects, role, &operand->items[i]);
}

/* The carry is one more operand; addc, subc and madc read it. */
static void add_carry(struct effects *effects, const struct ptx_instruction *in,
					  enum exec_effect_head role)
{
	static const char *const readers[] = {"addc", "subc", "madc"};
	bool touches = role == EFFECT_RESULTS && decode_has(in, "cc");
	for (size_t i = 0; role == EFFECT_DATA && i < sizeof readers / sizeof readers[0]; i++)
		touches |= strcmp(in->parts[0], readers[i]) == 0;
	if (touches)
		add(effects, role, EFFECT_CARRY);
}

static void keep(const struct effects *effects, uint32_t code)
{
	struct decoder *decoder = effects->decoder;
	struct exec_program *program = decoder->program;
	program->origins[code].effects = decoder->effect_count;
	for (uint32_t i = 0; i < EFFECT_HEAD + effects->used && !decoder->failed; i++) {
		DECODE_GROW(decoder, program->effects, decoder->effect_count, &decoder->effect_capacity);
		if (!decoder->failed)
			program->effects[decoder->effect_count++] = effects->list[i];
	}
}

void decode_effects(struct decoder *decoder, const struct ptx_instruction *in, uint32_t code)
{
	struct effects effects = {.decoder = decoder};
	enum exec_effect_kind kind = kind_of(in);
	if (kind == EFFECT_NONE)
		return;
	effects.list[EFFECT_KIND] = (int32_t)kind;
	uint32_t results = result_count(in, kind);
	/* registers of products are in the instruction's own list */
	bool listed = kind == EFFECT_MMA, wgmma = strcmp(in->parts[0], "wgmma") == 0;
	for (int role = EFFECT_RESULTS; role < EFFECT_HEAD && !listed; role++) {
		for (uint32_t i = 0; i < in->operand_count; i++) {
			bool own = (wgmma && in->operands[i].kind == PTX_OP_VECTOR) ||
					   (int)(i < results ? EFFECT_RESULTS : role_of(in, kind, i)) != role;
			if (!own)
				add_operand(&effects, (enum exec_effect_head)role, &in->operands[i]);
		}
		add_carry(&effects, in, (enum exec_effect_head)role);
	}
	keep(&effects, code);
}

void decode_effects_strict(struct decoder *decoder, const struct ptx_operand *operand,
						   uint32_t code)
{
	struct effects effects = {.decoder = decoder};
	effects.list[EFFECT_KIND] = EFFECT_OPERANDS;
	add_operand(&effects, EFFECT_STRICT, operand);
	keep(&effects, code);
}
