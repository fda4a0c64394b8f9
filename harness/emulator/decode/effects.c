/* What an instruction reads and writes, for values that are followed (exec/undefined.h). It comes
 * from its row and from the operands as they are written, so that a handler needs to say nothing
 * about it. Of several that one instruction of PTX becomes, the last one has it. */
#include "emulator/decode/decoder.h"

#include "emulator/exec/undefined.h"

#define REFERENCES_MAX 160

struct effects {
	struct decoder *decoder;
	int32_t list[EFFECT_HEAD + REFERENCES_MAX];
	uint32_t used;
};

static const uint8_t kinds[OPCODES] = {
#define OPCODE(id, name, decode, operation, effect, facts) [OPCODE_##id] = EFFECT_##effect,
#include "emulator/ptx/opcodes.def"
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

/* The opcode's, or what its types make of it. */
static enum exec_effect_kind kind_of(const struct ptx_instruction *in)
{
	const enum exec_effect_kind kind = (enum exec_effect_kind)kinds[in->op];
	const enum ptx_type type = decode_type(in, 0);
	if (in->op == OPCODE_CVT)
		return kind_of_cvt(in);
	switch (kind) {
	case EFFECT_LOGIC: return type == PTX_PRED ? EFFECT_LOGIC : EFFECT_MOVE;
	case EFFECT_MOVE:
	case EFFECT_PARTS: return type == PTX_PRED ? EFFECT_LANES : kind;
	case EFFECT_LANES: return in_pairs(type) ? EFFECT_PARTS : EFFECT_LANES;
	default: return kind;
	}
}

/* Which operands, after the results, are values, and which of the rest only control. */
static enum exec_effect_head role_of(const struct ptx_instruction *in, enum exec_effect_kind kind,
									 uint32_t operand)
{
	const uint32_t moved = ptx_opcode_facts[in->op] & PTX_MOVES_TWO ? 2 : 1;
	switch (kind) {
	case EFFECT_LOAD:
	case EFFECT_LOAD_ROWS:
	case EFFECT_LOAD_TILE:
	case EFFECT_TEXTURE:
	case EFFECT_OPERANDS: return EFFECT_STRICT;
	case EFFECT_STORE:
	case EFFECT_STORE_ROWS:
	case EFFECT_STORE_TILE: return operand == 1 ? EFFECT_DATA : EFFECT_STRICT;
	case EFFECT_MOVE: return operand <= moved ? EFFECT_DATA : EFFECT_CONTROL;
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

/* The carry is one more operand. */
static void add_carry(struct effects *effects, const struct ptx_instruction *in,
					  enum exec_effect_head role)
{
	const bool reads = ptx_opcode_facts[in->op] & PTX_READS_CARRY;
	const bool touches =
		(role == EFFECT_RESULTS && decode_has(in, "cc")) || (role == EFFECT_DATA && reads);
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
	effects.list[EFFECT_KIND] = (int32_t)kind;
	effects.list[EFFECT_USES] = ptx_opcode_facts[in->op] & EXEC_REGION_USES;
	const uint32_t results = in->has_result;
	/* registers of products are in the instruction's own list */
	bool listed = kind == EFFECT_MMA || kind == EFFECT_NONE, wgmma = decode_is_wgmma(in->op);
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
	effects.list[EFFECT_USES] = EXEC_REGION_HARMS;
	add_operand(&effects, EFFECT_STRICT, operand);
	keep(&effects, code);
}
