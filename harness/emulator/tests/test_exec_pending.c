/* links: emulator_core */
/* Asynchronous copies under way: what must not be touched before they are waited for, by the
 * PTX ISA, and what a right kernel may do. */
#include "exec_fixture.h"

#define ONE ((struct fixture_launch){0})
#define TWO ((struct fixture_launch){.threads = 64})
#define STORE "mul.wide.u32 %d1, %t, 4; add.s64 %d1, %out, %d1; st.global.u32 [%d1], %r0;\n"
/* %r8: address of the thread's word in s, %d2: of its word of the input */
#define WORD                                                                                       \
	".shared .align 128 .b8 s[4096]; .shared .align 8 .b64 full; mov.u32 %r9, s;\n"                \
	"shl.b32 %r8, %t, 2; add.u32 %r8, %r9, %r8; mul.wide.u32 %d2, %t, 4; add.s64 %d2, %in, %d2;\n" \
	"mov.u32 %r7, full; setp.eq.u32 %p1, %t, 0;\n"
#define SEEDS 8

/* With several seeds, as what lands early in one lands late in another. */
static void expect_ramp(const char *ptx, struct fixture_launch how, uint32_t first)
{
	uint32_t in[256], out[32];
	for (uint32_t i = 0; i < 256; i++)
		in[i] = i;
	for (how.seed = 0; how.seed < SEEDS; how.seed++) {
		fixture_expect(ptx, how, in, sizeof in, out, sizeof out);
		for (uint32_t i = 0; i < 32; i++)
			cr_assert_eq(out[i], first + i, "seed %llu, word %u: %u", (unsigned long long)how.seed,
						 i, out[i]);
	}
}

static void expect_finding(const char *ptx, struct fixture_launch how, const char *needle)
{
	for (how.seed = 0; how.seed < SEEDS; how.seed++)
		fixture_expect_fault(ptx, how, FAULT_ASYNC, needle);
}

/* ------------------------------------------------------------------------
 * Several copies to the same bytes */

#define COPY(offset) "cp.async.ca.shared.global [%r8], [%d2+" offset "], 4;\n"
#define COMMIT "cp.async.commit_group;\n"
#define READ "ld.shared.u32 %r0, [%r8];\n" STORE

Test(exec_pending, copies_that_are_waited_for_in_turn)
{
	expect_ramp(FIXTURE_KERNEL(WORD COPY("0") COMMIT "cp.async.wait_group 0;\n" COPY("128") COMMIT
							   "cp.async.wait_group 0;\n" READ),
				ONE, 32);
}

/* A second one to the same bytes: PTX ISA 9.7.9.25.3.1 and 9.7.9.25.3.2. */
Test(exec_pending, copies_that_nothing_orders)
{
	expect_finding(
		FIXTURE_KERNEL(WORD COPY("0") COMMIT COPY("128") COMMIT "cp.async.wait_group 0;\n" READ),
		ONE, "copy that nothing waited for is still to write (cp.async");
	expect_finding(FIXTURE_KERNEL(WORD COPY("0") COPY("128") "cp.async.wait_all;\n" READ), ONE,
				   "is still to write (cp.async");
}

/* Two copies bring equal bytes from one place, so that it does not matter which comes last; but
 * they are there when the last of them was waited for. */
Test(exec_pending, copies_of_the_same)
{
	expect_ramp(
		FIXTURE_KERNEL(WORD COPY("0") COMMIT COPY("0") COMMIT "cp.async.wait_group 0;\n" READ), ONE,
		0);
	expect_finding(
		FIXTURE_KERNEL(WORD COPY("0") COMMIT COPY("0") COMMIT "cp.async.wait_group 1;\n" READ), ONE,
		"a wait is missing");
}

Test(exec_pending, stores_to_what_a_copy_will_write)
{
	expect_finding(FIXTURE_KERNEL(WORD COPY("0") COMMIT "st.shared.u32 [%r8], %t;"), ONE,
				   "st.shared.u32 at PTX line");
	expect_finding(FIXTURE_KERNEL(WORD COPY("0") COMMIT "@%p1 st.shared.u32 [%r9+40], %t;"), ONE,
				   "writes shared memory at offset 40, which an asynchronous copy");
	expect_ramp(FIXTURE_KERNEL(WORD COPY("0") COMMIT
							   "st.shared.u32 [%r8+1024], %t;\n"
							   "cp.async.wait_all; ld.shared.u32 %r0, [%r8];\n" STORE),
				ONE, 0);
}

/* What is not looked for is done: what lands last is what the store wrote over, or did not. */
Test(exec_pending, nothing_is_looked_for)
{
	const char *ptx = FIXTURE_KERNEL(WORD COPY("0") COMMIT "st.shared.u32 [%r8], 7;\n" READ);
	uint32_t in[64], out[32], seven = 0;
	for (uint32_t i = 0; i < 64; i++)
		in[i] = i + 100;
	fixture_expect(ptx, (struct fixture_launch){.check_none = true}, in, sizeof in, out,
				   sizeof out);
	for (uint32_t i = 0; i < 32; i++)
		seven += out[i] == 7;
	cr_assert_eq(seven, 32);
	/* late in some lanes, early in others, the same with the same seed */
	ptx = FIXTURE_KERNEL(WORD "st.shared.u32 [%r8], 7;\n" COPY("0") COMMIT READ);
	uint32_t again[32], other[32];
	struct fixture_launch how = {.check_none = true, .seed = 5};
	fixture_expect(ptx, how, in, sizeof in, out, sizeof out);
	fixture_expect(ptx, how, in, sizeof in, again, sizeof again);
	how.seed = 6;
	fixture_expect(ptx, how, in, sizeof in, other, sizeof other);
	seven = 0;
	for (uint32_t i = 0; i < 32; i++)
		seven += out[i] == 7;
	cr_assert(seven > 0 && seven < 32, "%u", seven);
	cr_assert_arr_eq(out, again, sizeof out);
	cr_assert(memcmp(out, other, sizeof out) != 0);
	/* addresses are: a GPU refuses them */
	fixture_expect_fault(FIXTURE_KERNEL("ld.global.u32 %r0, [%in+1024];"),
						 (struct fixture_launch){.check_none = true}, FAULT_ADDRESS,
						 "past the end");
}

/* ------------------------------------------------------------------------
 * Bulk copies */

#define INIT "@%p1 mbarrier.init.shared::cta.b64 [%r7], 1;\n"
#define FENCED INIT "fence.mbarrier_init.release.cluster; bar.sync 0;\n"
#define BULK(to)                                                                                   \
	"@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r7], 128;\n"                              \
	"@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r9" to               \
	"], [%in], 128, [%r7];\n"
#define WAIT(parity)                                                                               \
	"$wait" #parity ": mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r7], " #parity ";\n"        \
	"@!%p2 bra $wait" #parity ";\n"

Test(exec_pending, loads_whose_phase_was_waited_for)
{
	expect_ramp(FIXTURE_KERNEL(WORD FENCED BULK("") WAIT(0) "bar.sync 0;\n" BULK("")
								   WAIT(1) "bar.sync 0; st.shared.u32 [%r8], %t;\n" READ),
				ONE, 0);
}

/* Bytes have landed, but the phase that says so goes on: it expects more. */
Test(exec_pending, loads_whose_phase_is_not_over)
{
	expect_finding(
		FIXTURE_KERNEL(WORD FENCED
					   "@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r7], 256;\n"
					   "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx"
					   "::bytes [%r9], [%in], 128, [%r7];\n"
					   "mbarrier.test_wait.parity.shared::cta.b64 %p2, [%r7], 0;\n" READ),
		ONE, "a wait is missing");
}

Test(exec_pending, loads_into_what_another_load_will_write)
{
	expect_finding(
		FIXTURE_KERNEL(WORD FENCED BULK("") "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::"
											"complete_tx::bytes [%r9+64], [%in], 128, [%r7];\n"),
		ONE, "is still to write (cp.async.bulk");
	expect_finding(FIXTURE_KERNEL(WORD FENCED COPY("0") COMMIT "bar.sync 0;\n" BULK("")), ONE,
				   "is still to write (cp.async.ca");
}

Test(exec_pending, mbarriers_without_a_fence)
{
	const char *needle = "whose mbarrier.init no fence and no barrier has followed";
	expect_finding(FIXTURE_KERNEL(WORD INIT BULK("")), ONE, needle);
	expect_ramp(
		FIXTURE_KERNEL(WORD INIT "@%p1 fence.proxy.async;\n" BULK("") "bar.sync 0;\n" WAIT(0) READ),
		ONE, 0);
	expect_ramp(
		FIXTURE_KERNEL(WORD INIT "@%p1 membar.cta;\n" BULK("") "bar.sync 0;\n" WAIT(0) READ), ONE,
		0);
	expect_ramp(FIXTURE_KERNEL(WORD INIT "bar.sync 0;\n" BULK("") WAIT(0) READ), ONE, 0);
	expect_finding(FIXTURE_KERNEL(WORD INIT "barrier.cluster.arrive.relaxed.aligned;\n"
											"barrier.cluster.wait.aligned;\n" BULK("")),
				   ONE, needle);
	expect_ramp(FIXTURE_KERNEL(WORD INIT "barrier.cluster.arrive.aligned;\n"
										 "barrier.cluster.wait.aligned;\n" BULK("") WAIT(0) READ),
				ONE, 0);
}

#define FILL "st.shared.u32 [%r8], %t; fence.proxy.async.shared::cta; bar.sync 0;\n"
#define BULK_STORE                                                                                 \
	"@%p1 cp.async.bulk.global.shared::cta.bulk_group [%out], [%r9], 128;\n"                       \
	"@%p1 cp.async.bulk.commit_group;\n"

/* PTX ISA 9.7.9.25.1: modifying the source before the copy has completed. */
Test(exec_pending, sources_of_pending_stores)
{
	const char *needle = "still reads (cp.async.bulk.global";
	expect_finding(FIXTURE_KERNEL(WORD FILL BULK_STORE "bar.sync 0; st.shared.u32 [%r8], 3;\n"),
				   ONE, needle);
	expect_finding(FIXTURE_KERNEL(WORD FILL BULK_STORE "bar.sync 0;\n" COPY("0")), ONE, needle);
	expect_finding(FIXTURE_KERNEL(WORD FENCED FILL BULK_STORE BULK("")), ONE, needle);
	expect_finding(FIXTURE_KERNEL(WORD FILL BULK_STORE "@%p1 cp.async.bulk.wait_group.read 1;\n"
													   "bar.sync 0; st.shared.u32 [%r8], 3;\n"),
				   ONE, needle);
	expect_ramp(FIXTURE_KERNEL(WORD FILL BULK_STORE "@%p1 cp.async.bulk.wait_group.read 0;\n"
													"bar.sync 0; st.shared.u32 [%r8], 3;\n"),
				ONE, 0);
}

/* cp.async writes through the generic proxy, at some time before it is waited for. */
Test(exec_pending, copies_read_by_the_async_proxy)
{
	const char *needle = "that the generic proxy wrote (cp.async.ca";
	expect_finding(FIXTURE_KERNEL(WORD COPY("0") "cp.async.wait_all; bar.sync 0;\n" BULK_STORE),
				   ONE, needle);
	expect_finding(FIXTURE_KERNEL(WORD COPY("0") "fence.proxy.async; cp.async.wait_all;\n"
												 "bar.sync 0;\n" BULK_STORE),
				   ONE, needle);
	expect_ramp(FIXTURE_KERNEL(WORD COPY("0") "cp.async.wait_all; fence.proxy.async;\n"
											  "bar.sync 0;\n" BULK_STORE),
				ONE, 0);
}

/* ------------------------------------------------------------------------
 * wgmma, of a warpgroup: 64 x 8 x 16, both operands at s, without swizzling */

#define GROUP ((struct fixture_launch){.threads = 128})
#define OPERANDS                                                                                   \
	"st.shared.u32 [%r8], 0; st.shared.u32 [%r8+512], 0; st.shared.u32 [%r8+1024], 0;\n"           \
	"st.shared.u32 [%r8+1536], 0; fence.proxy.async; bar.sync 0;\n"                                \
	"shr.u32 %r1, %r9, 4; cvt.u64.u32 %d5, %r1; or.b64 %d5, %d5, 0x1000080000;\n"                  \
	"mov.f32 %f0, 0f3F800000; mov.f32 %f1, %f0; mov.f32 %f2, %f0; mov.f32 %f3, %f0;\n"             \
	"mov.pred %p4, 1;\n"
#define MULTIPLY                                                                                   \
	"wgmma.fence.sync.aligned;\n"                                                                  \
	"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %d5, %d5, %p4, 1, "   \
	"1, 0, 0;\n"
#define RESULT "mul.wide.u32 %d1, %t, 4; add.s64 %d1, %out, %d1; st.global.f32 [%d1], %f2;"

Test(exec_pending, loads_into_what_wgmma_reads)
{
	uint32_t out[128] = {0};
	expect_finding(FIXTURE_KERNEL(WORD FENCED OPERANDS MULTIPLY
								  "wgmma.commit_group.sync.aligned; bar.sync 0;\n" BULK("+256")
									  WAIT(0) "wgmma.wait_group.sync.aligned 0;\n"),
				   GROUP, "which a wgmma that nothing waited for still reads (wgmma.mma_async");
	/* behind its operands, and after its wait */
	fixture_expect(FIXTURE_KERNEL(WORD FENCED OPERANDS MULTIPLY
								  "wgmma.commit_group.sync.aligned; bar.sync 0;\n" BULK("+2048")
									  WAIT(0) "wgmma.wait_group.sync.aligned 0; bar.sync 0;\n" BULK(
										  "+256") WAIT(1) RESULT),
				   GROUP, out, sizeof out, out, sizeof out);
	cr_assert_eq(out[9], 0x3f800000);
}

/* Lane 0 comes late to the commit, which makes one group all the same: wait_group 1 leaves it. */
Test(exec_pending, groups_of_wgmma_are_the_warps)
{
	const char *late =
		"setp.eq.u32 %p5, %t, 32; @!%p5 bra $all; nanosleep.u32 1; nanosleep.u32 1;\n"
		"$all:\n";
	char body[4096], ptx[8192];
	for (int wait = 0; wait < 2; wait++) {
		snprintf(body, sizeof body,
				 "%s%swgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned %d;\n%s",
				 WORD OPERANDS MULTIPLY, late, wait, RESULT);
		fixture_kernel(ptx, sizeof ptx, body);
		uint32_t out[128];
		if (wait)
			fixture_expect_fault(ptx, GROUP, FAULT_ASYNC, "nothing waited for");
		else
			fixture_expect(ptx, GROUP, NULL, 0, out, sizeof out);
	}
}
