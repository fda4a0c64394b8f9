/* Pending operations of wgmma. */
#ifndef EMULATOR_OPS_WGMMA_H
#define EMULATOR_OPS_WGMMA_H

#include "emulator/exec/cluster.h"

void wgmma_clear(struct warp *warp);
/* A pending operation of the block's warps that reads one of the bytes, or NULL. */
const struct exec_instruction *wgmma_reading(const struct exec_block *block, uint64_t offset,
											 size_t bytes);
void wgmma_free(struct warp *warp);

/* What to do about one that nothing waited for. */
#define WGMMA_ADVICE_GROUP                                                                         \
	"wgmma.commit_group behind the last wgmma of a group, and wgmma.wait_group before its "        \
	"registers are used, or the shared memory that it reads is written"

#endif
