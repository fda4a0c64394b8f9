/* How long a schedule will take, as the last chapter of the cuCOSMA thesis proposes: waves
 * and their tail, occupancy, traffic of L2 and memory under the order of tiles, arithmetic. */
#ifndef GEMMJUDGE_SCHEDULES_MODEL_H
#define GEMMJUDGE_SCHEDULES_MODEL_H

#include "schedules/demand.h"
#include "schedules/rank.h"
#include "schedules/resources.h"
#include "schedules/space.h"

/* By how much (times, or divided by it) the time may be off, where registers and shared memory are
 * those of the compiled kernel; more where they are estimates. solutions/EXPLAIN.md. */
#define MODEL_UNCERTAINTY 1.5
#define MODEL_UNCERTAINTY_GUESSED 2.0

struct model_parts {
	struct demand_time time;     /* of the product and, where there is one, the reduction kernel */
	double reduction;            /* seconds of these that split-K's reduction kernel takes */
	double l2_bytes, dram_bytes; /* of both */
	double uncertainty;          /* a factor */
};

/* Whether the roles say enough: block_m and block_n, or blocks and threads. */
bool model_applies(const struct roles *roles);

/* Seconds of the case with these roles, where model_applies(); INFINITY where a block does not fit
 * the GPU (parts->time.occupancy says why). `kernel` is the compiled one, or NULL: then roles, and
 * guesses where these are missing, stand for it. */
double model_time(const struct tune_gpu *gpu, const struct problem *problem,
				  const struct test_case *test, const struct roles *roles,
				  const struct kernel_resources *kernel, struct model_parts *parts);

/* Adds the order of the model to a ranking, where model_applies() to its roles; else it stays as it
 * is. False where memory ends. */
bool model_rank(struct ranked *ranked, const struct tune_gpu *gpu, const struct problem *problem,
				const struct test_case *test);

#endif
