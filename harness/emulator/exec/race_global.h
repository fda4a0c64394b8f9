/* The race check in global memory: between blocks of a launch, and between launches and copies.
 * Its functions are for blocks that are checked. */
#ifndef EMULATOR_EXEC_RACE_GLOBAL_H
#define EMULATOR_EXEC_RACE_GLOBAL_H

#include "emulator/exec/operation.h"
#include "emulator/exec/vector_clock.h"
#include "emulator/exec/worker.h"

/* A launch begins: what blocks of earlier ones published is forgotten. */
void race_global_begin(void);
/* An access, before it is carried out. What a write with an order publishes is known from now on
 * to those who see it. */
enum exec_status race_global_access(struct warp *warp, const struct exec_instruction *in, int lane,
									uint64_t address, size_t bytes, bool write);
/* As race_global_access() of so many lanes from this one on, each at `bytes` behind the one before.
 */
enum exec_status race_global_lanes(struct warp *warp, const struct exec_instruction *in, int lane,
								   uint64_t address, size_t bytes, uint32_t lanes, bool write);
/* An ordered read or an atomic has seen what is at the addresses: the warp takes what was published
 * there. */
void race_global_seen(struct warp *warp, const struct exec_instruction *in, uint32_t mask,
					  const uint64_t addresses[EXEC_LANES], size_t bytes);
/* in->sub: enum sub_fence */
void race_global_fence(struct warp *warp, const struct exec_instruction *in);
/* A copy or fill, by the host's thread. False: *fault says which race it is. */
bool race_global_copy(const struct machine_order *order, const struct machine_copy *copy,
					  struct fault *fault);

#endif
