/* links: emulator_core */
#include <criterion/criterion.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/exec/memory.h"
#include "emulator/exec/memory_pages.h"

/* Under AddressSanitizer the expected SIGSEGV must still end the test. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "handle_segv=0";
}

#define LIMIT ((size_t)8 << 30)

Test(memory, bounds_are_exact_and_neighbours_apart)
{
	cr_assert(memory_init(LIMIT));
	cr_assert(memory_init(LIMIT));
	uint64_t a = memory_allocate(1001, "a"), b = memory_allocate(5, "b");
	cr_assert(a && b && a % 256 == 0 && b % 256 == 0);
	cr_assert(b >= a + 1001 + 256);
	cr_assert_eq(memory_find(a)->base, a);
	cr_assert_eq(memory_find(a + 1000)->size, 1001);
	cr_assert_null(memory_find(a + 1001));
	cr_assert_null(memory_find(a - 1));
	cr_assert_null(memory_find(0));
	cr_assert_eq(memory_following(a - 1)->base, a);
	cr_assert_eq(memory_following(a)->base, b);
	cr_assert_null(memory_following(b));
	cr_assert_eq(memory_used(), 1006);
	cr_assert_eq(*(unsigned char *)(uintptr_t)(a + 1000), MEMORY_FILL);
	cr_assert(memory_free(a));
	cr_assert_not(memory_free(a));
	cr_assert_not(memory_free(b + 1));
	cr_assert_null(memory_find(a));
	cr_assert_eq(memory_peak(), 1006);
	cr_assert_eq(memory_peak(), 5);
	bool freed = false;
	cr_assert_eq(memory_nearest(a + 4, &freed)->base, a);
	cr_assert(freed);
	cr_assert_eq(memory_nearest(b + 7, &freed)->base, b);
	cr_assert_not(freed);
}

Test(memory, the_limit_holds)
{
	cr_assert(memory_init((size_t)1 << 20));
	cr_assert_eq(memory_allocate(((size_t)1 << 20) + 1, "x"), 0);
	cr_assert_eq(memory_allocate(0, "x"), 0);
	uint64_t all = memory_allocate((size_t)1 << 20, "x");
	cr_assert(all);
	cr_assert_eq(memory_allocate(1, "x"), 0);
	cr_assert(memory_free(all));
	/* Long runs go round the reservation many times. */
	for (int i = 0; i < 1000; i++) {
		uint64_t base = memory_allocate(900001, "x");
		cr_assert(base);
		memory_mark_written(memory_find(base), base, 900001);
		cr_assert(memory_free(base));
	}
	uint64_t again = memory_allocate(900001, "x");
	cr_assert_not(memory_is_written(memory_find(again), again, 1));
	cr_assert_not(memory_is_written(memory_find(again), again + 900000, 1));
}

Test(memory, large_allocations_are_lazy)
{
	cr_assert(memory_init(LIMIT));
	uint64_t base = memory_allocate(LIMIT, "x");
	cr_assert(base);
	cr_assert_eq(*(unsigned char *)(uintptr_t)(base + LIMIT - 1), MEMORY_FILL);
	cr_assert(memory_free(base));
}

Test(memory, written_bits)
{
	cr_assert(memory_init(LIMIT));
	uint64_t base = memory_allocate(100, "x"), other = memory_allocate(100, "y");
	const struct allocation *a = memory_find(base), *b = memory_find(other);
	memory_mark_written(a, base + 3, 30);
	for (int i = 0; i < 100; i++)
		cr_assert_eq(memory_is_written(a, base + i, 1), i >= 3 && i < 33, "byte %d", i);
	cr_assert(memory_is_written(a, base + 3, 30));
	cr_assert_not(memory_is_written(a, base + 3, 31));
	memory_mark_written(b, other, 100);
	memory_copy_written(b, other + 1, a, base, 40);
	for (int i = 1; i < 41; i++)
		cr_assert_eq(memory_is_written(b, other + i, 1), i - 1 >= 3 && i - 1 < 33, "byte %d", i);
	cr_assert(memory_is_written(b, other + 41, 59));
	memory_mark_written(a, base + 90, 1000);
	cr_assert(memory_is_written(a, base + 90, 10));
	uint64_t pinned = memory_allocate_host(64, "pinned");
	cr_assert_null(memory_find(pinned)->written);
}

static void touch(uint64_t address)
{
	*(volatile char *)(uintptr_t)address = 1;
}

static void open_and_touch(bool closed, uint64_t *device, uint64_t *pinned)
{
	cr_assert(memory_init(LIMIT));
	*device = memory_allocate(10000, "x");
	*pinned = memory_allocate_host(100, "y");
	touch(*device);
	memory_guard(true);
	memory_guard(closed);
}

Test(memory, the_guard_lets_kernels_in)
{
	uint64_t device, pinned;
	open_and_touch(false, &device, &pinned);
	touch(device + 9999);
	memory_guard(true);
	touch(pinned);
	uint64_t more = memory_allocate(5000, "z");
	memory_guard(false);
	touch(more);
	touch(device);
	cr_assert_eq(*(unsigned char *)(uintptr_t)(more + 1), MEMORY_FILL);
}

Test(memory, the_guard_keeps_the_host_out, .signal = SIGSEGV)
{
	uint64_t device, pinned;
	open_and_touch(true, &device, &pinned);
	touch(device);
}

Test(memory, the_guard_covers_what_is_allocated_behind_it, .signal = SIGSEGV)
{
	uint64_t device, pinned;
	open_and_touch(true, &device, &pinned);
	touch(memory_allocate(100, "x"));
}

/* Three allocations that share their outer pages, be they of 64 KiB, of which the middle one is
 * freed. */
static uint64_t free_between(uint64_t *first, uint64_t *last)
{
	cr_assert(memory_init(LIMIT));
	*first = memory_allocate(5000, "x");
	const uint64_t middle = memory_allocate(200000, "x");
	*last = memory_allocate(5000, "x");
	memory_guard(true);
	cr_assert(memory_free(middle));
	memory_guard(false);
	return middle;
}

Test(memory, the_guard_opens_what_shares_a_page_with_freed_memory)
{
	uint64_t first, last;
	free_between(&first, &last);
	touch(first);
	touch(first + 4999);
	touch(last);
	touch(last + 4999);
	memory_guard(true);
	const uint64_t again = memory_allocate(200000, "x");
	memory_guard(false);
	touch(again);
	touch(again + 199999);
	touch(last);
}

Test(memory, freed_memory_stays_closed, .signal = SIGSEGV)
{
	uint64_t first, last;
	touch(free_between(&first, &last) + 100000);
}

/* As a filter of system calls has to know it. */
Test(memory, a_mask_tells_device_memory)
{
	cr_assert(memory_init(LIMIT));
	const uint64_t device = memory_allocate(8192, "cudaMalloc");
	const uint64_t host = memory_allocate_host(8192, "cudaMallocHost");
	const struct pages_lock lock = pages_lock_take();
	cr_assert(lock.mask != 0 && lock.key != 0);
	cr_expect_eq(device & lock.mask, lock.base);
	cr_expect_neq(host & lock.mask, lock.base);
	cr_expect_geq(device, lock.base + lock.far);
	cr_expect_eq(pages_lock_take().mask, 0, "nobody else is told");
}

Test(memory, host_memory_can_be_registered)
{
	cr_assert(memory_init(LIMIT));
	char *host = malloc(1000);
	cr_assert(memory_register_host(host, 1000));
	cr_assert_not(memory_register_host(host + 10, 10));
	cr_assert_eq(memory_find((uint64_t)(uintptr_t)host + 999)->base, (uint64_t)(uintptr_t)host);
	cr_assert_not(memory_free((uint64_t)(uintptr_t)host));
	cr_assert_not(memory_unregister_host(host + 1));
	cr_assert(memory_unregister_host(host));
	cr_assert_null(memory_find((uint64_t)(uintptr_t)host));
	cr_assert_not(memory_register_host(NULL, 4));
	free(host);
	uint64_t base = memory_allocate(64, "x");
	cr_assert_not(memory_unregister_host((void *)(uintptr_t)base));
	cr_assert(memory_set_read_only(base, true));
	cr_assert(memory_find(base)->read_only);
}
