#include "emulator/exec/uneven.h"

#include <stdio.h>
#include <string.h>

#include "emulator/exec/fault.h"
#include "emulator/exec/worker.h"

#define ADVICE_APART                                                                               \
	"a barrier stands under an if, or behind a return or break, that only some threads take: let " \
	"all threads of the block reach it, and guard only loads and stores"
#define ADVICE_MAYBE "where that is not meant, " ADVICE_APART

#define ADVICE_LEFT                                                                                \
	"threads that do not come to a barrier, as it stands under an if or behind a return, bring "   \
	"nothing into shared memory any more: let all threads of the block reach each barrier, and "   \
	"guard only their loads and stores"

static const struct ptx_instruction *written_as(const struct warp *warp, uint32_t pc)
{
	return warp->worker->launch->program->origins[pc].instruction;
}

static bool is_aligned(const struct ptx_instruction *instruction)
{
	bool aligned = ptx_opcode_facts[instruction->op] & PTX_ALIGNED;
	for (uint32_t i = 1; i < instruction->part_count; i++)
		aligned |= strcmp(instruction->parts[i], "aligned") == 0;
	return aligned;
}

enum exec_status exec_uneven_lanes(struct warp *warp, const struct exec_instruction *in,
								   uint32_t lanes)
{
	const struct ptx_instruction *here = written_as(warp, exec_pc(warp, in));
	for (uint32_t i = 0; i < warp->group_count; i++) {
		const struct exec_group *group = &warp->groups[i];
		if (group->wait < EXEC_WAIT_BARRIER)
			continue;
		const struct ptx_instruction *there = written_as(warp, group->pc - 1);
		char place[EXEC_PLACE];
		if (there == here || !is_aligned(here) || !is_aligned(there))
			continue;
		if (exec_fail_undefined(
				warp, in, __builtin_ctz(lanes), FAULT_BARRIER, 0,
				"%d lanes of a warp come to this barrier while %d others wait at another one (%s): "
				"all lanes of a warp have to come to the same",
				__builtin_popcount(lanes), __builtin_popcount(group->mask),
				exec_place(warp, in + ((int64_t)group->pc - 1 - exec_pc(warp, in)), place)) ==
			EXEC_NEXT)
			return EXEC_NEXT;
		warp->worker->fault.advice = ADVICE_APART;
		return EXEC_FAULT;
	}
	return EXEC_NEXT;
}

/* "... threads of a block ...", behind which a sentence may go on. */
static void describe(const struct exec_block *block, char *text, size_t size)
{
	const struct exec_uneven *uneven = &block->uneven;
	const struct exec_program *program = block->warps[0].worker->launch->program;
	char first[EXEC_PLACE], second[EXEC_PLACE];
	exec_program_place(program, uneven->behind - 1, first);
	exec_program_place(program, uneven->other - 1, second);
	if (uneven->behind != uneven->other)
		snprintf(text, size, "threads of the block met at different barriers, %s and %s", first,
				 second);
	else
		snprintf(text, size,
				 "%u of the block's %u threads had ended without coming to the barrier %s",
				 uneven->exited, block->threads, first);
}

static const char *advice_of(const struct exec_block *block)
{
	return block->uneven.behind != block->uneven.other ? ADVICE_MAYBE : ADVICE_LEFT;
}

void exec_uneven_note(struct exec_block *block, uint32_t behind, uint32_t other)
{
	char text[2 * EXEC_PLACE + 64];
	if (block->uneven.behind || !behind)
		return;
	block->uneven = (struct exec_uneven){behind, other, block->threads - block->live};
	describe(block, text, sizeof text);
	exec_suspect(&block->warps[0], "%.180s: %s", text, advice_of(block));
}

/* A barrier where other lanes of the warp wait, while these go on behind or beside it; its place
 * plus 1, 0: none. */
static uint32_t left_out(const struct warp *warp)
{
	for (uint32_t i = 0; warp->active && i < warp->group_count; i++)
		if (warp->groups[i].wait >= EXEC_WAIT_BARRIER && warp->groups[i].pc <= warp->pc &&
			is_aligned(written_as(warp, warp->groups[i].pc - 1)))
			return warp->groups[i].pc;
	return 0;
}

void exec_uneven_explain(struct warp *warp)
{
	struct fault *fault = &warp->worker->fault;
	const size_t used = strlen(fault->text), room = sizeof fault->text - used;
	const uint32_t behind = left_out(warp);
	char text[2 * EXEC_PLACE + 64];
	if (behind) {
		exec_program_place(warp->worker->launch->program, behind - 1, text);
		snprintf(fault->text + used, room, "; other lanes of the warp wait at the barrier %s",
				 text);
		fault->advice = ADVICE_APART;
	} else if (warp->block->uneven.behind) {
		describe(warp->block, text, sizeof text);
		snprintf(fault->text + used, room, "; before, %s", text);
		fault->advice = advice_of(warp->block);
	}
}
