/* links: emulator_core; label: threads */
/* Blocks that wait for others by global memory: the others begin, waiting costs little, and what
 * waits for ever is named. */
#include "exec_fixture.h"

#define STORE "mul.wide.u32 %d1, %r10, 4; add.s64 %d1, %out, %d1; st.global.u32 [%d1], %r0;\n"
/* The block's number in %r10, and of blocks in %r12; what follows is its first thread's. */
#define FIRST                                                                                      \
	"mov.u32 %r10, %ctaid.x; mov.u32 %r12, %nctaid.x; setp.ne.u32 %p1, %t, 0; @%p1 bra $end;\n"
#define END "$end: bar.sync 0;"

/* Block i waits until block i + 1 has written i + 1, which `look` loads into %r1. */
static void wait_for_next(const char *look, int host_threads)
{
	char body[2048], ptx[4096];
	uint32_t out[12], zeros[16] = {0};
	snprintf(
		body, sizeof body, "%s%s%s",
		FIRST "add.u32 %r11, %r10, 1; setp.eq.u32 %p2, %r11, %r12; @%p2 bra $write; $spin:\n", look,
		"setp.ne.u32 %p3, %r1, %r11; @%p3 bra $spin;\n"
		"$write: membar.gl; atom.global.exch.b32 %r2, [%in], %r10; mov.u32 %r0, 7;\n" STORE END);
	struct fixture_launch how = {.blocks = 12, .threads = 64, .host_threads = host_threads};
	fixture_expect(fixture_kernel(ptx, sizeof ptx, body), how, zeros, sizeof zeros, out,
				   sizeof out);
	for (int i = 0; i < 12; i++)
		cr_assert_eq(out[i], 7, "%s, block %d: %u", look, i, out[i]);
}

Test(exec_spin, blocks_wait_for_later_ones_by_whatever_reads)
{
	static const char *const looks[] = {
		"ld.volatile.global.u32 %r1, [%in];",
		"ld.acquire.gpu.global.u32 %r1, [%in];",
		"ld.relaxed.gpu.u32 %r1, [%in];",
		"atom.global.add.u32 %r1, [%in], 0;",
		"atom.global.or.b32 %r1, [%in], 0;",
		"atom.global.max.u32 %r1, [%in], 0;",
		"atom.global.and.b32 %r1, [%in], -1;",
		"atom.add.release.gpu.u32 %r1, [%in], 0; fence.acq_rel.gpu;",
		"atom.global.cas.b32 %r1, [%in], 99, 98;",
		"ld.volatile.global.u32 %r1, [%in]; nanosleep.u32 20;",
		/* its state never comes back: it may end by itself */
		"ld.volatile.global.u32 %r1, [%in]; add.u32 %r20, %r20, 1;",
	};
	for (size_t i = 0; i < sizeof looks / sizeof looks[0]; i++)
		for (int threads = 1; threads <= 2; threads++)
			wait_for_next(looks[i], threads);
}

/* As CUTLASS's semaphore: one thread looks, and a barrier tells the others, so that each round of
 * the block's warps looks once. */
Test(exec_spin, blocks_wait_with_a_barrier_in_the_loop)
{
	uint32_t out[12], zeros[16] = {0};
	static const char ptx[] = FIXTURE_KERNEL(
		"mov.u32 %r10, %ctaid.x; mov.u32 %r12, %nctaid.x; setp.eq.u32 %p1, %t, 0;\n"
		"add.u32 %r11, %r10, 1; setp.eq.u32 %p2, %r11, %r12; mov.u32 %r1, -1; @%p2 bra $write;\n"
		"$spin: @%p1 ld.acquire.gpu.global.u32 %r1, [%in];\n"
		"setp.ne.u32 %p3, %r1, %r11; and.pred %p3, %p3, %p1;\n"
		"bar.red.or.pred %p4, 0, %p3; @%p4 bra $spin;\n"
		"$write: @!%p1 bra $end; st.release.gpu.global.u32 [%in], %r10; mov.u32 %r0, 7;\n" STORE
		"$end:");
	struct fixture_launch how = {.blocks = 12, .threads = 256};
	for (how.host_threads = 1; how.host_threads <= 2; how.host_threads++) {
		fixture_expect(ptx, how, zeros, sizeof zeros, out, sizeof out);
		for (int i = 0; i < 12; i++)
			cr_assert_eq(out[i], 7);
	}
}

/* A lock by atomicExch, which the block that is last in the grid must take first. */
Test(exec_spin, locks_are_passed_on)
{
	uint32_t out[8], zeros[16] = {0};
	static const char ptx[] = FIXTURE_KERNEL(
		FIRST "sub.u32 %r11, %r12, %r10; sub.u32 %r11, %r11, 1;\n"
			  "$lock: atom.global.exch.b32 %r1, [%in], 1; setp.ne.u32 %p3, %r1, 0;\n"
			  "@%p3 bra $lock; ld.volatile.global.u32 %r2, [%in+4]; setp.eq.u32 %p4, %r2, %r11;\n"
			  "add.u32 %r3, %r2, 1; @%p4 st.volatile.global.u32 [%in+4], %r3; membar.gl;\n"
			  "atom.global.exch.b32 %r1, [%in], 0; @!%p4 bra $lock; mov.u32 %r0, %r2;\n" STORE END);
	fixture_expect(ptx, (struct fixture_launch){.blocks = 8}, zeros, sizeof zeros, out, sizeof out);
	for (uint32_t i = 0; i < 8; i++)
		cr_assert_eq(out[i], 7 - i);
}

/* ------------------------------------------------------------------------
 * A barrier of the grid by hand */

#define BARRIER                                                                                    \
	FIXTURE_KERNEL(FIRST "membar.gl; atom.global.add.u32 %r1, [%in], 1;\n"                         \
						 "$spin: ld.volatile.global.u32 %r1, [%in]; setp.lt.u32 %p2, %r1, %r12;\n" \
						 "@%p2 bra $spin; mov.u32 %r0, %r1;\n" STORE END)

static uint64_t steps_of_barrier(uint32_t blocks)
{
	static uint32_t out[1024];
	uint32_t zeros[16] = {0};
	struct fault fault;
	struct fixture_launch how = {.blocks = blocks, .threads = 128, .resident = 2048};
	uint64_t from = fixture_copy(zeros, sizeof zeros), to = fixture_buffer(sizeof out);
	cr_assert(fixture_run(BARRIER, &how, from, to, &fault), "%s", fault.text);
	memcpy(out, (void *)(uintptr_t)to, sizeof out);
	for (uint32_t i = 0; i < blocks; i++)
		cr_assert_eq(out[i], blocks);
	return how.counters.warp_instructions;
}

Test(exec_spin, barriers_of_a_grid_are_linear)
{
	uint64_t few = steps_of_barrier(64), many = steps_of_barrier(1024);
	cr_assert_lt(many, 32 * few, "%llu instructions of 64 blocks, %llu of 1024",
				 (unsigned long long)few, (unsigned long long)many);
}

Test(exec_spin, blocks_that_are_not_resident_are_a_deadlock)
{
	uint32_t zeros[16] = {0}, out[8];
	for (int threads = 1; threads <= 2; threads++) {
		struct fixture_launch how = {.blocks = 8, .resident = 8, .host_threads = threads};
		fixture_expect(BARRIER, how, zeros, sizeof zeros, out, sizeof out);
		cr_assert_eq(out[7], 8);
		how.resident = 4;
		fixture_expect_fault(BARRIER, how, FAULT_BUDGET,
							 "deadlock: each of the 4 blocks that the GPU holds at once waits");
		how.resident = 7;
		fixture_expect_fault(BARRIER, how, FAULT_BUDGET, "and 1 have not begun");
	}
}

Test(exec_spin, what_nobody_writes_is_named_at_once)
{
	static const char ptx[] =
		FIXTURE_KERNEL(FIRST "$spin: ld.volatile.global.u32 %r1, [%in]; setp.eq.u32 %p2, %r1, 0;\n"
							 "@%p2 bra $spin;\n" END);
	for (int threads = 1; threads <= 4; threads++)
		fixture_expect_fault(
			ptx, (struct fixture_launch){.blocks = 5, .threads = 64, .host_threads = threads},
			FAULT_BUDGET, "in a loop nobody writes");
}

/* ------------------------------------------------------------------------
 * No deadlock */

Test(exec_spin, loops_that_give_up_go_on)
{
	uint32_t zeros[16] = {0}, out[3];
	static const char ptx[] = FIXTURE_KERNEL(
		FIRST "mov.u32 %r2, 0;\n$spin: ld.volatile.global.u32 %r1, [%in]; add.u32 %r2, %r2, 1;\n"
			  "setp.eq.u32 %p2, %r1, 0; setp.lt.and.u32 %p2, %r2, 50000, %p2; @%p2 bra $spin;\n"
			  "mov.u32 %r0, %r2;\n" STORE END);
	fixture_expect(ptx, (struct fixture_launch){.blocks = 3}, zeros, sizeof zeros, out, sizeof out);
	cr_assert_eq(out[2], 50000);
}

/* Block 0 waits on one host thread for block 1, which counts for long on the other. */
Test(exec_spin, blocks_of_other_host_threads_are_waited_for)
{
	uint32_t zeros[16] = {0}, out[2];
	static const char ptx[] = FIXTURE_KERNEL(
		FIRST
		"setp.eq.u32 %p4, %r10, 1; @%p4 bra $slow;\n"
		"$spin: ld.volatile.global.u32 %r1, [%in]; setp.eq.u32 %p2, %r1, 0;\n"
		"@%p2 bra $spin; mov.u32 %r0, %r1;\n" STORE "bra $end;\n"
		"$slow: mov.u32 %r2, 0;\n$count: add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, 1000000;\n"
		"@%p2 bra $count; st.volatile.global.u32 [%in], 5; mov.u32 %r0, 5;\n" STORE END);
	fixture_expect(ptx, (struct fixture_launch){.blocks = 2, .host_threads = 2}, zeros,
				   sizeof zeros, out, sizeof out);
	cr_assert_eq(out[0], 5);
}

/* Data that is read by volatile loads is not waited for, however often. */
Test(exec_spin, volatile_data_are_no_wait)
{
	uint32_t data[64], out[2];
	for (uint32_t i = 0; i < 64; i++)
		data[i] = i;
	static const char ptx[] = FIXTURE_KERNEL(
		FIRST "mov.u32 %r0, 0; mov.u32 %r3, 0;\n"
			  "$sum: and.b32 %r4, %r3, 63; mul.wide.u32 %d2, %r4, 4; add.s64 %d2, %in, %d2;\n"
			  "ld.volatile.global.u32 %r1, [%d2]; add.u32 %r0, %r0, %r1; add.u32 %r3, %r3, 1;\n"
			  "setp.lt.u32 %p2, %r3, 64000; @%p2 bra $sum;\n" STORE END);
	fixture_expect(ptx, (struct fixture_launch){.blocks = 2}, data, sizeof data, out, sizeof out);
	cr_assert_eq(out[1], 1000 * 2016);
}
