#include "judge/run/floor.h"

#include <stdio.h>

#include "chain/cost.h"
#include "gpu/models.h"
#include "judgement/floor.h"
#include "process/buffers.h"

#define TABLE "epilogues/costs.txt"

/* A clock and multiprocessor, since compute capability 7.0: four schedulers of 32 threads each, and
 * CUDA C++ Programming Guide, "Arithmetic Instructions", for exp2 and reciprocals. */
#define ISSUED 128.0
#define SPECIAL 16.0

/* The emulated GPU has no clock of its own. */
static struct device_properties facts_of(const struct run *run)
{
	struct device_properties facts = run->referee.facts;
	if (run->referee.device.kind != DEVICE_EMULATED)
		return facts;
	const struct gpu_model *model = gpu_model_find(GPU_DEFAULT);
	facts.multiprocessors = model->multiprocessors;
	facts.sm_clock_khz = model->clock_mhz * 1000;
	facts.memory_bytes_per_second = model->dram;
	snprintf(facts.architecture, sizeof facts.architecture, "%s",
			 gpu_capability_of(model->compute)->architecture);
	return facts;
}

static double bytes_of_chain(const struct problem *problem, const struct test_case *test,
							 const struct chain *chain)
{
	struct buffers with, without;
	buffers_of_case(problem, test, chain, &with);
	buffers_of_case(problem, test, NULL, &without);
	return (double)buffers_bytes(&with) - (double)buffers_bytes(&without);
}

struct timing_floor run_floor(const struct run *run, const struct timing_result *timing)
{
	struct timing_floor floor = {.known = false};
	struct device_properties facts = facts_of(run);
	const struct chain *chain = run_chain(run);
	const struct problem *problem = problem_find(timing->problem);
	const struct shape *shape = &timing->test.shape;
	char source[PATHS_MAX], table[PATHS_MAX];
	struct chain_cost cost;
	struct error ignored;
	if (chain == NULL || problem == NULL || facts.sm_clock_khz <= 0 ||
		!(facts.memory_bytes_per_second > 0) || !paths_source(source, &ignored) ||
		!paths_join(table, source, TABLE, &ignored) ||
		!chain_cost_read(chain, table, type_of(problem_part(problem, PART_RESULT)->type)->name,
						 &cost, &ignored))
		return floor;
	double values = (double)shape_rows(shape) * shape->size[SIZE_N];
	double clocks = values / ((double)facts.multiprocessors * facts.sm_clock_khz * 1e-3); /* us */
	floor = (struct timing_floor){.known = true,
								  .special = clocks * cost.special / SPECIAL,
								  .instructions = clocks * cost.instructions / ISSUED,
								  .bytes = bytes_of_chain(problem, &timing->test, chain) /
										   facts.memory_bytes_per_second * 1e6,
								  .product = floor_of(&facts, timing),
								  .branches = cost.branches};
	snprintf(floor.uncounted, sizeof floor.uncounted, "%s", cost.uncounted);
	return floor;
}
