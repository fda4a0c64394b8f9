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

Test(exec_race, an_mbarrier_is_made_before_it_is_used)
{
	fixture_expect_fault(FIXTURE_KERNEL(".shared .align 8 .b64 full;\n"
										"mov.u32 %r8, full; setp.eq.u32 %p1, %t, 0;\n"
										"@%p1 mbarrier.init.shared.b64 [%r8], 64;\n"
										"mbarrier.arrive.shared.b64 _, [%r8];"),
						 RACING, FAULT_RACE, "which warp 0 writes (mbarrier.init");
}

/* 64 x 8 x 16: B is stored by all before a barrier; each of the 64 rows of A, 32 bytes in two
 * 16-byte pieces, by the thread of the number that %r11 is, and nothing but its warp meets then. */
#define OWN_ROWS(number)                                                                           \
	FIXTURE_KERNEL(".shared .align 128 .b8 a[2048]; .shared .align 128 .b8 b[256];\n"              \
				   "mov.u32 %r8, a; mov.u32 %r9, b; shl.b32 %r10, %t, 1; add.u32 %r10, %r9, "      \
				   "%r10; mov.b16 %h0, 0; mov.b32 %r0, 0;\n"                                       \
				   "st.shared.b16 [%r10], %h0; bar.sync 0;\n" number                               \
				   "shl.b32 %r12, %r11, 4; add.u32 %r12, %r8, %r12;\n"                             \
				   "st.shared.v4.b32 [%r12], {%r0, %r0, %r0, %r0};\n"                              \
				   "fence.proxy.async; bar.warp.sync -1;\n"                                        \
				   "shr.u32 %r13, %r8, 4; shr.u32 %r14, %r9, 4; cvt.u64.u32 %d5, %r13;\n"          \
				   "cvt.u64.u32 %d6, %r14;\n"                                                      \
				   "mov.b64 %d7, 0x1000080000; or.b64 %d5, %d5, %d7; or.b64 %d6, %d6, %d7;\n"      \
				   "setp.ne.b32 %p1, 0, 0; wgmma.fence.sync.aligned;\n"                            \
				   "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %d5, " \
				   "%d6, %p1, 1, 1, 0, 0;\n"                                                       \
				   "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n")

Test(exec_race, a_warp_reads_its_own_rows_of_a_wgmma)
{
	struct fixture_launch group = {.threads = 128, .check_race = true};
	uint32_t out[1];
	/* without swizzling 8 rows of 16 bytes follow each other: a warp's 16 rows are 32 pieces */
	fixture_expect(OWN_ROWS("mov.u32 %r11, %t;\n"), group, NULL, 0, out, 4);
	fixture_expect_fault(OWN_ROWS("xor.b32 %r11, %t, 32;\n"), group, FAULT_RACE,
						 "without a barrier between");
}
