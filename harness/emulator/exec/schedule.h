/* Which lanes of a warp run, and where they wait: groups, barriers. */
#ifndef EMULATOR_EXEC_SCHEDULE_H
#define EMULATOR_EXEC_SCHEDULE_H

#include "emulator/exec/cluster.h"
#include "emulator/exec/worker.h"

/* Puts the running group back and chooses the one to run; false when none is
 * ready. */
bool exec_choose(struct warp *warp);
/* Puts lanes of the running group aside. */
void exec_park(struct warp *warp, uint32_t pc, uint32_t mask, uint32_t wait);
void exec_exit(struct warp *warp, uint32_t mask);
/* These lanes of the running group go to in->target, the others on. */
static inline enum exec_status exec_branch(struct warp *warp, const struct exec_instruction *in,
										   uint32_t mask)
{
	if (mask == warp->active) {
		warp->pc = in->target;
		return EXEC_BRANCH;
	}
	warp->pc = exec_pc(warp, in) + 1;
	exec_park(warp, in->target, mask, EXEC_READY);
	return EXEC_JUMP;
}
/* For instructions of a whole warp (.sync.aligned). NEXT: all 32 lanes are here. JUMP: the
 * group waits at the instruction for the others. FAULT: some can never come. */
enum exec_status exec_whole_warp(struct warp *warp, const struct exec_instruction *in,
								 uint32_t mask);
enum exec_status exec_barrier_arrive(struct warp *warp, const struct exec_instruction *in,
									 uint32_t mask);
void exec_barriers_recheck(struct exec_block *block);
/* Gives registers to warps of the block that wait for them, as far as there are some. */
void exec_registers_recheck(struct exec_block *block);
enum exec_status exec_cluster_arrive(struct warp *warp, const struct exec_instruction *in,
									 uint32_t mask);

#endif
