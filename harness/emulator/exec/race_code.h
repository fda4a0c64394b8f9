/* What the race check of shared memory asks of instructions, and says of lanes of one warp. */
#ifndef EMULATOR_EXEC_RACE_CODE_H
#define EMULATOR_EXEC_RACE_CODE_H

#include "emulator/exec/race_clock.h"
#include "emulator/exec/warp.h"

/* A warp executes it as one: its lanes meet there (ldmatrix, wmma.store). */
bool race_is_collective(const struct warp *warp, uint32_t pc);
/* A volatile load of a loop that does nothing but to wait for another value. */
bool race_polls(const struct warp *warp, uint32_t pc);
/* The fault that two lanes of the warp access a place and nothing orders them. */
enum exec_status race_report_lanes(struct warp *warp, const struct exec_instruction *in, int lane,
								   uint64_t offset, const char *verb, const char *other_verb,
								   const struct race_seen *other);

/* What to do about a race in a block that has mbarriers. */
#define ADVICE_PHASES                                                                              \
	"order them by an mbarrier, or a __syncthreads(): who writes arrives behind the write, who "   \
	"reads waits before and arrives behind its last read, and the next write waits for that "      \
	"(volatile orders nothing)"

#endif
