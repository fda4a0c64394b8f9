/* The loop that everything passes through. */
#include "emulator/simd/run.h"

#include "emulator/exec/follow.h"
#include "emulator/exec/schedule.h"
#include "emulator/exec/undefined.h"
#include "emulator/simd/lanes.h"

/* Where the running group meets another one. */
static const struct exec_instruction *meeting(const struct warp *w)
{
	const struct exec_program *program = w->worker->launch->program;
	return program->code + (w->limit < program->count ? w->limit : program->count);
}

/* What the instruction added to the counters. */
static void note_cost(struct warp *w, u32 at)
{
	const struct counters *now = &w->worker->counters;
	struct line_cost *cost = &w->worker->costs[at], *seen = &w->worker->seen;
	const struct line_cost sum = {
		.shared_wavefronts = now->shared_load_wavefronts + now->shared_store_wavefronts,
		.shared_conflicts = now->shared_load_conflicts + now->shared_store_conflicts,
		.global_sectors =
			now->global_load_sectors + now->global_store_sectors + now->global_atomic_sectors,
		.global_lines = now->global_lines,
	};
	cost->instructions++;
	cost->shared_wavefronts += sum.shared_wavefronts - seen->shared_wavefronts;
	cost->shared_conflicts += sum.shared_conflicts - seen->shared_conflicts;
	cost->global_sectors += sum.global_sectors - seen->global_sectors;
	cost->global_lines += sum.global_lines - seen->global_lines;
	*seen = sum;
}

/* follow: undefined values are followed, in a second copy of this loop; each: costs are kept by
 * instruction, in a third. */
static inline __attribute__((always_inline)) enum exec_status
run(struct warp *w, u32 quantum, const bool follow, const bool each)
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
		if (each)
			note_cost(w, (u32)(in - code));
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
	return run(w, quantum, true, w->worker->costs != NULL);
}

static __attribute__((noinline)) enum exec_status run_each(struct warp *w, u32 quantum)
{
	return run(w, quantum, false, true);
}

enum exec_status SIMD_LEVELLED(run_warp)(struct warp *w, u32 quantum)
{
	if (__builtin_expect(w->undefined != NULL, 0) && exec_undefined_begin(w))
		return run_and_follow(w, quantum);
	enum exec_status status = __builtin_expect(w->worker->costs != NULL, 0)
								  ? run_each(w, quantum)
								  : run(w, quantum, false, false);
	/* at once: another warp might write, in its turn, what this one reads too early */
	if (__builtin_expect(exec_undefined_again(w), 0) && exec_undefined_begin(w))
		return run_and_follow(w, quantum);
	return status;
}
