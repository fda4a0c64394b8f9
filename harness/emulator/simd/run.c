/* The loop that everything passes through. */
#include "emulator/simd/lanes.h"

/* Where the running group meets another one. */
static const struct exec_instruction *meeting(const struct warp *w)
{
	const struct exec_program *program = w->worker->launch->program;
	return program->code + (w->limit < program->count ? w->limit : program->count);
}

enum exec_status SIMD_LEVELLED(exec_run_warp)(struct warp *w, u32 quantum)
{
	const struct exec_instruction *code = w->worker->launch->program->code;
	struct counters *counters = &w->worker->counters;
	const u32 *predicates = w->predicates;
	if ((!w->active || w->turn) && !exec_choose(w))
		return EXEC_YIELD;
	enum exec_status status = EXEC_NEXT;
	u64 lane_instructions = 0, flops = 0;
	u32 left = quantum;
	const struct exec_instruction *in = code + w->pc, *stop = meeting(w);
	while (left--) {
		u32 mask = w->active & (predicates[in->guard] ^ in->guard_xor);
		u32 lanes = (u32)__builtin_popcount(mask);
		lane_instructions += (u32)__builtin_popcount(w->active);
		counters->classes[in->class].instructions++;
		counters->classes[in->class].lanes += lanes;
		if (mask) {
			flops += in->flops * lanes;
			status = in->handler(w, in, mask);
		} else {
			status = EXEC_NEXT;
		}
		if (__builtin_expect(status == EXEC_NEXT, 1)) {
			in++;
			if (__builtin_expect(in < stop, 1))
				continue;
			w->pc = (u32)(in - code);
		} else if (status == EXEC_BRANCH) {
			in = code + w->pc;
			if (__builtin_expect(w->group_count == 0, 1))
				continue;
		} else if (status == EXEC_FAULT) {
			break;
		} else if (status == EXEC_YIELD) {
			w->turn = w->group_count > 0;
			break;
		}
		if (!exec_choose(w)) {
			status = EXEC_YIELD;
			break;
		}
		in = code + w->pc;
		stop = meeting(w);
	}
	bool over = left == UINT32_MAX; /* the quantum is */
	u32 taken = quantum - left - (over ? 1 : 0);
	if (over) {
		w->pc = (u32)(in - code);
		w->turn = w->group_count > 0;
		status = EXEC_NEXT;
	}
	w->steps += taken;
	w->block->steps += taken;
	counters->warp_instructions += taken;
	counters->lane_instructions += lane_instructions;
	counters->flops += flops;
	return status;
}
