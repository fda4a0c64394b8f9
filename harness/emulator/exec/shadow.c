/* A lazy table with a pointer for each page of the reservation, to the cells of its words. */
#define _GNU_SOURCE
#include "emulator/exec/shadow.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/mman.h>

#define PAGE 4096u
#define CELLS_BYTES (PAGE / SHADOW_WORD * sizeof(struct shadow_cell))
#define LOCKS 1024u

static struct {
	pthread_mutex_t lock; /* of making */
	struct shadow_cell *_Atomic *pages;
	uint64_t start, count;
	_Atomic uint64_t used_end; /* index behind the last page that has cells */
	atomic_flag locks[LOCKS];
} shadow = {.lock = PTHREAD_MUTEX_INITIALIZER};

void shadow_cover(uint64_t start, uint64_t end)
{
	shadow.start = start;
	shadow.count = (end - start) / PAGE;
}

/* Zeroed, and touched where it is used only. NULL without memory. */
static void *map(size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
						MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return memory == MAP_FAILED ? NULL : memory;
}

/* Under the lock. */
static bool open_table(void)
{
	if (shadow.pages != NULL)
		return true;
	shadow.pages = map(shadow.count * sizeof *shadow.pages);
	return shadow.pages != NULL;
}

static struct shadow_cell *make_page(uint64_t address)
{
	struct shadow_cell *cells = NULL;
	pthread_mutex_lock(&shadow.lock);
	const uint64_t page = open_table() ? (address - shadow.start) / PAGE : UINT64_MAX;
	if (page < shadow.count) {
		cells = shadow.pages[page];
		if (cells == NULL)
			shadow.pages[page] = cells = map(CELLS_BYTES);
		if (page >= shadow.used_end)
			shadow.used_end = page + 1;
	}
	pthread_mutex_unlock(&shadow.lock);
	return cells;
}

struct shadow_cell *shadow_find(uint64_t address, bool make)
{
	const uint64_t offset = address - shadow.start; /* beyond all where it lies before */
	if (offset / PAGE >= shadow.count)
		return NULL;
	struct shadow_cell *cells =
		offset / PAGE < shadow.used_end ? atomic_load(&shadow.pages[offset / PAGE]) : NULL;
	if (cells == NULL && make)
		cells = make_page(address);
	return cells != NULL ? &cells[address % PAGE / SHADOW_WORD] : NULL;
}

static atomic_flag *lock_of(uint64_t address)
{
	return &shadow.locks[address / SHADOW_LINE % LOCKS];
}

void shadow_lock(uint64_t address)
{
	while (atomic_flag_test_and_set_explicit(lock_of(address), memory_order_acquire))
		sched_yield();
}

void shadow_unlock(uint64_t address)
{
	atomic_flag_clear_explicit(lock_of(address), memory_order_release);
}

/* Pages from first on, before end. */
static void drop_pages(uint64_t first, uint64_t end)
{
	for (uint64_t page = first; page < end && page < shadow.used_end; page++) {
		if (shadow.pages[page] != NULL)
			munmap(shadow.pages[page], CELLS_BYTES);
		shadow.pages[page] = NULL;
	}
}

void shadow_forget(uint64_t base, uint64_t size)
{
	/* a page that has a part of a neighbour stays */
	if (shadow.pages != NULL)
		drop_pages((base - shadow.start + PAGE - 1) / PAGE, (base + size - shadow.start) / PAGE);
}

void shadow_clear(void)
{
	drop_pages(0, shadow.count);
	shadow.used_end = 0;
}
