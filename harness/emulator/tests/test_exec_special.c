/* links: emulator_core */
/* Special registers, lop3 with a predicate, st.async and red.async, alloca. */
#include "exec_fixture.h"

#define STORE "mul.wide.u32 %d31, %t, 4; add.s64 %out, %out, %d31; st.global.u32 [%out], %r0;\n"

static uint32_t one(const char *ptx, struct fixture_launch how)
{
	uint32_t out[32];
	fixture_expect(ptx, how, NULL, 0, out, sizeof out);
	return out[0];
}

#define READ(name) FIXTURE_KERNEL("mov.u32 %r0, " name ";\n" STORE)

Test(exec_special, registers_of_the_gpu_and_of_the_launch)
{
	const struct fixture_launch how = {.dynamic_shared = 100};
	cr_expect_eq(one(READ("%nsmid"), how), 132);
	cr_expect_eq(one(READ("%nwarpid"), how), 64);
	cr_expect_eq(one(READ("%smid"), how), 0);
	cr_expect_eq(one(READ("%tid.w"), how), 0);
	cr_expect_eq(one(READ("%gridid"), how), 0);
	cr_expect_eq(one(READ("%dynamic_smem_size"), how), 100);
	cr_expect_eq(one(READ("%total_smem_size"), how), 128);
	cr_expect_eq(one(READ("%aggr_smem_size"), how), 128 + 1024);
	cr_expect_eq(one(FIXTURE_KERNEL("mov.u64 %d1, %gridid; cvt.u32.u64 %r0, %d1;\n" STORE), how),
				 0);
}

/* A variable that is declared in a function has its value, and is a part of the module. */
Test(exec_special, variables_of_functions)
{
	cr_expect_eq(one(FIXTURE_KERNEL(".const .u32 c = 5; .global .u32 g[2] = {1+2, 40};\n"
									"ld.const.u32 %r1, [c]; ld.global.u32 %r2, [g+4];\n"
									"add.u32 %r0, %r1, %r2;\n" STORE),
					 (struct fixture_launch){.threads = 32}),
				 45);
}

Test(exec_special, what_is_missing_is_named)
{
	fixture_expect_fault(READ("%pm3"), (struct fixture_launch){.threads = 32}, FAULT_UNSUPPORTED,
						 "%pm3");
}

Test(exec_special, lop3_combines_a_predicate)
{
	/* lanes 0 to 7 have a bit in common with 8, which 12 & t has from 8 on; q: lanes below 4 */
	static const char *const bodies[] = {"lop3.or.b32 %r1|%p1, %t, 8, 8, 0xc0, %p2;",
										 "lop3.and.b32 _|%p1, %t, 8, 8, 0xc0, !%p2;"};
	for (int k = 0; k < 2; k++) {
		char body[512], ptx[4096];
		uint32_t out[32];
		snprintf(body, sizeof body,
				 "setp.lt.u32 %%p2, %%t, 4; %s selp.u32 %%r0, 1, 0, %%p1;\n"
				 "mul.wide.u32 %%d31, %%t, 4; add.s64 %%out, %%out, %%d31; "
				 "st.global.u32 [%%out], %%r0;\n",
				 bodies[k]);
		fixture_kernel(ptx, sizeof ptx, body);
		fixture_expect(ptx, (struct fixture_launch){.threads = 32}, NULL, 0, out, sizeof out);
		for (uint32_t t = 0; t < 32; t++)
			cr_expect_eq(out[t], k == 0 ? (t & 8) != 0 || t < 4 : (t & 8) != 0 && t >= 4, "%u", t);
	}
}

/* Lane 1 stores, lane 2 adds, and all wait for the bytes of both. */
Test(exec_special, asynchronous_stores_complete_on_their_mbarrier)
{
	cr_expect_eq(
		one(FIXTURE_KERNEL(
				".shared .align 8 .b64 bar; .shared .align 8 .b64 data;\n"
				"setp.eq.u32 %p1, %t, 0; setp.eq.u32 %p2, %t, 1; setp.eq.u32 %p3, %t, 2;\n"
				"mov.u32 %r1, bar; mov.u32 %r2, data;\n"
				"@%p1 mbarrier.init.shared.b64 [%r1], 1; bar.sync 0;\n"
				"@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r1], 12; bar.sync 0;\n"
				"@%p2 st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%r2], "
				"{40, 0}, [%r1];\n"
				"bar.warp.sync -1;\n"
				"@%p3 red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add."
				"u32 [%r2], 2, [%r1];\n"
				"$w: mbarrier.try_wait.parity.shared.b64 %p4, [%r1], 0; @!%p4 bra $w;\n"
				"ld.shared.u32 %r0, [%r2];\n" STORE),
			(struct fixture_launch){.threads = 32}),
		42);
}

/* Two blocks of the stack, of which the second is given back and taken again. */
#define ALLOCATE(bytes)                                                                            \
	FIXTURE_KERNEL("cvt.u64.u32 %d1, %t; alloca.u64 %d2, 8; stacksave.u64 %d3;\n"                  \
				   "alloca.u64 %d4, " bytes                                                        \
				   ", 16; st.local.u32 [%d2], %t; st.local.u32 [%d4], 7;\n"                        \
				   "stackrestore.u64 %d3; alloca.u64 %d5, " bytes ", 16;\n"                        \
				   "st.local.u32 [%d5], 9; cvta.local.u64 %d6, %d4; ld.u32 %r1, [%d6];\n"          \
				   "ld.local.u32 %r2, [%d2]; mad.lo.u32 %r0, %r2, 100, %r1;\n" STORE)

Test(exec_special, a_thread_has_a_stack)
{
	uint32_t out[32];
	fixture_expect(ALLOCATE("48"), (struct fixture_launch){.threads = 32}, NULL, 0, out,
				   sizeof out);
	for (uint32_t t = 0; t < 32; t++)
		cr_expect_eq(out[t], t * 100 + 9);
	fixture_expect_fault(ALLOCATE("1024"), (struct fixture_launch){.threads = 32}, FAULT_ADDRESS,
						 "1024 bytes of stack");
}
