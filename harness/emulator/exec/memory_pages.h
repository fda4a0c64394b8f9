/* The pages of the emulated GPU's memory: reserved, opened and closed. One reservation a process;
 * memory.c has the lock. */
#ifndef EMULATOR_EXEC_MEMORY_PAGES_H
#define EMULATOR_EXEC_MEMORY_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#define PAGES_LAZY (MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE)

/* Address space of so many bytes, closed; the first `device` of them are the device's. 0: there is
 * not so much. */
uint64_t memory_pages_reserve(size_t device, size_t bytes);

/* Opens or closes whole pages of it. */
bool memory_pages_set_access(uint64_t first, uint64_t end, bool accessible);

/* What a filter of system calls has to know so that nobody but this file opens device memory by
 * mprotect(): addresses a with (a & mask) == base belong to it; a call that begins below them and
 * reaches its pages is longer than `far`; only what has `key` as the fourth argument of mprotect()
 * is ours. mask 0: there is not enough address space for that. Only the first call is told. */
struct pages_lock {
	uint64_t base, mask, far, key;
};
struct pages_lock pages_lock_take(void);

#endif
