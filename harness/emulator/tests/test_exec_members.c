/* links: emulator_core */
/* Lanes that meet by member masks of their own. What vote, match, redux, shfl and elect give is in
 * model_members.c. */
#include "exec_fixture.h"

#define STORE "mul.wide.u32 %d1, %t, 4; add.s64 %d1, %out, %d1; st.global.u32 [%d1], %r0;\n"

/* Lanes 0 to 7 meet by a mask of their own, while lane 9, of another mask, is not there yet: lane 8
 * must not pass with them. */
Test(exec_members, syncwarp_waits_for_the_members_of_each_lane)
{
	uint32_t out[32];
	fixture_expect(
		FIXTURE_KERNEL(".shared .b32 s; setp.eq.u32 %p1, %t, 9; setp.eq.u32 %p2, %t, 8;\n"
					   "setp.lt.u32 %p3, %t, 8; selp.u32 %r1, 0xff, 0xffffff00, %p3;\n"
					   "@%p2 st.shared.u32 [s], 1; bar.warp.sync -1; @%p1 bra $late;\n"
					   "$meet: bar.warp.sync %r1; ld.shared.u32 %r0, [s];\n" STORE "ret;\n"
					   "$late: st.shared.u32 [s], 2; bra $meet;\n"),
		(struct fixture_launch){0}, NULL, 0, out, sizeof out);
	cr_assert_eq(out[8], 2);
}

/* Shared memory that nothing wrote is read by lane 16, whose tile is not stored: the other tiles
 * vote without it. */
Test(exec_members, undefined_values_stay_in_their_tile)
{
	uint32_t out[32];
	static const char ptx[] = FIXTURE_KERNEL(
		".shared .b8 s[128]; mov.u32 %r9, s; shl.b32 %r8, %t, 2; add.u32 %r8, %r8, %r9;\n"
		"setp.ne.u32 %p1, %t, 16; @%p1 st.shared.u32 [%r8], %t; ld.shared.u32 %r5, [%r8];\n"
		"and.b32 %r1, %t, 24; shl.b32 %r1, 0xff, %r1; redux.sync.add.u32 %r0, %r5, %r1;\n"
		"and.b32 %r2, %t, 24; setp.eq.u32 %p2, %r2, 16; @%p2 bra $end;\n" STORE "$end:\n");
	fixture_expect(ptx, (struct fixture_launch){0}, NULL, 0, out, sizeof out);
	cr_assert_eq(out[3], 28);
	cr_assert_eq(out[31], 220);
	fixture_expect_fault(
		FIXTURE_KERNEL(
			".shared .b8 s[128]; mov.u32 %r9, s; shl.b32 %r8, %t, 2; add.u32 %r8, %r8, %r9;\n"
			"setp.ne.u32 %p1, %t, 16; @%p1 st.shared.u32 [%r8], %t; ld.shared.u32 %r5, [%r8];\n"
			"and.b32 %r1, %t, 24; shl.b32 %r1, 0xff, %r1; redux.sync.add.u32 %r0, %r5, "
			"%r1;\n" STORE),
		(struct fixture_launch){0}, FAULT_UNINITIALISED, "nothing wrote");
}
