#include "emulator/exec/race_code.h"

#include "emulator/exec/fault.h"
#include "emulator/exec/undefined.h"
#include "emulator/exec/uneven.h"
#include "emulator/exec/worker.h"

#define ADVICE_SYNCWARP                                                                            \
	"lanes of a warp need not run in step, nor does volatile order them: __syncwarp() between "    \
	"the "                                                                                         \
	"write and the read, and before the next write of the same place"

/* Where the place is shared by the block, other warps may race as well. */
#define ADVICE_BARRIER                                                                             \
	"put a __syncthreads() between the write and the read, where all threads of the block reach "  \
	"it, and one before the next write of the same shared memory (__syncwarp() where only lanes "  \
	"of one warp share it: they need not run in step)"

enum exec_status race_report_lanes(struct warp *warp, const struct exec_instruction *in, int lane,
								   uint64_t offset, const char *verb, const char *other_verb,
								   const struct race_seen *other)
{
	const struct exec_program *program = warp->worker->launch->program;
	char place[EXEC_PLACE];
	exec_fail(warp, in, lane, FAULT_RACE, offset,
			  "%s shared memory at offset %llu, which lane %d of the same warp %s (%s) without a "
			  "barrier between",
			  verb, (unsigned long long)offset, __builtin_ctz(other->lanes & ~(1u << lane)),
			  other_verb, exec_place(warp, &program->code[other->pc], place));
	warp->worker->fault.advice = warp->block->warp_count > 1 ? ADVICE_BARRIER : ADVICE_SYNCWARP;
	exec_uneven_explain(warp);
	return EXEC_FAULT;
}

bool race_is_collective(const struct warp *warp, uint32_t pc)
{
	const struct exec_instruction *in = &warp->worker->launch->program->code[pc];
	switch (exec_effects(warp, in)[EFFECT_KIND]) {
	case EFFECT_LOAD_ROWS:
	case EFFECT_LOAD_TILE:
	case EFFECT_STORE_ROWS:
	case EFFECT_STORE_TILE: return true;
	default: return false;
	}
}

/* Whether the instruction changes nothing but registers and the place in the program. */
static bool is_idle(const struct exec_program *program, uint32_t pc)
{
	const struct exec_instruction *in = &program->code[pc];
	const enum ptx_opcode op = program->origins[pc].instruction->op;
	if (in->class == CLASS_MEMORY)
		return op == OPCODE_LD;
	if (in->class == CLASS_CONTROL)
		return op == OPCODE_BRA;
	return in->class != CLASS_BARRIER && in->class != CLASS_COMMUNICATION &&
		   in->class != CLASS_TENSOR;
}

bool race_polls(const struct warp *warp, uint32_t pc)
{
	const struct exec_program *program = warp->worker->launch->program;
	if (!(program->code[pc].flags & EXEC_FLAG_VOLATILE))
		return false;
	for (uint32_t at = pc; at < program->count; at++) {
		const struct exec_instruction *in = &program->code[at];
		if (!is_idle(program, at))
			return false;
		if (in->class != CLASS_CONTROL || in->target > pc)
			continue;
		for (uint32_t first = in->target; first < pc; first++)
			if (!is_idle(program, first))
				return false;
		return true;
	}
	return false;
}
