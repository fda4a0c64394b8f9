/* What the decoding of every instruction is made of: parts of the opcode, slots of
 * registers, constants, places of variables, emission. */
#include "emulator/decode/decoder.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/simd_level.h"

#define CODE_LIMIT ((uint32_t)1 << 20)

void *decode_grow(struct decoder *decoder, void *array, size_t element, uint32_t count,
				  uint32_t *capacity)
{
	if (count < *capacity)
		return array;
	uint32_t larger = *capacity ? *capacity * 2 : 64;
	void *result = realloc(array, larger * element);
	if (result == NULL) {
		decoder->failed = true;
		return NULL;
	}
	memset((char *)result + *capacity * element, 0, (larger - *capacity) * element);
	*capacity = larger;
	return result;
}

/* ------------------------------------------------------------------------
 * Parts of the opcode */

bool decode_has(const struct ptx_instruction *in, const char *part)
{
	for (uint32_t i = 1; i < in->part_count; i++)
		if (strcmp(in->parts[i], part) == 0)
			return true;
	return false;
}

bool decode_is_shared(const struct ptx_instruction *in)
{
	return decode_has(in, "shared") || decode_has(in, "shared::cta") ||
		   decode_has(in, "shared::cluster");
}

enum ptx_type decode_type(const struct ptx_instruction *in, uint32_t n)
{
	for (uint32_t i = 1; i < in->part_count; i++) {
		enum ptx_type type = ptx_type_named(in->parts[i]);
		if (type != PTX_NONE && n-- == 0)
			return type;
	}
	return PTX_NONE;
}

/* ------------------------------------------------------------------------
 * Slots and constants */

static int32_t new_slot(struct decoder *decoder, size_t lane_bytes)
{
	struct exec_program *program = decoder->program;
	size_t bytes =
		(lane_bytes * EXEC_LANES + EXEC_SLOT_ALIGN - 1) / EXEC_SLOT_ALIGN * EXEC_SLOT_ALIGN;
	if (program->register_bytes + bytes > INT32_MAX) {
		decoder->failed = true;
		return 0;
	}
	int32_t slot = (int32_t)program->register_bytes;
	for (size_t i = 0; i < bytes / EXEC_SLOT_ALIGN && !decoder->failed; i++) {
		const size_t unit = program->register_bytes / EXEC_SLOT_ALIGN + i;
		DECODE_GROW(decoder, program->slot_bytes, (uint32_t)unit, &decoder->slot_capacity);
		if (!decoder->failed)
			program->slot_bytes[unit] = i == 0 ? (uint8_t)lane_bytes : 0;
	}
	program->register_bytes += bytes;
	program->registers += lane_bytes == 8 ? 2 : 1;
	return slot;
}

static size_t type_slot(enum ptx_type type)
{
	size_t size = ptx_type_size(type);
	return size < 2 ? 2 : size;
}

static int size_class(size_t lane_bytes)
{
	return lane_bytes == 2 ? 0 : lane_bytes == 4 ? 1 : lane_bytes == 8 ? 2 : 3;
}

/* A slot for a register: one that another had, where that is allowed. */
static int32_t take_slot(struct decoder *decoder, size_t lane_bytes, bool shares)
{
	int class = size_class(lane_bytes);
	if (shares && decoder->spare[class].count)
		return decoder->spare[class].slots[--decoder->spare[class].count];
	return new_slot(decoder, lane_bytes);
}

void decode_end_register(struct decoder *decoder, struct decode_frame *frame, uint32_t reg)
{
	enum ptx_type type = frame->function->register_types[reg];
	int32_t slot = frame->slots[reg];
	if (slot < 0 || type == PTX_PRED || (frame->pending != NULL && frame->pending[reg]))
		return;
	int class = size_class(type_slot(type));
	DECODE_GROW(decoder, decoder->spare[class].slots, decoder->spare[class].count,
				&decoder->spare[class].capacity);
	if (!decoder->failed)
		decoder->spare[class].slots[decoder->spare[class].count++] = slot;
	frame->slots[reg] = -1;
}

int32_t decode_register(struct decoder *decoder, uint32_t reg)
{
	struct decode_frame *frame = decoder->frame;
	int32_t *slot = &frame->slots[reg];
	if (*slot >= 0)
		return *slot;
	enum ptx_type type = frame->function->register_types[reg];
	if (type == PTX_PRED)
		*slot = (int32_t)decoder->program->predicate_count++;
	else
		*slot = take_slot(decoder, type_slot(type), frame->shares[reg]);
	return *slot;
}

size_t decode_size(const struct ptx_operand *operand)
{
	return operand->kind == PTX_OP_REGISTER && operand->type != PTX_PRED ? type_slot(operand->type)
																		 : 0;
}

int32_t decode_constant(struct decoder *decoder, uint64_t bits, size_t size)
{
	if (size < 8)
		bits &= ((uint64_t)1 << (8 * size)) - 1;
	for (uint32_t i = decoder->known_count; i-- > 0 && i + 256 > decoder->known_count;)
		if (decoder->known[i].bits == bits && decoder->known[i].size == size)
			return decoder->known[i].operand;
	struct exec_program *program = decoder->program;
	size_t bytes = (size * EXEC_LANES + EXEC_SLOT_ALIGN - 1) / EXEC_SLOT_ALIGN * EXEC_SLOT_ALIGN;
	if (program->constant_bytes + bytes > decoder->constant_capacity) {
		size_t larger = decoder->constant_capacity ? decoder->constant_capacity * 2 : 65536;
		uint8_t *grown = larger < INT32_MAX ? aligned_alloc(EXEC_SLOT_ALIGN, larger) : NULL;
		if (grown == NULL) {
			decoder->failed = true;
			return 1;
		}
		if (program->constants != NULL)
			memcpy(grown, program->constants, program->constant_bytes);
		free(program->constants);
		program->constants = grown;
		decoder->constant_capacity = larger;
	}
	uint8_t *at = program->constants + program->constant_bytes;
	for (int i = 0; i < EXEC_LANES; i++) {
		memset(at + (size_t)i * size, 0, size);
		memcpy(at + (size_t)i * size, &bits, size < 8 ? size : 8);
	}
	int32_t operand = (int32_t)program->constant_bytes + 1;
	program->constant_bytes += bytes;
	DECODE_GROW(decoder, decoder->known, decoder->known_count, &decoder->known_capacity);
	if (decoder->failed)
		return 1;
	decoder->known[decoder->known_count].bits = bits;
	decoder->known[decoder->known_count].size = (uint32_t)size;
	decoder->known[decoder->known_count++].operand = operand;
	return operand;
}

/* ------------------------------------------------------------------------
 * Special registers */

static const struct {
	const char *name;
	int special;
} specials[] = {
	{"%tid.x", EXEC_TID_X},
	{"%tid.y", EXEC_TID_Y},
	{"%tid.z", EXEC_TID_Z},
	{"%tid.w", EXEC_ZERO},
	{"%ntid.x", EXEC_NTID_X},
	{"%ntid.y", EXEC_NTID_Y},
	{"%ntid.z", EXEC_NTID_Z},
	{"%ntid.w", EXEC_ZERO},
	{"%ctaid.x", EXEC_CTAID_X},
	{"%ctaid.y", EXEC_CTAID_Y},
	{"%ctaid.z", EXEC_CTAID_Z},
	{"%ctaid.w", EXEC_ZERO},
	{"%nctaid.x", EXEC_NCTAID_X},
	{"%nctaid.y", EXEC_NCTAID_Y},
	{"%nctaid.z", EXEC_NCTAID_Z},
	{"%nctaid.w", EXEC_ZERO},
	{"%clusterid.x", EXEC_CLUSTERID_X},
	{"%clusterid.y", EXEC_CLUSTERID_Y},
	{"%clusterid.z", EXEC_CLUSTERID_Z},
	{"%nclusterid.x", EXEC_NCLUSTERID_X},
	{"%nclusterid.y", EXEC_NCLUSTERID_Y},
	{"%nclusterid.z", EXEC_NCLUSTERID_Z},
	{"%cluster_ctaid.x", EXEC_CLUSTER_CTAID_X},
	{"%cluster_ctaid.y", EXEC_CLUSTER_CTAID_Y},
	{"%cluster_ctaid.z", EXEC_CLUSTER_CTAID_Z},
	{"%cluster_nctaid.x", EXEC_CLUSTER_NCTAID_X},
	{"%cluster_nctaid.y", EXEC_CLUSTER_NCTAID_Y},
	{"%cluster_nctaid.z", EXEC_CLUSTER_NCTAID_Z},
	{"%cluster_ctarank", EXEC_CLUSTER_CTARANK},
	{"%cluster_nctarank", EXEC_CLUSTER_NCTARANK},
	{"%laneid", EXEC_LANEID},
	{"%warpid", EXEC_WARPID},
	{"%nwarpid", EXEC_NWARPID},
	{"%smid", EXEC_SMID},
	{"%nsmid", EXEC_NSMID},
	{"%gridid", EXEC_GRIDID},
	{"%gridid", EXEC_GRIDID_WIDE},
	{"%current_graph_exec", EXEC_ZERO_WIDE},
	{"%lanemask_eq", EXEC_LANEMASK_EQ},
	{"%lanemask_le", EXEC_LANEMASK_LE},
	{"%lanemask_lt", EXEC_LANEMASK_LT},
	{"%lanemask_ge", EXEC_LANEMASK_GE},
	{"%lanemask_gt", EXEC_LANEMASK_GT},
	{"%dynamic_smem_size", EXEC_DYNAMIC_SMEM},
	{"%total_smem_size", EXEC_TOTAL_SMEM},
	{"%aggr_smem_size", EXEC_AGGR_SMEM},
	{"%reserved_smem_offset_begin", EXEC_ZERO},
	{"%reserved_smem_offset_end", EXEC_RESERVED_SMEM},
	{"%reserved_smem_offset_cap", EXEC_RESERVED_SMEM},
	{"%envreg1", EXEC_ENVREG1},
	{"%envreg2", EXEC_ENVREG2},
};

int32_t decode_special(struct decoder *decoder, int special)
{
	int32_t *slot = &decoder->program->special[special];
	if (*slot < 0)
		*slot = new_slot(decoder, special >= EXEC_WIDE ? 8 : 4);
	return *slot;
}

static int32_t special_operand(struct decoder *decoder, const char *name, size_t size)
{
	for (size_t i = 0; i < sizeof specials / sizeof specials[0]; i++)
		if (strcmp(specials[i].name, name) == 0 &&
			size == (specials[i].special >= EXEC_WIDE ? 8u : 4u))
			return decode_special(decoder, specials[i].special);
	decode_refuse(decoder);
	return 0;
}

/* The register in which a block finds the address of its shared variable. */
static int32_t shared_operand(struct decoder *decoder, uint64_t offset, size_t size)
{
	struct exec_program *program = decoder->program;
	for (uint32_t i = 0; i < program->shared_place_count; i++)
		if (program->shared_places[i].offset == offset && program->shared_places[i].size == size)
			return program->shared_places[i].slot;
	DECODE_GROW(decoder, program->shared_places, program->shared_place_count,
				&decoder->shared_place_capacity);
	if (decoder->failed)
		return 0;
	int32_t slot = new_slot(decoder, size);
	program->shared_places[program->shared_place_count++] =
		(struct exec_shared_place){slot, (uint32_t)size, offset};
	return slot;
}

/* ------------------------------------------------------------------------
 * Variables */

void decode_remember_place(struct decoder *decoder, struct decode_placed **list, uint32_t *count,
						   uint32_t *capacity, const struct ptx_variable *variable,
						   uint64_t address)
{
	DECODE_GROW(decoder, *list, *count, capacity);
	if (decoder->failed)
		return;
	(*list)[(*count)++] = (struct decode_placed){variable, address};
}

static uint64_t new_local(struct decoder *decoder, const struct ptx_variable *variable)
{
	uint32_t align = variable->align > 16 ? variable->align : 16;
	size_t at = (decoder->local_bytes + align - 1) / align * align;
	decoder->local_bytes = at + variable->size;
	if (decoder->local_bytes > (512u << 10)) {
		decoder->local_bytes = 512u << 10;
		decode_refuse(decoder);
	}
	return EXEC_LOCAL_BASE + at;
}

bool decode_place(struct decoder *decoder, const struct ptx_variable *variable, uint64_t *address)
{
	struct decode_frame *frame = decoder->frame;
	switch (variable->space) {
	case PTX_GLOBAL:
	case PTX_CONST: *address = variable->address; return variable->address != 0;
	case PTX_SHARED:
		for (uint32_t i = 0; i < decoder->shared_count; i++) {
			if (decoder->shareds[i].variable == variable) {
				*address = decoder->shareds[i].address;
				return true;
			}
		}
		return false;
	default: break;
	}
	if (variable->space == PTX_PARAM && frame->caller == NULL) {
		for (const struct ptx_variable *p = frame->function->parameters; p != NULL; p = p->next) {
			if (p == variable) {
				*address = p->offset;
				return true;
			}
		}
	}
	for (uint32_t i = 0; i < frame->local_count; i++) {
		if (frame->locals[i].variable == variable) {
			*address = frame->locals[i].address;
			return true;
		}
	}
	*address = new_local(decoder, variable);
	decode_remember_place(decoder, &frame->locals, &frame->local_count, &frame->local_capacity,
						  variable, *address);
	return true;
}

/* Whether .param names the launch's block here, rather than local memory. */
bool decode_is_kernel_parameter(const struct decoder *decoder, const struct ptx_variable *variable)
{
	if (decoder->frame->caller != NULL)
		return false;
	for (const struct ptx_variable *p = decoder->frame->function->parameters; p != NULL;
		 p = p->next)
		if (p == variable)
			return true;
	return false;
}

/* ------------------------------------------------------------------------
 * Operands */

static uint64_t float_bits(const struct ptx_operand *operand, size_t size)
{
	double value = operand->number;
	if (size == 4) {
		if (operand->is_binary && operand->number == operand->number)
			return (uint32_t)operand->integer ^
				   ((uint32_t)(operand->number < 0) << 31 & ~(uint32_t)operand->integer);
		if (operand->is_binary)
			return (uint32_t)operand->integer;
		float single = (float)value;
		uint32_t bits;
		memcpy(&bits, &single, sizeof bits);
		return bits;
	}
	uint64_t bits;
	memcpy(&bits, &value, sizeof bits);
	return bits;
}

static int32_t immediate(struct decoder *decoder, const struct ptx_operand *operand, size_t size,
						 bool is_float)
{
	if (operand->kind == PTX_OP_FLOAT)
		return decode_constant(decoder, float_bits(operand, size), size);
	if (is_float && size >= 4) {
		struct ptx_operand as_float = {.kind = PTX_OP_FLOAT, .number = (double)operand->integer};
		return decode_constant(decoder, float_bits(&as_float, size), size);
	}
	return decode_constant(decoder, (uint64_t)operand->integer, size);
}

static int32_t source(struct decoder *decoder, const struct ptx_operand *operand, size_t size,
					  bool is_float)
{
	uint64_t address;
	switch (operand->kind) {
	case PTX_OP_REGISTER:
		if (decode_size(operand) != size || operand->integer != 0) {
			decode_refuse(decoder);
			return 0;
		}
		return decode_register(decoder, operand->reg);
	case PTX_OP_INTEGER:
	case PTX_OP_FLOAT: return immediate(decoder, operand, size, is_float);
	case PTX_OP_SPECIAL: return special_operand(decoder, operand->name, size);
	case PTX_OP_VARIABLE:
		if (size < 4 || !decode_place(decoder, operand->variable, &address))
			break;
		address += (uint64_t)operand->integer;
		return operand->variable->space == PTX_SHARED ? shared_operand(decoder, address, size)
													  : decode_constant(decoder, address, size);
	case PTX_OP_FUNCTION:
		return decode_constant(decoder, exec_function_address(operand->function), size);
	default: break;
	}
	decode_refuse(decoder);
	return 0;
}

int32_t decode_source(struct decoder *decoder, const struct ptx_operand *operand, size_t size)
{
	return source(decoder, operand, size, false);
}

int32_t decode_float(struct decoder *decoder, const struct ptx_operand *operand, size_t size)
{
	return source(decoder, operand, size, true);
}

int32_t decode_destination(struct decoder *decoder, const struct ptx_operand *operand, size_t size)
{
	if (operand->kind == PTX_OP_SINK)
		return new_slot(decoder, size); /* written, never read */
	if (operand->kind != PTX_OP_REGISTER || decode_size(operand) != size) {
		decode_refuse(decoder);
		return 0;
	}
	return decode_register(decoder, operand->reg);
}

int32_t decode_predicate(struct decoder *decoder, const struct ptx_operand *operand, bool *invert)
{
	if (invert != NULL)
		*invert = operand->negated;
	if (operand->kind == PTX_OP_INTEGER)
		return operand->integer ? EXEC_ALWAYS : EXEC_NEVER;
	if (operand->kind == PTX_OP_SPECIAL && strcmp(operand->name, "%is_explicit_cluster") == 0)
		return EXEC_IS_CLUSTER;
	if (operand->kind == PTX_OP_SINK)
		return (int32_t)decoder->program->predicate_count++;
	if (operand->kind != PTX_OP_REGISTER || operand->type != PTX_PRED ||
		(operand->negated && invert == NULL)) {
		decode_refuse(decoder);
		return 0;
	}
	return decode_register(decoder, operand->reg);
}

void decode_address(struct decoder *decoder, struct exec_instruction *out,
					const struct ptx_operand *operand, enum ptx_space space)
{
	const struct ptx_operand *base =
		operand->kind == PTX_OP_ADDRESS && operand->count >= 1 ? &operand->items[0] : NULL;
	out->space = (uint8_t)space;
	out->cache = decoder->program->cache_count++;
	out->width = 8;
	uint64_t address;
	if (base == NULL) {
		decode_refuse(decoder);
	} else if (base->kind == PTX_OP_REGISTER &&
			   (decode_size(base) == 8 || decode_size(base) == 4)) {
		out->width = (uint8_t)decode_size(base);
		out->a = decode_register(decoder, base->reg);
		out->imm = base->integer;
		if (space == PTX_PARAM && decoder->frame->caller != NULL)
			out->space = PTX_LOCAL;
	} else if (base->kind == PTX_OP_INTEGER) {
		out->a = decode_constant(decoder, (uint64_t)base->integer, 8);
		out->imm = 0;
	} else if (base->kind == PTX_OP_VARIABLE && decode_place(decoder, base->variable, &address)) {
		out->a = decode_constant(decoder, address + (uint64_t)base->integer, 8);
		out->imm = 0;
		if (space == PTX_PARAM && !decode_is_kernel_parameter(decoder, base->variable))
			out->space = PTX_LOCAL;
		if (space == PTX_GENERIC)
			out->space = base->variable->space == PTX_CONST ? PTX_GLOBAL : base->variable->space;
	} else {
		decode_refuse(decoder);
	}
}

void decode_list(struct decoder *decoder, const int32_t *values, uint32_t count)
{
	struct exec_program *program = decoder->program;
	DECODE_GROW(decoder, decoder->list_uses, decoder->list_use_count, &decoder->list_use_capacity);
	if (decoder->failed || program->count == 0)
		return;
	program->code[program->count - 1].list = (const int32_t *)(uintptr_t)decoder->list_count;
	decoder->list_uses[decoder->list_use_count++] = program->count - 1;
	for (uint32_t i = 0; i < count; i++) {
		DECODE_GROW(decoder, decoder->lists, decoder->list_count, &decoder->list_capacity);
		if (decoder->failed)
			return;
		decoder->lists[decoder->list_count++] = values[i];
	}
}

/* ------------------------------------------------------------------------
 * Emission */

struct exec_instruction *decode_emit(struct decoder *decoder, enum handler_operation operation,
									 enum handler_form form)
{
	struct exec_program *program = decoder->program;
	enum handler handler = handler_find(operation, form);
	DECODE_GROW(decoder, program->code, program->count, &decoder->code_capacity);
	DECODE_GROW(decoder, program->origins, program->count, &decoder->origin_capacity);
	if (program->count >= CODE_LIMIT)
		decoder->failed = true;
	if (decoder->failed)
		return &decoder->scratch;
	const struct ptx_instruction *from = decoder->instruction;
	struct exec_instruction *out = &program->code[program->count];
	*out = (struct exec_instruction){.e = -1};
	program->origins[program->count].instruction = from;
	program->origins[program->count].function = decoder->frame->function;
	out->handler = handler_function(handler, simd_level());
	out->class = (uint8_t)handler_class(handler);
	if (from->guard >= 0) {
		out->guard = (uint32_t)decode_register(decoder, (uint32_t)from->guard);
		out->guard_xor = from->guard_negated ? EXEC_FULL : 0;
	}
	program->count++;
	return out;
}

void decode_unsupported(struct decoder *decoder)
{
	decode_emit(decoder, OP_NONE, FORM_NONE);
}

void decode_none(struct decoder *decoder, const struct ptx_instruction *in)
{
	(void)in;
	decode_unsupported(decoder);
}

void decode_refuse(struct decoder *decoder)
{
	decoder->program->unresolved = true;
}

bool decode_operands(struct decoder *decoder, const struct ptx_instruction *in, uint32_t count)
{
	if (in->operand_count == count)
		return true;
	decode_unsupported(decoder);
	return false;
}

uint32_t decode_fixup(struct decoder *decoder, uint32_t statement, int32_t list)
{
	struct decode_frame *frame = decoder->frame;
	DECODE_GROW(decoder, frame->fixups, frame->fixup_count, &frame->fixup_capacity);
	if (decoder->failed)
		return 0;
	frame->fixups[frame->fixup_count++] =
		(struct decode_fixup){decoder->program->count - 1, statement, list};
	return 0;
}
