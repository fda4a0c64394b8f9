/* The race check (machine_options.check_race). Every function does nothing when
 * the block is not checked. */
#ifndef EMULATOR_EXEC_RACE_H
#define EMULATOR_EXEC_RACE_H

#include "emulator/exec/cluster.h"
#include "emulator/exec/vector_clock.h"

/* What carries order from warp to warp. */
enum exec_race_point {
	EXEC_RACE_BARRIER,  /* at: its number */
	EXEC_RACE_CLUSTER,  /* the block's part of barrier.cluster */
	EXEC_RACE_MBARRIER, /* at: its offset in shared memory */
	EXEC_RACE_EXIT,     /* barriers of all that live wait for those that exit, too */
};

/* At the start of a block; false when there is no memory. */
bool exec_race_start(struct exec_block *block);
void exec_race_free(struct exec_block *block);
/* What these lanes of the warp did so far, and all of it before they last met, comes before what
 * those do who acquire later. */
void exec_race_release(struct exec_block *block, const struct warp *warp, uint32_t lanes,
					   enum exec_race_point kind, uint64_t at);
/* These lanes come after that; the warp's others, once its lanes meet. */
void exec_race_acquire(struct exec_block *block, const struct warp *warp, uint32_t lanes,
					   enum exec_race_point kind, uint64_t at);
/* The lanes of the warp have met, of a block that is checked. A .sync instruction of some of them
 * counts for all. */
void exec_race_meet(const struct warp *warp);
/* Named barriers begin a new phase. */
void exec_race_reset(struct exec_block *block, uint32_t barrier);
enum exec_race_kind {
	EXEC_RACE_READ,
	EXEC_RACE_WRITE,
	EXEC_RACE_LOOK, /* a read whose end other warps may announce: not remembered */
	/* of an mbarrier, which is made before it is used, however its operations are ordered */
	EXEC_RACE_MAKE,
	EXEC_RACE_USE,
};
/* An access to the block's shared memory. */
enum exec_status exec_race_access(struct exec_block *block, struct warp *warp,
								  const struct exec_instruction *in, int lane, uint64_t offset,
								  size_t bytes, enum exec_race_kind kind);

/* For the check of global memory (exec/race_global.h), of a block that is checked: the block's
 * number, what its warp knows of other blocks, and the steps of the block's warps that come before
 * what the warp does next. Its own, which is the step that it is in, may be moved on. */
uint32_t exec_race_number(const struct exec_block *block);
struct vector_clock_orders *exec_race_orders(const struct warp *warp);
uint32_t *exec_race_steps(const struct warp *warp);
/* Says the fault that the warp's worker has, a note, and takes it back. */
void exec_race_tell(const struct warp *warp);

#endif
