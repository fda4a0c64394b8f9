/* What the launches of one kernel demand of a GPU, and the time that follows. Who knows the demand,
 * from roles (model.h) or from counters (counted.h), gets the same arithmetic.
 *
 * Each part of a multiprocessor takes the time that its work takes at its full rate, on the
 * multiprocessor with most blocks; parts work side by side, but never perfectly, so that the whole
 * is their norm of order 2.5 and not their maximum. What a block waits for with nothing else to do
 * comes on top, less where others are resident. Constants: demand.c. */
#ifndef GEMMJUDGE_SCHEDULES_DEMAND_H
#define GEMMJUDGE_SCHEDULES_DEMAND_H

#include "schedules/occupancy.h"

/* Sums are over all launches of the kernel in a call of solve(). */
struct demand {
	double launches;                  /* at least 1 */
	double blocks;                    /* of one launch, on average */
	int threads;                      /* of a block */
	int registers;                    /* a thread */
	int64_t shared_bytes;             /* a block, static and dynamic */
	double instructions;              /* issued, by the warp */
	double full_lanes;                /* f32 arithmetic and conversions, by the lane */
	double half_lanes;                /* of half that rate: integers, minima */
	double multiply_adds[UNIT_COUNT]; /* of tensor cores, by the width of operands */
	bool warp_products;               /* these are mma.sync or wmma, not wgmma */
	double shared_passes;             /* over the banks, 128 bytes each */
	double lookups;                   /* in L1: lines of 128 bytes */
	double l2_bytes, dram_bytes;
	double trips; /* of a warp to L2, one after the other, while other warps work */
	double waits; /* of a whole block, at barriers, for a trip that nothing was done ahead of */
	double single_block; /* seconds of a block that has its multiprocessor to itself, besides those
							two */
	double serial;       /* seconds of a launch that nothing hides, besides those of any launch */
};

enum demand_part {
	DEMAND_LAUNCH,
	DEMAND_ISSUE,
	DEMAND_FULL,
	DEMAND_HALF,
	DEMAND_TENSOR,
	DEMAND_SHARED,
	DEMAND_LOOKUPS,
	DEMAND_L2,
	DEMAND_DRAM,
	DEMAND_LATENCY,
	DEMAND_PARTS
};
const char *demand_part_name(enum demand_part part); /* "shared memory" */
const char *demand_part_word(enum demand_part part); /* "shared_memory": for JSON */

struct demand_time {
	double seconds;
	double part[DEMAND_PARTS]; /* seconds that each would take by itself */
	enum demand_part bound;    /* the longest; of issue slots and the lanes that they feed, lanes
								  that are nearly as long */
	double trips, waits;       /* that latency consists of; waits are not hidden */
	struct occupancy occupancy;
	double waves; /* of a launch: blocks over what is resident at once */
	double idle;  /* share of the multiprocessors' time lost to the last wave, 0 to 1 */
};

/* False where no block fits a multiprocessor; out->occupancy.limit then says why. */
bool demand_time(const struct tune_gpu *gpu, const struct demand *demand, struct demand_time *out);

/* The seconds that would remain if a part took at most `least` alone. Issue slots stand for their
 * lanes, too. */
double demand_without(const struct demand_time *time, enum demand_part part, double least);

/* Adds the time of a kernel that runs after the others: waves, idle and occupancy stay those of the
 * longest. *sum may be all 0. */
void demand_add(struct demand_time *sum, const struct demand_time *more);

#endif
