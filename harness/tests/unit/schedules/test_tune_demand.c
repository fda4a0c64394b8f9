/* links: schedules compile testcases base */
/* The time that counted work takes: occupancy, demands of counters, and how they add up. */
#include <criterion/criterion.h>

#include "model_fixture.h"
#include "schedules/counted.h"

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

/* Tensor cores are as fast as their operands are narrow, whatever the problem's are. */
Test(counted, tensor_operations_by_their_operands)
{
	const struct tune_gpu gpu = gpu_named("h200");
	const struct test_case test = case_of("sgemm", 4096, 4096, 4096);
	struct counted_kernel k = {0};
	struct demand demand;
	counted_set(&k, "emulator__flops_tensor", 700);
	counted_set(&k, "emulator__flops_tensor_8", 400);
	counted_set(&k, "emulator__flops_tensor_tf32", 200);
	counted_demand(&k, NULL, &gpu, problem_find("sgemm"), &test, &demand);
	cr_expect_float_eq(demand.multiply_adds[UNIT_TENSOR_8], 200, 1e-9);
	cr_expect_float_eq(demand.multiply_adds[UNIT_TENSOR_TF32], 100, 1e-9);
	cr_expect_float_eq(demand.multiply_adds[UNIT_TENSOR_16], 50, 1e-9);
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
