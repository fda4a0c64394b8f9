/* links: tune compile testcases base */
/* The time that a schedule takes, against what was measured on an H200 and what must be so. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "tune/counted.h"
#include "tune/model.h"

static struct tune_gpu gpu_named(const char *id)
{
	struct tune_gpu gpu;
	struct error err;
	cr_assert(gpu_find(id, &gpu, &err), "%s", err.message);
	return gpu;
}

static struct test_case case_of(const char *problem, int m, int n, int k)
{
	struct shape shape = {.size = {1, m, n, k, 1}};
	const float scalars[SCALARS_MAX] = {1, 0};
	return case_of_shape(problem_find(problem), &shape, scalars, 0);
}

static void set(struct roles *roles, enum tune_role role, int64_t value)
{
	roles->declared |= 1u << role;
	roles->value[role] = value;
}

/* sgemm/11_tile_sizes' large tile. */
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

static void expect_within(double seconds, double measured_us, double factor)
{
	double us = seconds * 1e6;
	cr_assert(us < measured_us * factor && us > measured_us / factor, "%g us, measured %g", us,
			  measured_us);
}

Test(occupancy, has_the_calculators_rules)
{
	const struct tune_gpu h200 = gpu_named("h200"), t4 = gpu_named("t4");
	struct occupancy o = occupancy_of(&h200, 256, 128, 10240);
	cr_expect_eq(o.blocks, 2);
	cr_expect_eq(o.limit, OCCUPANCY_REGISTERS);
	cr_expect_float_eq(o.share, 0.25, 1e-9);
	o = occupancy_of(&h200, 256, 32, 0);
	cr_expect_eq(o.blocks, 8);
	cr_expect_eq(o.limit, OCCUPANCY_THREADS);
	o = occupancy_of(&h200, 32, 16, 0);
	cr_expect_eq(o.blocks, 32);
	cr_expect_eq(o.limit, OCCUPANCY_BLOCKS);
	o = occupancy_of(&h200, 128, 168, 0); /* 3 warps of 5376 registers a scheduler */
	cr_expect_eq(o.blocks, 3);
	o = occupancy_of(&h200, 128, 64, 113 * 1024); /* and 1 KiB of the system's: 2 x 114 KiB */
	cr_expect_eq(o.blocks, 2);
	cr_expect_eq(o.limit, OCCUPANCY_SHARED);
	cr_expect_eq(occupancy_of(&h200, 128, 64, 113 * 1024 + 1).blocks, 1);
	cr_expect_eq(occupancy_of(&h200, 128, 64, 227 * 1024).blocks, 1);
	cr_expect_eq(occupancy_of(&h200, 128, 64, 227 * 1024 + 1).blocks, 0);
	cr_expect_eq(occupancy_of(&t4, 256, 64, 32 * 1024).blocks, 2);
	cr_expect_eq(occupancy_of(&h200, 1056, 32, 0).blocks, 0, "a block has at most 1024 threads");
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

Test(resources, refuse_what_is_no_library)
{
	struct resources resources;
	struct error err;
	char bytes[256] = {0x7f, 'E', 'L', 'F', 2};
	cr_expect_not(resources_parse("", 0, &resources, &err));
	cr_expect_not(resources_parse(bytes, sizeof bytes, &resources, &err));
	memset(bytes + 16, 0xff, sizeof bytes - 16);
	cr_expect_not(resources_parse(bytes, sizeof bytes, &resources, &err));
	cr_expect_not(resources_read("/nonexistent", &resources, &err));
	cr_expect(strstr(err.message, "/nonexistent") != NULL);
}

Test(resources, are_those_of_a_compiled_kernel)
{
	struct resources resources;
	struct error err;
	char path[PATHS_MAX];
	cr_assert(paths_source(path, &err));
	strcat(path, "/harness/tests/fuzz/seeds/resources/kernel.so");
	cr_assert(resources_read(path, &resources, &err), "%s", err.message);
	const struct kernel_resources *k = resources_find(&resources, "k");
	cr_assert(k != NULL && resources.count == 1);
	cr_expect_eq(k->static_shared, 2048, "512 floats: %d", (int)k->static_shared);
	cr_expect(k->registers > 0 && k->registers < 32);
	cr_expect_eq(k->stack_bytes, 0);
	cr_expect_gt(k->code_bytes, 0);
	resources_free(&resources);
}

/* What the emulated GPU counted of sgemm/06_vectorised at 4096^3, in short. */
static struct counted_kernel vectorised(void)
{
	struct counted_kernel k = {0};
	counted_set(&k, "launches", 1);
	counted_set(&k, "emulator__blocks", 1024);
	counted_set(&k, "emulator__block_threads", 262144);
	counted_set(&k, "smsp__inst_executed", 2541780992.0);
	counted_set(&k, "smsp__sass_thread_inst_executed_op_fp32_pred_on", 68740710400.0);
	counted_set(&k, "emulator__inst_executed_barrier", 8388608);
	counted_set(&k, "smsp__inst_executed_op_shared_st", 8388608);
	counted_set(&k, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld", 402653184);
	counted_set(&k, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st", 50331648);
	counted_set(&k, "l1tex__t_requests_pipe_lsu_mem_global_op_ld", 8388608);
	counted_set(&k, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld", 134217728);
	counted_set(&k, "emulator__global_lines", 84934656);
	counted_set(&k, "a counter that is none", 1e30);
	return k;
}

Test(counted, comes_near_what_was_measured)
{
	const struct tune_gpu gpu = gpu_named("h200");
	const struct test_case test = case_of("sgemm", 4096, 4096, 4096);
	const struct kernel_resources resources = {.registers = 124, .static_shared = 10240};
	struct counted_kernel k = vectorised();
	struct demand demand;
	struct demand_time time;
	counted_demand(&k, &resources, &gpu, problem_find("sgemm"), &test, &demand);
	cr_expect_eq(demand.threads, 256);
	cr_expect_float_eq(counted_waits(&k), 512, 1e-9);
	cr_assert(demand_time(&gpu, &demand, &time));
	expect_within(time.seconds, 4160, 1.2);
	cr_expect_eq(time.bound, DEMAND_ISSUE);
	cr_expect_eq(time.occupancy.blocks, 2);
	counted_set(&k, "smsp__inst_executed_op_ldgsts", 1);
	cr_expect_eq(counted_waits(&k), 0, "what is copied ahead is not waited for");
	k.lines *= 32;
	counted_demand(&k, &resources, &gpu, problem_find("sgemm"), &test, &demand);
	cr_assert(demand_time(&gpu, &demand, &time));
	cr_expect_eq(time.bound, DEMAND_LOOKUPS, "not coalesced");
}

Test(demand, kernels_add_up)
{
	const struct tune_gpu gpu = gpu_named("h200");
	const struct demand demand = {
		.launches = 1, .blocks = 264, .threads = 256, .registers = 128, .instructions = 1e9};
	struct demand_time one, two = {0};
	cr_assert(demand_time(&gpu, &demand, &one));
	cr_expect_float_eq(one.idle, 0, 1e-12);
	demand_add(&two, &one);
	demand_add(&two, &one);
	cr_expect_float_eq(two.seconds, 2 * one.seconds, 1e-15);
	cr_expect_float_eq(two.part[DEMAND_ISSUE], 2 * one.part[DEMAND_ISSUE], 1e-15);
	struct demand half = demand;
	half.blocks = 133; /* one multiprocessor has two */
	cr_assert(demand_time(&gpu, &half, &two));
	cr_expect_gt(two.idle, 0.49);
}
