/* Shared memory of a kernel: what it and the functions that it may call name. */
#include "emulator/decode/decoder.h"

#include <string.h>

static void collect_shared(struct decoder *decoder, const struct ptx_function *function,
						   uint32_t depth);

static void collect_operands(struct decoder *decoder, const struct ptx_operand *operands,
							 uint32_t count, uint32_t depth)
{
	for (uint32_t i = 0; i < count && !decoder->failed; i++) {
		const struct ptx_operand *operand = &operands[i];
		uint64_t address;
		if (operand->kind == PTX_OP_VARIABLE && operand->variable->space == PTX_SHARED &&
			!decode_place(decoder, operand->variable, &address))
			decode_remember_place(decoder, &decoder->shareds, &decoder->shared_count,
								  &decoder->shared_capacity, operand->variable, 0);
		if (operand->kind == PTX_OP_FUNCTION && operand->function->has_body)
			collect_shared(decoder, operand->function, depth + 1);
		collect_operands(decoder, operand->items, operand->count, depth);
	}
}

/* Of those that a call through a pointer may reach. */
static void collect_callees(struct decoder *decoder, const struct ptx_function *caller,
							const struct ptx_instruction *in, uint32_t depth)
{
	const struct decode_call call = decode_call_of(caller, in);
	const struct ptx_function *function = caller->module->functions;
	for (; call.target != NULL && call.target->kind == PTX_OP_REGISTER && function != NULL;
		 function = function->next)
		if (decode_call_may_reach(&call, function))
			collect_shared(decoder, function, depth + 1);
}

/* Whether there is nothing more to find in the function at this depth: functions that name one
 * another often would otherwise be gone through along every way there is. */
static bool is_collected(struct decoder *decoder, const struct ptx_function *function,
						 uint32_t depth)
{
	uint32_t i = 0;
	while (i < decoder->collected_count && decoder->collected[i].function != function)
		i++;
	if (i < decoder->collected_count && decoder->collected[i].depth <= depth)
		return true;
	if (i == decoder->collected_count) {
		DECODE_GROW(decoder, decoder->collected, i, &decoder->collected_capacity);
		if (decoder->failed)
			return true;
		decoder->collected[decoder->collected_count++].function = function;
	}
	decoder->collected[i].depth = depth;
	return false;
}

static void collect_shared(struct decoder *decoder, const struct ptx_function *function,
						   uint32_t depth)
{
	/* deeper calls are rare, and their variables then unresolved */
	if (depth > 8 || is_collected(decoder, function, depth))
		return;
	for (uint32_t i = 0; i < function->code_count; i++) {
		const struct ptx_instruction *in = &function->code[i];
		collect_operands(decoder, in->operands, in->operand_count, depth);
		if (in->op == OPCODE_CALL)
			collect_callees(decoder, function, in, depth);
	}
}

/* Alignments count from the first byte that a kernel may use, as ptxas has it: with the system's
 * KiB before it, a variable that asks for more than 1024 lies at no multiple of that. */
static void place_shared(struct decoder *decoder)
{
	struct exec_program *program = decoder->program;
	uint64_t at = 0;
	uint32_t dynamic_align = 16;
	for (uint32_t i = 0; i < decoder->shared_count; i++) {
		const struct ptx_variable *variable = decoder->shareds[i].variable;
		if (variable->align > program->shared_align)
			program->shared_align = (uint32_t)variable->align;
		if (variable->size == 0) {
			program->dynamic_shared = true;
			dynamic_align = variable->align > dynamic_align ? variable->align : dynamic_align;
			continue;
		}
		at = (at + variable->align - 1) / variable->align * variable->align;
		decoder->shareds[i].address = program->shared_base + at;
		at += variable->size;
	}
	program->static_shared = at;
	at = (at + dynamic_align - 1) / dynamic_align * dynamic_align;
	program->dynamic_shared_offset = at;
	for (uint32_t i = 0; i < decoder->shared_count; i++)
		if (decoder->shareds[i].variable->size == 0)
			decoder->shareds[i].address = program->shared_base + at;
}

void decode_shared(struct decoder *decoder, const struct ptx_function *kernel)
{
	collect_shared(decoder, kernel, 0);
	place_shared(decoder);
}
