/* Asynchronous copies under way in the shared memory of a block (pending.c), and when they
 * land. Nothing is counted when the launch does not look for what PTX leaves undefined. */
#ifndef EMULATOR_EXEC_PENDING_H
#define EMULATOR_EXEC_PENDING_H

#include "emulator/exec/cluster.h"

/* Counts a copy for its bytes, from its issue until it is waited for. Bytes without a pending
 * write are readable afterwards. */
void exec_pending_begin(struct exec_block *block, enum exec_pending kind, uint64_t offset,
						size_t bytes);
void exec_pending_end(struct exec_block *block, enum exec_pending kind, uint64_t offset,
					  size_t bytes);
/* Whether a copy under way reads or will write one of the bytes. */
bool exec_pending_touched(const struct exec_block *block, uint64_t offset, size_t bytes);
/* At the start of a block. */
void exec_pending_clear(struct exec_block *block);

/* A bit for each lane: whether the copy that it issues now lands at once. Otherwise it does
 * when it is waited for. */
uint32_t exec_pending_early(struct exec_cluster *cluster);

struct copy; /* of cp.async, and of cp.async.bulk: exec/copies.h */
struct bulk;
/* A finding when a write, by an ordinary store or by the copy given, touches bytes of a pending
 * copy. */
enum exec_status exec_pending_write(struct warp *warp, const struct exec_instruction *in, int lane,
									struct exec_block *block, uint64_t offset, size_t bytes,
									const struct copy *copy, const struct bulk *bulk);
/* The finding that what is read ("reads", ...) is pending. */
enum exec_status exec_pending_read(struct warp *warp, const struct exec_instruction *in, int lane,
								   const struct exec_block *block, uint64_t offset,
								   const char *verb);

#endif
