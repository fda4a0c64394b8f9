/* links: emulator_core */
#include "exec_fixture.h"

#define RACING ((struct fixture_launch){.threads = 64, .check_race = true})

/* Lane 3 of warp 0 stores, and lane 0 arrives; warp 1 waits and reads. */
#define ARRIVES(meet)                                                                              \
	FIXTURE_KERNEL(".shared .align 8 .b64 full; .shared .align 4 .b32 word;\n"                     \
				   "mov.u32 %r8, full; mov.u32 %r9, word; setp.eq.u32 %p1, %t, 0;\n"               \
				   "@%p1 mbarrier.init.shared.b64 [%r8], 1; bar.sync 0;\n"                         \
				   "setp.lt.u32 %p2, %t, 32; setp.eq.u32 %p3, %t, 3;\n"                            \
				   "@!%p2 bra WAIT;\n"                                                             \
				   "@%p3 st.shared.u32 [%r9], 7;\n" meet                                           \
				   "@%p1 mbarrier.arrive.shared.b64 _, [%r8];\n"                                   \
				   "bra END;\nWAIT: mbarrier.try_wait.parity.shared.b64 %p4, [%r8], 0;\n"          \
				   "@!%p4 bra WAIT;\nld.shared.u32 %r0, [%r9];\nEND:\n")

Test(exec_race, a_lane_arrives_for_itself)
{
	uint32_t out[1];
	fixture_expect_fault(ARRIVES(""), RACING, FAULT_RACE, "which lane 3 of warp 0 writes");
	fixture_expect(ARRIVES("bar.warp.sync 0xffffffff;\n"), RACING, NULL, 0, out, 4);
	fixture_expect(ARRIVES("shfl.sync.bfly.b32 %r1, %t, 1, 31, 0xffffffff;\n"), RACING, NULL, 0,
				   out, 4);
}

/* As barriers do, an mbarrier at which all lanes arrive orders the lanes of its own warp. */
Test(exec_race, lanes_that_wait_have_met)
{
	uint32_t out[1];
	fixture_expect(ARRIVES(".shared .align 8 .b64 all; mov.u32 %r10, all;\n"
						   "@%p1 mbarrier.init.shared.b64 [%r10], 32; bar.warp.sync 0xffffffff;\n"
						   "@%p3 st.shared.u32 [%r9], 8;\n"
						   "mbarrier.arrive.shared.b64 _, [%r10];\n"
						   "MET: mbarrier.try_wait.parity.shared.b64 %p4, [%r10], 0;\n"
						   "@!%p4 bra MET;\n"),
				   RACING, NULL, 0, out, 4);
}

/* Warp 0 stores, and arrives; lane 0 of warp 1 waits for it, and lane 5 reads. */
#define WAITS(meet)                                                                                \
	FIXTURE_KERNEL(".shared .align 8 .b64 full; .shared .align 4 .b32 word;\n"                     \
				   "mov.u32 %r8, full; mov.u32 %r9, word; setp.eq.u32 %p1, %t, 0;\n"               \
				   "@%p1 mbarrier.init.shared.b64 [%r8], 1; bar.sync 0;\n"                         \
				   "setp.lt.u32 %p2, %t, 32; setp.ne.u32 %p3, %t, 32; setp.eq.u32 %p5, %t, 37;\n"  \
				   "@!%p2 bra SECOND;\n@%p1 st.shared.u32 [%r9], 7;\n"                             \
				   "@%p1 mbarrier.arrive.shared.b64 _, [%r8];\nbra END;\n"                         \
				   "SECOND: @%p3 bra MEET;\n"                                                      \
				   "WAIT: mbarrier.try_wait.parity.shared.b64 %p4, [%r8], 0;\n@!%p4 bra WAIT;\n"   \
				   "MEET:\n" meet "@%p5 ld.shared.u32 %r0, [%r9];\nEND:\n")

Test(exec_race, a_lane_waits_for_itself)
{
	uint32_t out[1];
	fixture_expect_fault(WAITS(""), RACING, FAULT_RACE, "which warp 0 writes");
	fixture_expect(WAITS("bar.warp.sync 0xffffffff;\n"), RACING, NULL, 0, out, 4);
	fixture_expect(WAITS("setp.eq.u32 %p5, %t, 32;\n"), RACING, NULL, 0, out, 4);
}

Test(exec_race, an_mbarrier_is_made_before_it_is_used)
{
	fixture_expect_fault(FIXTURE_KERNEL(".shared .align 8 .b64 full;\n"
										"mov.u32 %r8, full; setp.eq.u32 %p1, %t, 0;\n"
										"@%p1 mbarrier.init.shared.b64 [%r8], 64;\n"
										"mbarrier.arrive.shared.b64 _, [%r8];"),
						 RACING, FAULT_RACE, "which warp 0 writes (mbarrier.init");
}
