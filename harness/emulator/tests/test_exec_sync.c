/* links: emulator_core */
/* Instructions that wait for all lanes of their warp, and barriers that lanes and warps have
 * left. */
#include "exec_fixture.h"

#define ONE ((struct fixture_launch){0})
#define TWO ((struct fixture_launch){.threads = 64})
#define STORE "mul.wide.u32 %d1, %t, 4; add.s64 %d1, %out, %d1; st.global.u32 [%d1], %r0;\n"
#define SHARED                                                                                     \
	".shared .align 128 .b8 s[1024]; .shared .align 8 .b64 full; mov.u32 %r9, s;\n"                \
	"shl.b32 %r8, %t, 2; add.u32 %r8, %r9, %r8;\n"

/* Lane 0 of the first warp spins at an mbarrier that the second warp arrives at, while its other
 * lanes go on to `body`. */
#define LATE_LANE(body)                                                                            \
	FIXTURE_KERNEL(SHARED                                                                          \
				   "st.shared.u32 [%r8], %t; st.shared.u32 [%r8+256], %t; mov.u32 %r7, full;\n"    \
				   "setp.eq.u32 %p1, %t, 0; @%p1 mbarrier.init.shared::cta.b64 [%r7], 1;\n"        \
				   "bar.sync 0; setp.eq.u32 %p2, %t, 40;\n"                                        \
				   "@%p2 mbarrier.arrive.shared::cta.b64 _, [%r7]; @!%p1 bra $all;\n"              \
				   "$spin: mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r7], 0;\n"              \
				   "@!%p3 bra $spin;\n"                                                            \
				   "$all: mov.f32 %f0, 0f00000000; mov.f32 %f1, %f0; mov.f32 %f2, %f0;\n"          \
				   "mov.f32 %f3, %f0; mov.u32 %r1, 0;\n" body "activemask.b32 %r0;\n" STORE)

static void expect_whole(const char *ptx)
{
	uint32_t out[64];
	fixture_expect(ptx, TWO, NULL, 0, out, sizeof out);
	for (int i = 0; i < 64; i++)
		cr_assert_eq(out[i], UINT32_MAX, "thread %d: %x", i, out[i]);
}

Test(exec_sync, whole_warps_wait_for_late_lanes)
{
	expect_whole(LATE_LANE("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r9];\n"));
	expect_whole(LATE_LANE("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r9], {%r1};\n"));
	expect_whole(LATE_LANE("movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r1;\n"));
	expect_whole(LATE_LANE("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
						   "{%f0, %f1, %f2, %f3}, {%r1, %r1, %r1, %r1}, {%r1, %r1}, "
						   "{%f0, %f1, %f2, %f3};\n"));
	expect_whole(LATE_LANE("mov.u32 %r2, 16; wmma.load.c.sync.aligned.row.m16n16k16.shared.f16 "
						   "{%r10, %r11, %r12, %r13}, [%r9], %r2;\n"));
	expect_whole(LATE_LANE("wgmma.fence.sync.aligned;\n"));
	expect_whole(LATE_LANE("wgmma.commit_group.sync.aligned;\n"));
	expect_whole(LATE_LANE("wgmma.wait_group.sync.aligned 0;\n"));
	expect_whole(LATE_LANE("setmaxnreg.inc.sync.aligned.u32 40;\n"));
	expect_whole(LATE_LANE("elect.sync %r1|%p4, -1;\n"));
}

#define MATRIX "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r9];"

Test(exec_sync, lanes_that_can_never_come_are_named)
{
	fixture_expect_fault(FIXTURE_KERNEL(SHARED "st.shared.u32 [%r8], %t; setp.eq.u32 %p1, %t, 7;\n"
											   "@%p1 exit;\n" MATRIX),
						 ONE, FAULT_BARRIER,
						 "is executed by 31 lanes of a warp, where all 32 must: lane 7 has exit");
	fixture_expect_fault(
		FIXTURE_KERNEL(SHARED "st.shared.u32 [%r8], %t; setp.ge.u32 %p1, %t, 3;\n @%p1 " MATRIX),
		ONE, FAULT_BARRIER, "lane 0 is predicated off");
	fixture_expect_fault(FIXTURE_KERNEL(SHARED "st.shared.u32 [%r8], %t;\n" MATRIX),
						 (struct fixture_launch){.threads = 48}, FAULT_BARRIER,
						 "lane 16 does not exist");
}

/* Lane 5 exits while the others wait for it. */
Test(exec_sync, lane_that_exits_while_others_wait)
{
	fixture_expect_fault(FIXTURE_KERNEL(SHARED "st.shared.u32 [%r8], %t; setp.eq.u32 %p1, %t, 5;\n"
											   "@%p1 bra $away;\n" MATRIX
											   " bra $end;\n$away: exit;\n$end:"),
						 ONE, FAULT_BARRIER, "lane 5 has exited");
}

Test(exec_sync, lanes_that_wait_elsewhere_are_a_deadlock)
{
	const char *ptx =
		FIXTURE_KERNEL(SHARED "st.shared.u32 [%r8], %t; setp.eq.u32 %p1, %t, 5;\n"
							  "@%p1 bra $away;\n" MATRIX " bra $end;\n$away: bar.sync 3;\n$end:");
	fixture_expect_fault(ptx, ONE, FAULT_BARRIER,
						 "31 threads wait for other lanes of their warps (ldmatrix");
	fixture_expect_fault(ptx, ONE, FAULT_BARRIER, "1 threads wait for barrier 3 (bar.sync");
}

/* Lane 5 waits for a value that nobody writes. */
Test(exec_sync, lanes_that_spin_for_ever_are_reported_with_those_that_wait)
{
	fixture_expect_fault(
		FIXTURE_KERNEL(SHARED "st.shared.u32 [%r8], %t; setp.eq.u32 %p1, %t, 5;\n"
							  "@!%p1 bra $all;\n"
							  "$spin: ld.volatile.shared.u32 %r1, [%r9]; setp.eq.u32 %p2, %r1, 0;\n"
							  "@%p2 bra $spin;\n$all: " MATRIX),
		(struct fixture_launch){.step_budget = 100000}, FAULT_BUDGET,
		"31 threads wait for other lanes of their warps (ldmatrix");
}

/* ------------------------------------------------------------------------
 * Those who left */

#define RACING ((struct fixture_launch){.threads = 64, .check_race = true})
/* Warp 1 writes and leaves; warp 0 reads behind `meeting`. */
#define LEFT(meeting)                                                                              \
	FIXTURE_KERNEL(SHARED "mov.u32 %r0, 1; setp.ge.u32 %p1, %t, 32; @!%p1 bra $reader;\n"          \
						  "st.shared.u32 [%r8], %t;\n" STORE "exit;\n$reader: " meeting            \
						  "ld.shared.u32 %r0, [%r8+128];\n" STORE)

Test(exec_sync, barriers_of_all_meet_warps_that_have_exited)
{
	uint32_t out[64];
	fixture_expect(LEFT("bar.sync 0;\n"), RACING, NULL, 0, out, sizeof out);
	cr_assert_eq(out[3], 35);
	fixture_expect(LEFT("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"), RACING,
				   NULL, 0, out, sizeof out);
	cr_assert_eq(out[3], 35);
}

/* It waits for its own warp alone; nanosleep lets warp 1 go first. */
Test(exec_sync, barriers_with_counts_do_not)
{
	fixture_expect_fault(LEFT("nanosleep.u32 1; bar.sync 1, 32;\n"), RACING, FAULT_RACE,
						 "without a barrier between");
}

/* ------------------------------------------------------------------------
 * Barriers that not all take as one */

/* Even and odd lanes come to barriers of their own. */
#define APART(barrier)                                                                             \
	FIXTURE_KERNEL("and.b32 %r0, %t, 1; setp.eq.u32 %p1, %r0, 0; @%p1 bra $even;\n" barrier        \
				   " 0; bra $end;\n$even: " barrier " 0;\n$end:" STORE)

Test(exec_sync, lanes_of_a_warp_come_to_one_barrier)
{
	uint32_t out[64];
	fixture_expect_fault(APART("bar.sync"), TWO, FAULT_BARRIER,
						 "16 lanes of a warp come to this barrier while 16 others wait at another");
	fixture_expect_fault(APART("barrier.sync.aligned"), TWO, FAULT_BARRIER,
						 "(barrier.sync.aligned at PTX line ");
	/* without .aligned each thread comes by itself */
	fixture_expect(APART("barrier.sync"), TWO, NULL, 0, out, sizeof out);
}

static void expect_suspect(const char *ptx, const char *needle)
{
	struct fault fault = {0};
	struct fixture_launch how = TWO;
	uint64_t to = fixture_buffer(256);
	cr_assert(fixture_run(ptx, &how, to, to, &fault), "%s", fault.text);
	cr_assert(*needle ? strstr(fault.text, needle) != NULL : !*fault.text, "%s", fault.text);
}

#define OTHER_WARPS(body) FIXTURE_KERNEL("setp.ge.u32 %p1, %t, 32; @%p1 bra $second;\n" body)

Test(exec_sync, barriers_that_not_all_take_as_one_are_suspect)
{
	expect_suspect(OTHER_WARPS("bar.sync 0; bra $end; $second: bar.sync 0; $end:"),
				   "threads of the block met at different barriers, bar.sync at PTX line ");
	expect_suspect(
		OTHER_WARPS("bar.sync 0; $second:"),
		"32 of the block's 64 threads had ended without coming to the barrier bar.sync at PTX");
	expect_suspect(OTHER_WARPS("$second: bar.sync 0;"), "");
	/* producers and consumers */
	expect_suspect(OTHER_WARPS("bar.sync 1, 64; bra $end; $second: bar.sync 1, 64; $end:"), "");
}

/* Both warps store to the same words: what they store decides. */
Test(exec_sync, stores_of_the_same_value_are_no_race)
{
	uint32_t out[64];
#define BOTH(value)                                                                                \
	FIXTURE_KERNEL(SHARED "and.b32 %r1, %t, 31; shl.b32 %r1, %r1, 2; add.u32 %r1, %r9, %r1;\n"     \
						  "mov.u32 %r0, " value "; st.shared.u32 [%r1], %r0; bar.sync 0;\n"        \
						  "ld.shared.u32 %r0, [%r1];\n" STORE)
	fixture_expect(BOTH("7"), RACING, NULL, 0, out, sizeof out);
	cr_assert_eq(out[40], 7);
	fixture_expect_fault(BOTH("%t"), RACING, FAULT_RACE, "warp 0 writes");
	/* the last store of all; a read between */
	fixture_expect_fault(FIXTURE_KERNEL(SHARED "st.shared.u32 [%r9], %t;\n"), RACING, FAULT_RACE,
						 "warp 0 writes");
	fixture_expect_fault(
		FIXTURE_KERNEL(SHARED "st.shared.u32 [%r9], 7; ld.shared.u32 %r0, [%r9];\n"), RACING,
		FAULT_RACE, "without a barrier between");
}

/* Two warps at 64 registers a lane: the first one wants 80. */
#define POOL(second)                                                                               \
	FIXTURE_HEADER ".visible .entry k(.param .u64 p_in, .param .u64 p_out)\n.maxnreg 64\n{\n"      \
				   ".reg .pred %p; .reg .b32 %t; mov.u32 %t, %tid.x; setp.ge.u32 %p, %t, 32;\n"    \
				   "@%p bra $second; setmaxnreg.inc.sync.aligned.u32 80; bra $end;\n"              \
				   "$second: " second "\n$end: ret;\n}\n"

Test(exec_sync, registers_are_those_that_were_given_back)
{
	uint32_t out[1];
	fixture_expect(POOL("setmaxnreg.dec.sync.aligned.u32 48;"), TWO, NULL, 0, out, sizeof out);
	fixture_expect_fault(POOL("setmaxnreg.dec.sync.aligned.u32 56;"), TWO, FAULT_BUDGET,
						 "deadlock: 32 threads wait for registers that no setmaxnreg.dec gave back "
						 "(setmaxnreg.inc.sync.aligned.u32");
}

/* Lane 31 leaves before, or while, the others wait: its warp has arrived all the same. */
Test(exec_sync, counted_barriers_do_not_wait_for_lanes_that_exit)
{
	uint32_t out[64];
	fixture_expect(FIXTURE_KERNEL("mov.u32 %r0, 5;\n" STORE "setp.eq.u32 %p1, %t, 31;\n"
								  "@%p1 bra $away; bar.sync 1, 64; mov.u32 %r0, 6;\n" STORE
								  "bra $end;\n$away: exit;\n$end:"),
				   TWO, NULL, 0, out, sizeof out);
	for (int i = 0; i < 64; i++)
		cr_assert_eq(out[i], i == 31 ? 5 : 6);
}

/* An mbarrier for two arrivals, of which one comes: nobody is left who could bring the other. */
Test(exec_sync, an_mbarrier_that_nobody_can_complete)
{
	fixture_expect_fault(
		FIXTURE_KERNEL(".shared .align 8 .b64 full; mov.u32 %r8, full; setp.eq.u32 %p1, %t, 0;\n"
					   "@%p1 mbarrier.init.shared.b64 [%r8], 2; bar.sync 0;\n"
					   "@%p1 mbarrier.arrive.shared.b64 _, [%r8];\n"
					   "WAIT: mbarrier.try_wait.parity.shared.b64 %p4, [%r8], 0;\n"
					   "@!%p4 bra WAIT;\n"),
		((struct fixture_launch){.threads = 64}), FAULT_BUDGET,
		"does not end: every thread that is left waits for what only its own block or cluster");
}

/* Lanes of a warp that wait in loops of their own, for each other. */
Test(exec_sync, mbarriers_for_which_lanes_wait_apart)
{
#define WAIT_APART(label, barrier)                                                                 \
	label ": mbarrier.try_wait.parity.shared.b64 %p4, [" barrier "], 0; @!%p4 bra " label ";\n"
	struct fixture_launch how = {.threads = 64, .step_budget = 100000};
	fixture_expect_fault(
		FIXTURE_KERNEL(
			".shared .align 8 .b64 a; .shared .align 8 .b64 b;\n"
			"mov.u32 %r8, a; mov.u32 %r9, b; setp.eq.u32 %p1, %t, 0;\n"
			"@%p1 mbarrier.init.shared.b64 [%r8], 1;\n"
			"@%p1 mbarrier.init.shared.b64 [%r9], 1; bar.sync 0;\n"
			"and.b32 %r0, %t, 16; setp.eq.u32 %p2, %r0, 0; @%p2 bra SECOND;\n" WAIT_APART(
				"A", "%r8") "mbarrier.arrive.shared.b64 _, [%r9]; bra END;\n"
							"SECOND:\n" WAIT_APART(
								"B", "%r9") "mbarrier.arrive.shared.b64 _, [%r8];\nEND:\n"),
		how, FAULT_BUDGET,
		"does not end: every thread that is left waits for what only its own block or cluster");
}

Test(exec_sync, an_mbarrier_that_a_store_has_overwritten)
{
	fixture_expect_fault(
		FIXTURE_KERNEL(".shared .align 8 .b64 full; mov.u32 %r8, full; setp.eq.u32 %p1, %t, 0;\n"
					   "@%p1 mbarrier.init.shared.b64 [%r8], 32; bar.sync 0;\n"
					   "@%p1 st.shared.u32 [%r8+4], 0; bar.sync 0;\n"
					   "mbarrier.arrive.shared.b64 _, [%r8];\n"),
		((struct fixture_launch){.threads = 32}), FAULT_BARRIER, "has been overwritten");
}
