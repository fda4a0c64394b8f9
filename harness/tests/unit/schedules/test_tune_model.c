/* links: schedules compile testcases base */
/* The time that a schedule takes, against what was measured on an H200 and what must be so. */
#include <criterion/criterion.h>
#include <math.h>

#include "model_fixture.h"
#include "schedules/model.h"

static void set(struct roles *roles, enum tune_role role, int64_t value)
{
	roles->declared |= 1u << role;
	roles->value[role] = value;
}

/* sgemm/tile_sizes' large tile. */
static struct roles f32_roles(void)
{
	struct roles roles = {0};
	set(&roles, TUNE_BLOCK_M, 128);
	set(&roles, TUNE_BLOCK_N, 128);
	set(&roles, TUNE_BLOCK_K, 8);
	set(&roles, TUNE_WARP_M, 32);
	set(&roles, TUNE_WARP_N, 64);
	set(&roles, TUNE_THREAD_M, 8);
	set(&roles, TUNE_THREAD_N, 8);
	set(&roles, TUNE_STAGES, 2);
	set(&roles, TUNE_SWIZZLE, 4);
	set(&roles, TUNE_REGISTERS, 128);
	return roles;
}

/* gemm_bf16/09_swizzled_three_level. */
static struct roles bf16_roles(void)
{
	struct roles roles = {0};
	set(&roles, TUNE_BLOCK_M, 128);
	set(&roles, TUNE_BLOCK_N, 256);
	set(&roles, TUNE_BLOCK_K, 64);
	set(&roles, TUNE_WARP_M, 64);
	set(&roles, TUNE_WARP_N, 64);
	set(&roles, TUNE_STAGES, 4);
	set(&roles, TUNE_SWIZZLE, 8);
	set(&roles, TUNE_REGISTERS, 254);
	set(&roles, TUNE_UNIT, UNIT_TENSOR_16);
	return roles;
}

static double time_of(const char *gpu_id, const char *problem, int m, int n, int k,
					  const struct roles *roles, struct model_parts *parts)
{
	const struct tune_gpu gpu = gpu_named(gpu_id);
	const struct test_case test = case_of(problem, m, n, k);
	return model_time(&gpu, problem_find(problem), &test, roles, NULL, parts);
}

Test(model, comes_near_what_was_measured)
{
	struct model_parts parts;
	const struct roles f32 = f32_roles(), bf16 = bf16_roles();
	expect_within(time_of("h200", "sgemm", 4096, 4096, 4096, &f32, &parts), 2983, 1.25);
	cr_expect_eq(parts.time.bound, DEMAND_ISSUE);
	cr_expect_float_eq(parts.time.waves, 1024 / 264.0, 1e-9);
	expect_within(time_of("h200", "sgemm", 8192, 8192, 8192, &f32, &parts), 23590, 1.25);
	expect_within(time_of("h200", "gemm-bf16", 4096, 4096, 4096, &bf16, &parts), 286, 1.4);
	expect_within(time_of("h200", "gemm-bf16", 8192, 8192, 8192, &bf16, &parts), 2168, 1.4);
	expect_within(time_of("h200", "gemm-bf16", 1024, 1024, 1024, &bf16, &parts), 21.9, 1.5);
}

Test(model, splits_pay_where_k_is_long_and_not_else)
{
	struct model_parts parts;
	struct roles whole = f32_roles(), split = f32_roles();
	set(&split, TUNE_SPLIT_K, 32);
	cr_expect_lt(time_of("h200", "sgemm", 256, 256, 65536, &split, &parts),
				 time_of("h200", "sgemm", 256, 256, 65536, &whole, &parts));
	cr_expect_gt(parts.reduction, -1e-12);
	cr_expect_gt(time_of("h200", "sgemm", 4096, 4096, 1024, &split, &parts),
				 time_of("h200", "sgemm", 4096, 4096, 1024, &whole, &parts));
	time_of("h200", "sgemm", 256, 256, 65536, &split, &parts);
	cr_expect_gt(parts.reduction, 0, "sums of splits are added up by a second kernel");
	set(&split, TUNE_SPLIT_ATOMIC, 1);
	time_of("h200", "sgemm", 256, 256, 65536, &split, &parts);
	cr_expect_eq(parts.reduction, 0, "atomics need none");
}

Test(model, swizzle_saves_memory_traffic_where_l2_is_small)
{
	struct model_parts rows, swizzled;
	struct roles roles = f32_roles();
	set(&roles, TUNE_SWIZZLE, 1);
	time_of("t4", "sgemm", 8192, 8192, 8192, &roles, &rows);
	set(&roles, TUNE_SWIZZLE, 8);
	time_of("t4", "sgemm", 8192, 8192, 8192, &roles, &swizzled);
	cr_expect_lt(swizzled.dram_bytes, rows.dram_bytes / 2);
	time_of("h200", "sgemm", 1024, 1024, 1024, &roles, &rows);
	cr_expect_float_eq(rows.dram_bytes, 3 * 4 * 1024.0 * 1024, 1, "all stays in L2");
}

Test(model, knows_what_does_not_fit)
{
	struct model_parts parts;
	struct roles roles = f32_roles();
	set(&roles, TUNE_SHARED_BYTES, 100 * 1024);
	cr_expect(isinf(time_of("t4", "sgemm", 256, 256, 256, &roles, &parts)));
	cr_expect_eq(parts.time.occupancy.limit, OCCUPANCY_SHARED);
	struct roles nothing = {0};
	cr_expect_not(model_applies(&nothing));
	cr_expect(model_applies(&roles));
}

Test(model, takes_the_compiled_kernels_registers)
{
	struct model_parts guessed, known;
	struct roles roles = f32_roles();
	roles.declared &= ~(1u << TUNE_REGISTERS);
	const struct kernel_resources compiled = {.registers = 255, .static_shared = 16384};
	const struct tune_gpu gpu = gpu_named("h200");
	const struct test_case test = case_of("sgemm", 4096, 4096, 4096);
	double a = model_time(&gpu, problem_find("sgemm"), &test, &roles, NULL, &guessed);
	double b = model_time(&gpu, problem_find("sgemm"), &test, &roles, &compiled, &known);
	cr_expect_eq(known.time.occupancy.blocks, 1);
	cr_expect_gt(guessed.uncertainty, known.uncertainty);
	cr_expect(a > 0 && b > 0);
}

Test(model, a_matrix_and_a_vector_are_bound_by_memory)
{
	struct model_parts parts;
	struct roles roles = {0};
	set(&roles, TUNE_BLOCKS, 512);
	set(&roles, TUNE_THREADS, 256);
	expect_within(time_of("h200", "gemv-f32", 16384, 1, 16384, &roles, &parts), 245, 1.3);
	cr_expect_eq(parts.time.bound, DEMAND_DRAM);
}
