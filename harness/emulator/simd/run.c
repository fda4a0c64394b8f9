/* The loop that everything passes through. */
#include "emulator/exec/undefined.h"
#include "emulator/simd/lanes.h"

/* Where the running group meets another one. */
static const struct exec_instruction *meeting(const struct warp *w)
{
	const struct exec_program *program = w->worker->launch->program;
	return program->code + (w->limit < program->count ? w->limit : program->count);
}

/* follow: undefined values are followed, in a second copy of this loop. */
static inline __attribute__((always_inline)) enum exec_status run(struct warp *w, u32 quantum,
																  const bool follow)
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
		if (follow) {
			flops += in->flops * lanes;
			status = exec_follow(w, in, mask);
		} else if (mask) {
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
	if (!follow && __builtin_expect(status == EXEC_FAULT, 0) && exec_undefined_again(w)) {
		/* as if the last instruction had not been begun */
		u32 lanes = (u32)__builtin_popcount(w->active & (predicates[in->guard] ^ in->guard_xor));
		w->pc = (u32)(in - code);
		taken--;
		lane_instructions -= (u32)__builtin_popcount(w->active);
		counters->classes[in->class].instructions--;
		counters->classes[in->class].lanes -= lanes;
		flops -= in->flops * lanes;
		status = EXEC_NEXT;
	}
	w->steps += taken;
	w->block->steps += taken;
	counters->warp_instructions += taken;
	counters->lane_instructions += lane_instructions;
	counters->flops += flops;
	return status;
}

static __attribute__((noinline)) enum exec_status run_and_follow(struct warp *w, u32 quantum)
{
	return run(w, quantum, true);
}

enum exec_status SIMD_LEVELLED(exec_run_warp)(struct warp *w, u32 quantum)
{
	if (__builtin_expect(w->undefined != NULL, 0) && exec_undefined_begin(w))
		return run_and_follow(w, quantum);
	enum exec_status status = run(w, quantum, false);
	/* at once: another warp might write, in its turn, what this one reads too early */
	if (__builtin_expect(exec_undefined_again(w), 0) && exec_undefined_begin(w))
		return run_and_follow(w, quantum);
	return status;
}
