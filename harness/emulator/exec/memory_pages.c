#define _GNU_SOURCE
#include "emulator/exec/memory_pages.h"

#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct pages_lock lock;
static bool lock_given;

/* So that a filter of system calls can tell it by one mask, the device's part is the end of a block
 * whose size is a power of two, and whose place a multiple of it. The rest of the block stays
 * unused: a call that begins in front of the block and reaches the device's part is known by its
 * length. */
static uint64_t reserve_block(size_t device, size_t bytes)
{
	const uint64_t block = UINT64_C(1) << (64 - __builtin_clzll(2 * device - 1));
	const size_t host = bytes - device;
	void *at = mmap(NULL, 2 * block + host, PROT_NONE, PAGES_LAZY, -1, 0);
	if (at == MAP_FAILED)
		return 0;
	const uint64_t first = (uint64_t)(uintptr_t)at, start = (first + block - 1) / block * block;
	if (start > first)
		munmap(at, start - first);
	munmap((void *)(uintptr_t)(start + block + host), first + block - start);
	if (getrandom(&lock.key, sizeof lock.key, 0) == sizeof lock.key)
		lock = (struct pages_lock){start, ~(block - 1), block - device, lock.key};
	return start + block - device;
}

static uint64_t reserve_anywhere(size_t bytes)
{
	void *at = mmap(NULL, bytes, PROT_NONE, PAGES_LAZY, -1, 0);
	return at != MAP_FAILED ? (uint64_t)(uintptr_t)at : 0;
}

uint64_t memory_pages_reserve(size_t device, size_t bytes)
{
	const uint64_t base = reserve_block(device, bytes);
	return base ? base : reserve_anywhere(bytes);
}

bool memory_pages_set_access(uint64_t first, uint64_t end, bool accessible)
{
	int access = accessible ? PROT_READ | PROT_WRITE : PROT_NONE;
	/* mprotect(), with an argument more that the kernel does not look at */
	return syscall(SYS_mprotect, first, end - first, access, lock.key) == 0;
}

struct pages_lock pages_lock_take(void)
{
	const struct pages_lock none = {.mask = 0}, out = lock_given ? none : lock;
	lock_given = true;
	return out;
}
