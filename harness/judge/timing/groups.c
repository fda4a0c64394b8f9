#include "judge/timing/groups.h"

#include <math.h>

#include "process/buffers.h"

#define MEMORY_SHARE 0.125 /* of the device's, for the sets of a pass */
#define MEMORY_LITTLE                                                                              \
	5e9                  /* bytes, which are soon drawn; enough where groups have some calls then */
#define MEMORY_MOST 16e9 /* bytes, which the driver clears afterwards */
#define CALLS_SOME 4u
#define GROUPS 3u        /* of a pass */
#define GROUPS_OF_ONE 6u /* where each is a single call */
#define SETS_SMALL 8u
#define ALONE_MICROSECONDS 2000.0 /* so long a call stands alone in its group */
#define LARGER_MICROSECONDS 60.0
#define LARGER_STEPS 6
#define LARGER_SIZE 65536 /* grids have no more rows of blocks */

static double bytes_of(const struct run *run, const struct problem *problem,
					   const struct test_case *test)
{
	struct buffers buffers;
	struct arena arena = {.sets = 1};
	buffers_of_case(problem, test, run_chain(run), &buffers);
	buffers_lay_out(&buffers, &arena);
	return (double)arena.set_stride;
}

/* How many sets a pass may have. */
static double room_of(const struct run *run, const struct problem *problem,
					  const struct test_case *test, double most)
{
	double bytes = fmin(MEMORY_SHARE * (double)run->referee.facts.memory_bytes, most);
	return bytes / bytes_of(run, problem, test) - 1.0;
}

/* A multiple of a power of two, as sets are rounded up so that a group of them can begin where the
 * device lets allocations begin (device/sealed_sets.cuh). */
static uint32_t group_of(double least)
{
	uint32_t step = 1;
	while ((step < 16 ? step : 8 * step) < least && step < GROUP_MAX)
		step *= 2;
	return (uint32_t)ceil(fmin(least, 2 * GROUP_MAX) / step) * step;
}

/* Sets of a group, for a call that takes `ratio` times what the GPU needs for a set at least.
 *
 * Somebody may compute all of them as a whole, or some and hope that those are called; what counts
 * is what a quarter of the groups do not exceed. To compute several takes at least one call's time,
 * so that two of them have to be called. The group is so large that to compute as many sets as have
 * h called ones among them in a quarter of the groups takes over 1.1 times as long as those h calls
 * are planned for, for any h: so the groups either suit the time that is seen, or it tells that
 * they do not (host_time_other_groups()). test_sealed.c counts this out. */
static double sets_of(uint32_t calls, double ratio)
{
	double each = 2.3 * ratio - (calls == 2 ? 1 : 0);
	return calls * ceil(fmax(2.0, each)); /* and not all of them are called */
}

/* Groups of at least `least` calls, within so many sets. */
static bool plan_within(double room, uint32_t least, uint32_t fewest, double ratio,
						struct sealed_plan *plan)
{
	for (plan->calls = SEALED_CALLS_MAX; plan->calls >= least; plan->calls /= 2)
		for (plan->groups = GROUPS; plan->groups >= fewest; plan->groups--) {
			plan->group = group_of(sets_of(plan->calls, ratio));
			if (plan->group <= GROUP_MAX && plan->groups * plan->group <= room)
				return true;
		}
	return false;
}

void groups_plan(const struct run *run, double microseconds, double floor, struct sealed_plan *plan)
{
	double little = room_of(run, plan->problem, plan->test, MEMORY_LITTLE);
	double room = room_of(run, plan->problem, plan->test, MEMORY_MOST);
	double ratio = floor > 0 ? microseconds / floor : INFINITY;
	if (microseconds <= ALONE_MICROSECONDS && isfinite(ratio) &&
		(plan_within(little, CALLS_SOME, GROUPS, ratio, plan) ||
		 plan_within(room, 2, 2, ratio, plan)))
		return;
	plan->calls = 1;
	plan->group = 1;
	plan->groups = GROUPS_OF_ONE;
	while (plan->groups > 2 && plan->groups > room)
		plan->groups--;
}

void groups_plan_small(const struct run *run, struct sealed_plan *plan)
{
	double room = room_of(run, plan->problem, plan->test, MEMORY_MOST);
	plan->group = plan->calls = GROUPS * SETS_SMALL < room ? SETS_SMALL : 1;
	plan->groups = plan->group == 1 && room < GROUPS ? 2 : GROUPS;
}

/* But for batches and groups. False where there is none, or one becomes too large. */
static bool double_sizes(const struct problem *problem, struct shape *shape)
{
	bool grew = false;
	struct error unused;
	if (problem->file != NULL)
		return shape_double(problem, shape, LARGER_SIZE);
	for (size_t i = 0; i < problem_sizes(problem); i++)
		for (int size = 0; size < SIZE_COUNT; size++) {
			if ((problem->sizes[i].is & 1u << size) == 0 || size == SIZE_BATCH ||
				size == SIZE_GROUP)
				continue;
			shape->size[size] *= 2;
			if (shape->size[size] > LARGER_SIZE)
				return false;
			grew = true;
		}
	return grew && shape_is_countable(problem, shape, &unused);
}

bool groups_larger(const struct run *run, const struct problem *problem,
				   const struct test_case *test, double microseconds, struct test_case *out)
{
	double terms = shape_terms(&test->shape);
	double room = MEMORY_SHARE * (double)run->referee.facts.memory_bytes;
	*out = *test;
	for (int step = 0; step < LARGER_STEPS; step++) {
		if (!double_sizes(problem, &out->shape) ||
			bytes_of(run, problem, out) * (2 * GROUPS_OF_ONE) > room)
			return false;
		if (microseconds * shape_terms(&out->shape) / terms >= LARGER_MICROSECONDS)
			return true;
	}
	return false;
}
