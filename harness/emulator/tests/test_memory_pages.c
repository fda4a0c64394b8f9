/* links: emulator_core */
/* Pages of 64 KiB, which kernels of aarch64 may have: on whatever machine this runs, memory.c is
 * told that its own are so large, and what it asks of the kernel is looked at. */
#include <criterion/criterion.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "emulator/exec/memory.h"
#include "emulator/exec/memory_pages.h"

#define PAGE UINT64_C(65536)
#define LIMIT ((size_t)1 << 30)

static int calls;

/* Whole pages, as the kernel of such a machine demands. */
static void look(uint64_t first, uint64_t end)
{
	calls++;
	cr_expect(first % PAGE == 0 && end % PAGE == 0 && first < end, "0x%llx to 0x%llx",
			  (unsigned long long)first, (unsigned long long)end);
}

long __real_sysconf(int name);
long __wrap_sysconf(int name);
long __wrap_sysconf(int name)
{
	return name == _SC_PAGESIZE ? (long)PAGE : __real_sysconf(name);
}

bool __real_memory_pages_set_access(uint64_t first, uint64_t end, bool accessible);
bool __wrap_memory_pages_set_access(uint64_t first, uint64_t end, bool accessible);
bool __wrap_memory_pages_set_access(uint64_t first, uint64_t end, bool accessible)
{
	look(first, end);
	return __real_memory_pages_set_access(first, end, accessible);
}

int __real_madvise(void *at, size_t bytes, int advice);
int __wrap_madvise(void *at, size_t bytes, int advice);
int __wrap_madvise(void *at, size_t bytes, int advice)
{
	look((uint64_t)(uintptr_t)at, (uint64_t)(uintptr_t)at + bytes);
	return __real_madvise(at, bytes, advice);
}

static void touch(uint64_t address)
{
	(*(volatile unsigned char *)(uintptr_t)address)++;
}

/* The middle one of three is freed, and has pages of its own, and parts of its neighbours'. */
static uint64_t free_between(uint64_t *first, uint64_t *last)
{
	cr_assert(memory_init(LIMIT));
	*first = memory_allocate(5000, "x");
	const uint64_t middle = memory_allocate(9 * PAGE, "x");
	*last = memory_allocate(5000, "x");
	const struct allocation *allocation = memory_find(middle);
	memory_mark_written(allocation, middle, 9 * PAGE);
	memory_guard(true);
	cr_assert(memory_free(middle));
	memory_guard(false);
	return middle;
}

Test(memory_pages, are_opened_and_given_back_as_wholes)
{
	uint64_t first, last;
	const uint64_t middle = free_between(&first, &last);
	cr_expect_geq(calls, 6);
	touch(first + 4999);
	touch(last);
	cr_assert(memory_free(last));
	touch(first);
	const uint64_t again = memory_allocate(12 * PAGE, "x");
	touch(again);
	touch(again + 12 * PAGE - 1);
	cr_expect_gt(again, middle);
	cr_assert_not(memory_is_written(memory_find(again), again, 1));
	memory_free_all();
}

Test(memory_pages, of_freed_memory_stay_closed, .signal = SIGSEGV)
{
	uint64_t first, last;
	touch(free_between(&first, &last) + 4 * PAGE);
}

Test(memory_pages, of_a_large_allocation_lose_their_bits)
{
	const size_t bytes = 40 * 8 * PAGE; /* whose bits have pages of their own */
	cr_assert(memory_init(LIMIT));
	const uint64_t at = memory_allocate(bytes, "x");
	const uint8_t *bits = memory_find(at)->written;
	memory_mark_written(memory_find(at), at, bytes);
	cr_assert(memory_is_written(memory_find(at), at, bytes));
	cr_assert(memory_free(at));
	for (size_t i = 0; i < bytes / 8; i++)
		cr_assert_eq(bits[i], 0, "byte %zu", i);
}
