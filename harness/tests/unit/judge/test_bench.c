/* links: judge compile process testcases base; timeout: 300 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "judge/bench.h"
#include "judge/run/device.h"

/* The baselines of a GPU, on the emulated one: there cuBLAS does not run, but all is compiled. */
Test(bench, baselines_are_compiled_and_take_part)
{
	static const float scalars[] = {1, 0};
	const struct shape shape = {{1, 32, 32, 32, 1}};
	const struct problem *problem = problem_find("gemm-f16");
	const struct test_case test = case_of_shape(problem, &shape, scalars, 1);
	struct judge_options options = {.mode = JUDGE_TIMES, .cases.seed = 1};
	struct run run = {.options = &options, .lock = -1, .timeout = 20, .time_budget = 1};
	struct timing_result result;
	struct error err;
	run.referee.arena_fd = -1;
	run.memory_limit = (size_t)8 << 30;
	cr_assert(device_list_parse("emu", &options.device, &err));
	cr_assert(device_open(&options.device, &run.referee, &err), "%s", err.message);

	struct bench *bench = bench_open(&run, problem, NULL, 0, &err);
	cr_assert_not_null(bench, "%s", err.message);
	cr_assert(bench_time(bench, &test, &result, &err), "%s", err.message);
	cr_assert(result.count == 2);
	cr_expect_str_eq(result.entries[0].label, "cuBLAS");
	cr_expect_str_eq(result.entries[1].label, "cuBLASLt");
	for (size_t i = 0; i < result.count; i++) {
		const struct timing_entry *entry = &result.entries[i];
		cr_expect(entry->role == TIMING_LIBRARY);
		cr_expect(entry->verdict != VERDICT_COMPILE_ERROR, "%s: %s", entry->label, entry->detail);
	}
	free(result.entries);
	bench_close(bench);
	referee_link_close(&run.referee);
}
