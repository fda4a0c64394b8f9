/* Device memory of the emulated GPU: allocations at host addresses, with exact
 * bounds. One per process. Allocation and freeing are serialised by a lock;
 * lookups from running kernels need none, because the runtime never allocates
 * or frees while a kernel runs. */
#ifndef EMULATOR_MEMORY_H
#define EMULATOR_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct allocation {
	uint64_t base;        /* 256-byte aligned device address == host address */
	uint64_t size;        /* exact bytes asked for */
	const char *kind;     /* "cudaMalloc", "variable", "host": for messages */
	uint8_t *written;     /* one bit a byte, set once something wrote it; NULL: all written */
	bool read_only;       /* constants */
};

/* Reserves address space; `limit` bytes can be allocated at once (the emulated
 * GPU's memory). Idempotent. False when the host refuses. */
bool memory_init(size_t limit);

/* 0 when there is no room. Contents are filled with a recognisable pattern, not
 * zero, and count as unwritten. Size 0 gives 0. An unreadable gap of at least
 * 256 bytes separates neighbours. */
uint64_t memory_allocate(size_t size, const char *kind);
/* False when `base` is not the start of a live allocation. */
bool memory_free(uint64_t base);

/* The allocation that holds `address`, or NULL. The pointer stays valid until
 * that allocation is freed: callers on a hot path may keep it during a launch. */
const struct allocation *memory_find(uint64_t address);

/* The nearest allocation below `address` (for "4 bytes past the end of ..."
 * messages), or NULL; also recently freed ones (`freed` tells). */
const struct allocation *memory_nearest(uint64_t address, bool *freed);

/* Marks bytes as written (host copies, memset; kernels do it inline). */
void memory_mark_written(const struct allocation *allocation, uint64_t address, size_t size);

/* Host memory that kernels may touch: registered or pinned (cudaHostAlloc). */
bool memory_register_host(void *pointer, size_t size);
bool memory_unregister_host(void *pointer);

size_t memory_used(void);
size_t memory_limit(void);

#endif
