/* Single accesses to memory, with every check. */
#ifndef EMULATOR_EXEC_ACCESS_H
#define EMULATOR_EXEC_ACCESS_H

#include "emulator/exec/worker.h"

/* The allocation that holds [address, address + size), through the cache. */
const struct exec_cached *exec_lookup(struct exec_worker *worker, uint32_t slot, uint64_t address,
									  uint64_t size);

/* An address among several of one instruction: three entries of in->list. */
struct exec_address {
	uint64_t address;
	enum ptx_space space;
};
/* The host address of `bytes` bytes at a device address, or NULL after a fault:
 * bounds, alignment to `align`, whether it may be written, whether something
 * wrote what is read. Marks what is written. */
void *exec_access(struct warp *warp, const struct exec_instruction *in, int lane,
				  enum ptx_space space, uint64_t address, size_t bytes, size_t align, bool write);
/* The block of the cluster that a shared address names, and the offset within
 * it; NULL when there is none. */
struct exec_block *exec_shared_block(struct warp *warp, uint64_t address, uint64_t *offset);
/* The block, and the offset within it, of `bytes` of shared memory that lane names; NULL after a
 * fault: bounds, alignment, a block that has ended. */
struct exec_block *exec_shared_place(struct warp *warp, const struct exec_instruction *in, int lane,
									 struct exec_address at, size_t bytes, size_t align,
									 uint64_t *offset);
/* Whether the block is another one of the cluster that has ended: a fault. */
bool exec_block_ended(struct warp *warp, const struct exec_instruction *in, int lane,
					  const struct exec_block *block);
/* As exec_access() for a source that is only copied: global memory that nothing wrote is no fault.
 */
void *exec_access_source(struct warp *warp, const struct exec_instruction *in, int lane,
						 struct exec_address at, size_t bytes, size_t align, bool *written);
/* An undefined value is stored at a global address: `text` says how. */
void exec_undefine(struct exec_worker *worker, uint64_t address, size_t bytes, const char *text);
bool exec_written(const struct exec_cached *cached, uint64_t address, size_t bytes);
void exec_mark(const struct exec_cached *cached, uint64_t address, size_t bytes);

struct exec_address exec_listed_address(const struct warp *warp, const int32_t *entry, int lane);

#endif
