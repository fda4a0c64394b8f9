/* From PTX to decoded programs: branches, calls, bodies. Device functions are inlined, also those
 * that a call through a pointer may reach; one
 * that is under way is jumped to again. */
#include "emulator/decode/decode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/decode/decoder.h"
#include "emulator/exec/fault.h"
#include "emulator/exec/region.h"
#include "emulator/exec/undefined.h"

#define INLINE_DEPTH 32
#define INLINED_LIMIT (1u << 18) /* empty ones are no code, but take their time */
#define COPIES_MOST 32           /* arguments and results of a recursive call */
#define ALTERNATIVES_LIMIT 4096  /* functions that call through pointers where such calls lead */

/* ------------------------------------------------------------------------
 * Branches and calls */

void decode_bra(struct decoder *decoder, const struct ptx_instruction *in)
{
	if (!decode_operands(decoder, in, 1))
		return;
	decode_emit(decoder, OP_BRA, FORM_ONLY);
	if (in->operands[0].kind != PTX_OP_LABEL)
		decode_refuse(decoder);
	else
		decode_fixup(decoder, (uint32_t)in->operands[0].integer, -1);
}

void decode_brx(struct decoder *decoder, const struct ptx_instruction *in)
{
	const struct ptx_function *function = decoder->frame->function;
	const struct ptx_branch_table *table = NULL;
	for (uint32_t i = 0; i < function->table_count && in->operand_count == 2; i++)
		if (in->operands[1].name != NULL &&
			strcmp(function->tables[i].name, in->operands[1].name) == 0)
			table = &function->tables[i];
	if (table == NULL) {
		decode_unsupported(decoder);
		return;
	}
	struct exec_instruction *out = decode_emit(decoder, OP_BRX, FORM_ONLY);
	out->a = decode_source(decoder, &in->operands[0], 4);
	out->imm = table->count;
	uint32_t first = decoder->list_count;
	int32_t zero = 0;
	decode_list(decoder, &zero, 0);
	for (uint32_t i = 0; i < table->count; i++) {
		DECODE_GROW(decoder, decoder->lists, decoder->list_count, &decoder->list_capacity);
		if (decoder->failed)
			return;
		decoder->lists[decoder->list_count++] = 0;
		if (table->targets[i].kind != PTX_OP_LABEL)
			decode_refuse(decoder);
		else
			decode_fixup(decoder, (uint32_t)table->targets[i].integer, (int32_t)(first + i));
	}
}

void decode_ret(struct decoder *decoder, const struct ptx_instruction *in)
{
	(void)in;
	if (decoder->frame->caller == NULL) {
		decode_emit(decoder, OP_EXIT, FORM_ONLY);
		return;
	}
	decode_emit(decoder, OP_BRA, FORM_ONLY);
	decode_fixup(decoder, decoder->frame->function->code_count, -1);
}

static void decode_body(struct decoder *decoder, struct decode_frame *frame);

static bool bind_arguments(struct decoder *decoder, struct decode_frame *callee,
						   const struct ptx_variable *formal, const struct ptx_operand *list)
{
	for (uint32_t i = 0; list != NULL && i < list->count; i++, formal = formal->next) {
		const struct ptx_operand *actual = &list->items[i];
		uint64_t address;
		if (formal == NULL || actual->kind != PTX_OP_VARIABLE ||
			actual->variable->space != PTX_PARAM ||
			decode_is_kernel_parameter(decoder, actual->variable) ||
			!decode_place(decoder, actual->variable, &address))
			return false;
		decode_remember_place(decoder, &callee->locals, &callee->local_count,
							  &callee->local_capacity, formal, address);
	}
	return formal == NULL;
}

/* Marks the registers that wgmma works on behind the warp's back. */
static bool find_pending(struct decode_frame *frame)
{
	const struct ptx_function *function = frame->function;
	for (uint32_t i = 0; i < function->code_count; i++) {
		const struct ptx_instruction *in = &function->code[i];
		if (!decode_is_wgmma(in->op))
			continue;
		if (frame->pending == NULL)
			frame->pending = calloc(function->register_count + 1, sizeof *frame->pending);
		if (frame->pending == NULL)
			return false;
		for (uint32_t k = 0; k < in->operand_count && k < 2; k++)
			for (uint32_t item = 0; item < in->operands[k].count; item++)
				if (in->operands[k].items[item].kind == PTX_OP_REGISTER)
					frame->pending[in->operands[k].items[item].reg] = true;
	}
	return true;
}

static bool frame_open(struct decode_frame *frame, const struct ptx_function *function)
{
	frame->function = function;
	frame->slots = malloc((function->register_count + 1) * sizeof *frame->slots);
	frame->statements = calloc(function->code_count + 1, sizeof *frame->statements);
	if (frame->slots == NULL || frame->statements == NULL)
		return false;
	for (uint32_t i = 0; i < function->register_count; i++)
		frame->slots[i] = -1;
	return find_pending(frame) && decode_liveness(frame);
}

static void frame_close(struct decode_frame *frame)
{
	free(frame->last);
	free(frame->shares);
	free(frame->ends);
	free(frame->next_end);
	free(frame->slots);
	free(frame->pending);
	free(frame->statements);
	free(frame->locals);
	free(frame->fixups);
}

/* The frame of the function, where it is under way; else NULL. */
static struct decode_frame *frame_of(struct decode_frame *frame,
									 const struct ptx_function *function)
{
	while (frame != NULL && frame->function != function)
		frame = frame->caller;
	return frame;
}

/* The guard of an inlined call becomes a branch around it. */
static uint32_t emit_skip(struct decoder *decoder, const struct ptx_instruction *in)
{
	if (in->guard < 0)
		return UINT32_MAX;
	struct exec_instruction *skip = decode_emit(decoder, OP_BRA, FORM_ONLY);
	skip->guard_xor = ~skip->guard_xor;
	return decoder->program->count - 1;
}

static const struct {
	const char *function;
	enum handler_operation operation;
} builtins[] = {
	{"vprintf", OP_CALL_VPRINTF},
	{"__assertfail", OP_CALL_ASSERTFAIL},
};

/* Functions of the device runtime: in->list holds the arguments' local addresses,
 * the result's first. */
static void decode_builtin(struct decoder *decoder, const struct ptx_function *function,
						   const struct ptx_operand *results, const struct ptx_operand *arguments)
{
	for (size_t i = 0; i < sizeof builtins / sizeof builtins[0]; i++) {
		if (strcmp(builtins[i].function, function->name) != 0)
			continue;
		int32_t list[8] = {-1};
		uint32_t count = 1;
		uint64_t address;
		struct exec_instruction *out = decode_emit(decoder, builtins[i].operation, FORM_ONLY);
		out->cache = decoder->program->cache_count++;
		if (results != NULL && results->count == 1 && results->items[0].kind == PTX_OP_VARIABLE &&
			decode_place(decoder, results->items[0].variable, &address))
			list[0] = (int32_t)address;
		for (uint32_t k = 0; arguments != NULL && k < arguments->count && count < 8; k++) {
			if (arguments->items[k].kind != PTX_OP_VARIABLE ||
				!decode_place(decoder, arguments->items[k].variable, &address)) {
				decode_refuse(decoder);
				return;
			}
			list[count++] = (int32_t)address;
		}
		decode_list(decoder, list, 8);
		return;
	}
	decode_unsupported(decoder);
}

/* Three numbers each: from, to, bytes. */
struct copies {
	int32_t list[3 * COPIES_MOST];
	uint32_t used;
};

/* Lists what is copied between the variables of a call and those of the body; false where one has
 * no place. */
static bool list_copies(struct decoder *decoder, const struct decode_frame *body,
						const struct ptx_variable *formal, const struct ptx_operand *actuals,
						bool results, struct copies *copies)
{
	for (uint32_t i = 0; actuals != NULL && i < actuals->count; i++, formal = formal->next) {
		const struct ptx_operand *actual = &actuals->items[i];
		uint64_t outside, inside = 0;
		for (uint32_t k = 0; formal != NULL && k < body->local_count; k++)
			if (body->locals[k].variable == formal)
				inside = body->locals[k].address;
		if (copies->used + 3 > 3 * COPIES_MOST || !inside || actual->kind != PTX_OP_VARIABLE ||
			actual->variable->space != PTX_PARAM || actual->variable->size != formal->size ||
			decode_is_kernel_parameter(decoder, actual->variable) ||
			!decode_place(decoder, actual->variable, &outside) ||
			(inside > outside ? inside : outside) + formal->size >
				EXEC_LOCAL_BASE + decoder->local_bytes)
			return false;
		int32_t *copy = copies->list + copies->used;
		copy[0] = (int32_t)(results ? inside : outside);
		copy[1] = (int32_t)(results ? outside : inside);
		copy[2] = (int32_t)formal->size;
		copies->used += 3;
	}
	return formal == NULL;
}

/* Whether a frame, or one between it and `body`, has variables whose addresses would be those of
 * the next activation, too. */
static bool has_locals(const struct decode_frame *frame, const struct decode_frame *body)
{
	for (; frame != body->caller; frame = frame->caller)
		for (const struct ptx_variable *local = frame->function->locals; local != NULL;
			 local = local->next)
			if (local->space == PTX_LOCAL)
				return true;
	return false;
}

/* A call of a function that is under way: a jump to its beginning (ops/recursion.c). */
static void decode_again(struct decoder *decoder, const struct decode_call *call,
						 struct decode_frame *body)
{
	struct exec_program *program = decoder->program;
	struct copies copies = {.used = 0};
	uint64_t given = 0;
	bool fits =
		body->caller != NULL && !has_locals(decoder->frame, body) &&
		list_copies(decoder, body, body->function->parameters, call->arguments, false, &copies);
	uint32_t arguments = copies.used / 3;
	for (const struct ptx_variable *result = body->function->results; result != NULL;
		 result = result->next)
		given += result->size;
	if (!fits || given > EXEC_RESULT_BYTES ||
		!list_copies(decoder, body, body->function->results, call->results, true, &copies)) {
		decode_unsupported(decoder);
		return;
	}
	if (!body->recursion) {
		DECODE_GROW(decoder, program->recursions, program->recursion_count,
					&decoder->recursion_capacity);
		if (decoder->failed)
			return;
		body->recursion = (int32_t)++program->recursion_count;
	}
	struct exec_instruction *out = decode_emit(decoder, OP_CALL_AGAIN, FORM_ONLY);
	out->imm = body->recursion - 1;
	out->target = body->statements[0];
	out->count = (uint8_t)arguments;
	out->sub = (uint8_t)(copies.used / 3 - arguments);
	decode_list(decoder, copies.list, copies.used);
}

static void end_recursion(struct decoder *decoder, const struct decode_frame *body)
{
	if (!body->recursion || decoder->failed)
		return;
	decoder->program->recursions[body->recursion - 1] =
		(struct exec_recursion){body->local, decoder->local_bytes};
	decode_emit(decoder, OP_RETURN_AGAIN, FORM_ONLY)->imm = body->recursion - 1;
}

/* The body of the function, in the place of the call. */
static void decode_inlined(struct decoder *decoder, const struct decode_call *call,
						   const struct ptx_function *function)
{
	struct decode_frame callee = {.caller = decoder->frame,
								  .depth = decoder->frame->depth + 1,
								  .local = decoder->local_bytes};
	struct decode_frame *under_way = frame_of(decoder->frame, function);
	if (under_way != NULL) {
		decode_again(decoder, call, under_way);
		return;
	}
	if (callee.depth > INLINE_DEPTH) {
		decode_unsupported(decoder);
		return;
	}
	if (decoder->inlined++ == INLINED_LIMIT || !frame_open(&callee, function))
		decoder->failed = true;
	else if (!bind_arguments(decoder, &callee, function->parameters, call->arguments) ||
			 !bind_arguments(decoder, &callee, function->results, call->results))
		decode_unsupported(decoder);
	else
		decode_body(decoder, &callee);
	end_recursion(decoder, &callee);
	frame_close(&callee);
}

static void decode_alternative(struct decoder *decoder, const struct decode_call *call,
							   const struct ptx_function *function)
{
	if (decoder->inlined < ALTERNATIVES_LIMIT)
		decode_inlined(decoder, call, function);
	else
		decode_unsupported(decoder);
}

/* Lists the functions that the pointer may have the address of, for the instruction just emitted;
 * gives the index of the first entry. */
static uint32_t list_alternatives(struct decoder *decoder, const struct decode_call *call)
{
	const uint32_t first = decoder->list_count;
	const struct ptx_function *function = decoder->program->function->module->functions;
	int32_t none = 0;
	decode_list(decoder, &none, 0);
	for (; function != NULL && !decoder->failed; function = function->next) {
		const int32_t entry[2] = {function->line, 0};
		for (int i = 0; i < 2 && decode_call_may_reach(call, function); i++) {
			DECODE_GROW(decoder, decoder->lists, decoder->list_count, &decoder->list_capacity);
			if (!decoder->failed)
				decoder->lists[decoder->list_count++] = entry[i];
		}
	}
	return first;
}

/* A call through a pointer goes to one of the bodies that follow it, each with a jump behind the
 * last of them. */
static void decode_call_pointer(struct decoder *decoder, const struct ptx_instruction *in,
								const struct decode_call *call)
{
	static const char *jump_parts[] = {"bra"};
	static const struct ptx_instruction jump = {
		.opcode = "bra", .op = OPCODE_BRA, .parts = jump_parts, .part_count = 1, .guard = -1};
	struct exec_program *program = decoder->program;
	struct exec_instruction *out = decode_emit(decoder, OP_CALL_POINTER, FORM_ONLY);
	const uint32_t at = program->count - 1;
	out->a = decode_source(decoder, call->target, 8);
	const uint32_t first = list_alternatives(decoder, call);
	if (decoder->failed || program->unresolved)
		return;
	out->imm = (decoder->list_count - first) / 2;
	decode_effects_strict(decoder, call->target, at);
	uint32_t entry = first + 1, jumps = UINT32_MAX; /* a list of them, by their targets */
	for (const struct ptx_function *function = program->function->module->functions;
		 function != NULL && !decoder->failed; function = function->next) {
		if (!decode_call_may_reach(call, function))
			continue;
		decoder->lists[entry] = (int32_t)program->count;
		entry += 2;
		decode_alternative(decoder, call, function);
		decoder->instruction = &jump;
		decode_emit(decoder, OP_BRA, FORM_ONLY)->target = jumps;
		decoder->instruction = in;
		jumps = program->count - 1;
	}
	while (jumps != UINT32_MAX && !decoder->failed) {
		const uint32_t next = program->code[jumps].target;
		program->code[jumps].target = program->count;
		jumps = next;
	}
}

void decode_call(struct decoder *decoder, const struct ptx_instruction *in)
{
	const struct decode_call call = decode_call_of(decoder->frame->function, in);
	const bool pointer = call.target != NULL && call.target->kind == PTX_OP_REGISTER;
	if (!pointer && (call.target == NULL || call.target->kind != PTX_OP_FUNCTION)) {
		decode_unsupported(decoder);
		return;
	}
	if (!pointer && !call.target->function->has_body) {
		decode_builtin(decoder, call.target->function, call.results, call.arguments);
		return;
	}
	const uint32_t skip = emit_skip(decoder, in);
	if (pointer)
		decode_call_pointer(decoder, in, &call);
	else
		decode_inlined(decoder, &call, call.target->function);
	if (skip != UINT32_MAX && !decoder->failed)
		decoder->program->code[skip].target = decoder->program->count;
}

/* ------------------------------------------------------------------------
 * Bodies */

static const struct {
	void (*decode)(struct decoder *decoder, const struct ptx_instruction *in);
	enum handler_operation operation;
} rows[OPCODES] = {
	{decode_none, OP_NONE},
#define OPCODE(id, name, decode, operation, effect, facts) {decode_##decode, OP_##operation},
#include "emulator/ptx/opcodes.def"
};

#define TOUCHED_MAX 64

static uint32_t list_touched(struct decoder *decoder, const struct ptx_operand *operands,
							 uint32_t count, int32_t *list, uint32_t used)
{
	for (uint32_t i = 0; i < count && used < TOUCHED_MAX; i++) {
		const struct ptx_operand *operand = &operands[i];
		if (operand->kind == PTX_OP_REGISTER && operand->type != PTX_PRED &&
			decoder->frame->pending[operand->reg])
			list[used++] = decode_register(decoder, operand->reg);
		used = list_touched(decoder, operand->items, operand->count, list, used);
	}
	return used;
}

/* A check before an instruction that touches registers of wgmma. */
static void check_touch(struct decoder *decoder, const struct ptx_instruction *in)
{
	int32_t list[TOUCHED_MAX + 1];
	if (decoder->frame->pending == NULL || decode_is_wgmma(in->op))
		return;
	uint32_t count = list_touched(decoder, in->operands, in->operand_count, list, 0);
	if (count == 0)
		return;
	list[count] = -1;
	struct exec_instruction *out = decode_emit(decoder, OP_WGMMA_TOUCH, FORM_ONLY);
	out->sub = in->op == OPCODE_MOV ? TOUCH_MOVES : TOUCH_USES;
	decode_list(decoder, list, count + 1);
}

static void decode_one(struct decoder *decoder, const struct ptx_instruction *in)
{
	struct exec_program *program = decoder->program;
	uint32_t before = program->count;
	const enum ptx_opcode op = in->lacks_decoding ? OPCODE_NONE : in->op;
	decoder->instruction = in;
	program->unresolved = false;
	check_touch(decoder, in);
	uint32_t after_touch = program->count;
	decoder->operation = rows[op].operation;
	rows[op].decode(decoder, in);
	decoder->instruction = in;
	if (before < after_touch && after_touch < program->count)
		program->code[before].class = program->code[after_touch].class;
	if (program->unresolved) /* an operand was not understood */
		for (uint32_t i = before; i < program->count; i++)
			program->code[i].handler = exec_unsupported;
	program->unresolved = false;
	if (program->count > before && !decoder->failed)
		decode_effects(decoder, in, program->count - 1);
}

static void resolve_fixups(struct decoder *decoder, struct decode_frame *frame)
{
	for (uint32_t i = 0; i < frame->fixup_count; i++) {
		const struct decode_fixup *fixup = &frame->fixups[i];
		uint32_t pc = frame->statements[fixup->statement];
		if (fixup->list >= 0)
			decoder->lists[fixup->list] = (int32_t)pc;
		else
			decoder->program->code[fixup->code].target = pc;
	}
}

static void decode_body(struct decoder *decoder, struct decode_frame *frame)
{
	const struct ptx_function *function = frame->function;
	struct decode_frame *outer = decoder->frame;
	const struct ptx_instruction *outer_instruction = decoder->instruction;
	decoder->frame = frame;
	for (uint32_t i = 0; i < function->code_count && !decoder->failed; i++) {
		frame->statements[i] = decoder->program->count;
		decode_one(decoder, &function->code[i]);
		for (uint32_t reg = frame->ends[i]; reg; reg = frame->next_end[reg - 1])
			decode_end_register(decoder, frame, reg - 1);
	}
	frame->statements[function->code_count] = decoder->program->count;
	if (!decoder->failed)
		resolve_fixups(decoder, frame);
	for (uint32_t reg = 0; frame->caller != NULL && reg < function->register_count; reg++)
		decode_end_register(decoder, frame, reg);
	decoder->frame = outer;
	decoder->instruction = outer_instruction;
}

/* ------------------------------------------------------------------------ */

static void finish_lists(struct decoder *decoder)
{
	struct exec_program *program = decoder->program;
	program->lists = decoder->lists;
	decoder->lists = NULL;
	for (uint32_t i = 0; i < decoder->list_use_count; i++) {
		struct exec_instruction *in = &program->code[decoder->list_uses[i]];
		in->list = program->lists + (uintptr_t)in->list;
	}
}

static void decode_kernel(struct decoder *decoder, const struct ptx_function *function)
{
	struct decode_frame frame = {0};
	if (!frame_open(&frame, function)) {
		decoder->failed = true;
	} else {
		decoder->frame = &frame;
		decode_shared(decoder, function);
		decoder->frame = NULL;
		decode_body(decoder, &frame);
	}
	/* a body may end without ret: its lanes leave there */
	static const struct ptx_instruction end = {
		.opcode = "(end of the kernel)", .op = OPCODE_EXIT, .guard = -1};
	decoder->frame = &frame;
	decoder->instruction = &end;
	decode_emit(decoder, OP_EXIT, FORM_ONLY);
	frame_close(&frame);
}

struct exec_program *decode_program(const struct ptx_function *function, struct fault *fault)
{
	struct decoder decoder = {0};
	struct exec_program *program = calloc(1, sizeof *program);
	if (program == NULL)
		goto out_of_memory;
	decoder.program = program;
	program->function = function;
	program->shared_base = function->module->shared_base;
	program->predicate_count = EXEC_PREDICATES_GIVEN;
	for (int i = 0; i < EXEC_SPECIALS; i++)
		program->special[i] = -1;
	decode_constant(&decoder, 0, 4);
	/* the first effects are none, of what is not known to be harmless */
	DECODE_GROW(&decoder, program->effects, 0, &decoder.effect_capacity);
	if (program->effects != NULL)
		program->effects[EFFECT_USES] = EXEC_REGION_HARMS;
	decoder.effect_count = EFFECT_HEAD;
	decode_kernel(&decoder, function);
	if (!decoder.failed)
		finish_lists(&decoder);
	program->stack = (decoder.local_bytes + 15) & ~(size_t)15;
	program->local_bytes = program->stack + (decoder.has_stack ? EXEC_STACK_BYTES : 0);
	free(decoder.known);
	free(decoder.lists);
	free(decoder.list_uses);
	free(decoder.shareds);
	free(decoder.collected);
	for (int i = 0; i < 4; i++)
		free(decoder.spare[i].slots);
	if (!decoder.failed)
		return program;
	decode_program_free(program);
out_of_memory:
	fault->kind = FAULT_MEMORY;
	snprintf(fault->text, sizeof fault->text, "kernel %.200s: too large to decode", function->name);
	return NULL;
}

void decode_program_free(struct exec_program *program)
{
	if (program == NULL)
		return;
	free(program->code);
	free(program->origins);
	free(program->constants);
	free(program->shared_places);
	free(program->slot_bytes);
	free(program->recursions);
	free(program->lists);
	free(program->effects);
	exec_regions_free(program);
	free(program->costs);
	free(program);
}
