/* links: emulator_core */
/* Special registers, lop3 with a predicate, st.async and red.async. */
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

Test(exec_special, what_is_missing_is_named)
{
	fixture_expect_fault(READ("%pm3"), (struct fixture_launch){.threads = 32}, FAULT_UNSUPPORTED,
						 "%pm3");
}
