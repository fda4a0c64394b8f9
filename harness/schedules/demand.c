#include "schedules/demand.h"

#include <math.h>
#include <string.h>

/* Few constants for all kernels. Those marked (ladders) were chosen so that the steps of
 * solutions/ladders.txt come out right on an H200 (solutions/RESULTS.md; solutions/EXPLAIN.md says
 * how well), the others were measured or are written down somewhere. */
#define WARP 32
#define SCHEDULERS 4
#define NORM 2.5 /* (ladders) of parts that work side by side: 1 would be one after the other */
/* mma.sync on Hopper reaches 62% of wgmma's rate (solutions/gemm_bf16/NOTES.md), and all of the
 * tensor cores' before. */
#define MMA_SYNC_SHARE 0.62
#define DRAM_SHARE 0.89      /* of the data sheet's bandwidth: a copy reaches 4.27 of 4.8 TB/s */
#define TRIP_SECONDS 0.25e-6 /* (ladders) to L1 or L2 and back, under load: some 500 clocks */
#define WAIT_SECONDS 1.1e-6  /* (ladders) with the barriers around it, and all starting again */
#define NEARLY 0.95
#define LAUNCH_SECONDS 1.0e-6 /* (ladders) from the end of one kernel to the next one's work */

const char *demand_part_name(enum demand_part part)
{
	static const char *const names[DEMAND_PARTS] = {
		[DEMAND_LAUNCH] = "launches",
		[DEMAND_ISSUE] = "issue slots",
		[DEMAND_FULL] = "f32 arithmetic",
		[DEMAND_HALF] = "integer arithmetic and minima",
		[DEMAND_TENSOR] = "tensor cores",
		[DEMAND_SHARED] = "shared memory",
		[DEMAND_LOOKUPS] = "load instructions (lines looked up in L1)",
		[DEMAND_L2] = "L2 bandwidth",
		[DEMAND_DRAM] = "memory bandwidth",
		[DEMAND_LATENCY] = "latency",
	};
	return names[part];
}

const char *demand_part_word(enum demand_part part)
{
	static const char *const words[DEMAND_PARTS] = {
		[DEMAND_LAUNCH] = "launch",      [DEMAND_ISSUE] = "issue",
		[DEMAND_FULL] = "f32",           [DEMAND_HALF] = "integer",
		[DEMAND_TENSOR] = "tensor",      [DEMAND_SHARED] = "shared_memory",
		[DEMAND_LOOKUPS] = "l1_lookups", [DEMAND_L2] = "l2",
		[DEMAND_DRAM] = "dram",          [DEMAND_LATENCY] = "latency",
	};
	return words[part];
}

/* Seconds of tensor cores, in clocks of a multiprocessor; INFINITY where it has none for it. */
static double tensor_clocks(const struct tune_gpu *gpu, const struct demand *demand)
{
	const double share = demand->warp_products && gpu->compute >= 90 ? MMA_SYNC_SHARE : 1;
	double clocks = 0;
	for (int unit = UNIT_TENSOR_16; unit < UNIT_COUNT; unit++)
		if (demand->multiply_adds[unit] > 0)
			clocks += gpu->multiply_adds[unit] > 0
						  ? demand->multiply_adds[unit] / (gpu->multiply_adds[unit] * share)
						  : INFINITY;
	return clocks;
}

/* What the parts of the multiprocessors take, all blocks spread evenly. */
static void count_clocks(const struct tune_gpu *gpu, const struct demand *demand, double *part)
{
	part[DEMAND_ISSUE] = demand->instructions / SCHEDULERS;
	part[DEMAND_FULL] = demand->full_lanes / gpu->fma_lanes;
	part[DEMAND_HALF] = demand->half_lanes / (gpu->fma_lanes / 2.0);
	part[DEMAND_TENSOR] = tensor_clocks(gpu, demand);
	part[DEMAND_SHARED] = demand->shared_passes * (128.0 / gpu->shared_bytes_per_clock);
	part[DEMAND_LOOKUPS] = demand->lookups;
}

static double norm(const double *values, size_t count)
{
	double sum = 0, most = 0;
	for (size_t i = 0; i < count; i++)
		most = fmax(most, values[i]);
	if (!(most > 0) || isinf(most))
		return most;
	for (size_t i = 0; i < count; i++)
		sum += pow(values[i] / most, NORM);
	return most * pow(sum, 1 / NORM);
}

/* The parts together. Instructions and the lanes that they keep busy are the same work, and shared
 * memory and L1 are the same memory. */
static double combine(const double *part, double trips, double waits)
{
	const double side_by_side[] = {
		fmax(part[DEMAND_ISSUE], fmax(part[DEMAND_FULL], part[DEMAND_HALF])),
		part[DEMAND_TENSOR],
		part[DEMAND_SHARED] + part[DEMAND_LOOKUPS],
		part[DEMAND_L2],
		part[DEMAND_DRAM],
		trips,
	};
	return part[DEMAND_LAUNCH] + waits +
		   norm(side_by_side, sizeof side_by_side / sizeof *side_by_side);
}

static enum demand_part longest(const double *part)
{
	enum demand_part bound = DEMAND_LAUNCH;
	for (int i = 0; i < DEMAND_PARTS; i++)
		if (part[i] > part[bound])
			bound = (enum demand_part)i;
	if (bound != DEMAND_ISSUE)
		return bound;
	const enum demand_part lanes =
		part[DEMAND_HALF] > part[DEMAND_FULL] ? DEMAND_HALF : DEMAND_FULL;
	return part[lanes] > NEARLY * part[DEMAND_ISSUE] ? lanes : DEMAND_ISSUE;
}

bool demand_time(const struct tune_gpu *gpu, const struct demand *demand, struct demand_time *out)
{
	const double multiprocessors = gpu->multiprocessors, clock = gpu->clock_mhz * 1e6;
	*out = (struct demand_time){.seconds = INFINITY};
	out->occupancy = occupancy_of(gpu, demand->threads, demand->registers, demand->shared_bytes);
	if (out->occupancy.blocks == 0)
		return false;
	const double each = demand->blocks / multiprocessors, most = ceil(each);
	const double rounds = ceil(each / out->occupancy.blocks);
	const double resident = fmin(out->occupancy.blocks, most);
	out->waves = each / out->occupancy.blocks;
	out->idle = 1 - each / most;
	count_clocks(gpu, demand, out->part);
	for (int i = DEMAND_ISSUE; i <= DEMAND_LOOKUPS; i++)
		out->part[i] *= most / each / (multiprocessors * clock);
	out->part[DEMAND_LAUNCH] = demand->launches * LAUNCH_SECONDS;
	out->part[DEMAND_L2] = demand->l2_bytes / gpu->l2_bytes_per_second;
	out->part[DEMAND_DRAM] = demand->dram_bytes / (gpu->dram_bytes_per_second * DRAM_SHARE);
	const double trips =
		demand->launches * rounds * (demand->trips * TRIP_SECONDS + demand->single_block);
	const double waits =
		demand->launches * (rounds * demand->waits * WAIT_SECONDS / resident + demand->serial);
	out->part[DEMAND_LATENCY] = trips + waits;
	out->trips = trips;
	out->waits = waits;
	out->seconds = combine(out->part, trips, waits);
	out->bound = longest(out->part);
	return true;
}

double demand_without(const struct demand_time *time, enum demand_part part, double least)
{
	double parts[DEMAND_PARTS];
	memcpy(parts, time->part, sizeof parts);
	const bool instructions = part == DEMAND_ISSUE || part == DEMAND_FULL || part == DEMAND_HALF;
	for (int i = 0; i < DEMAND_PARTS; i++)
		if (i == (int)part ||
			(instructions && (i == DEMAND_ISSUE || i == DEMAND_FULL || i == DEMAND_HALF)))
			parts[i] = fmin(parts[i], least);
	const bool latency = part == DEMAND_LATENCY;
	return combine(parts, latency ? 0 : time->trips, latency ? 0 : time->waits);
}

void demand_add(struct demand_time *sum, const struct demand_time *more)
{
	struct demand_time all = sum->seconds > more->seconds ? *sum : *more;
	all.seconds = sum->seconds + more->seconds;
	all.trips = sum->trips + more->trips;
	all.waits = sum->waits + more->waits;
	for (int i = 0; i < DEMAND_PARTS; i++)
		all.part[i] = sum->part[i] + more->part[i];
	all.bound = longest(all.part);
	*sum = all;
}
