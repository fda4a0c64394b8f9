/* Ordinary stores to shared memory that asynchronous accesses would read past a missing
 * fence.proxy.async. */
#ifndef EMULATOR_EXEC_UNFENCED_H
#define EMULATOR_EXEC_UNFENCED_H

#include "emulator/exec/cluster.h"

/* Remembers an ordinary store; forgets them at a fence, or where an asynchronous
 * copy wrote; whether one of the bytes is such a store. */
void exec_unfenced_add(struct exec_block *block, const struct exec_instruction *in, uint64_t offset,
					   size_t bytes);
void exec_unfenced_clear(struct exec_block *block, uint64_t offset, size_t bytes);
bool exec_unfenced_any(const struct exec_block *block, uint64_t offset, size_t bytes);
/* The finding that such bytes are read: "copies", ... */
enum exec_status exec_unfenced_read(struct warp *warp, const struct exec_instruction *in, int lane,
									const struct exec_block *block, uint64_t offset, size_t bytes,
									const char *verb);

#endif
