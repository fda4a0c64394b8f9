/* The calibration kernel: a process of ours whose calls take a known time, by which the round-trip
 * overhead of sealed calls is measured. Internal to judge/. */
#ifndef GEMMJUDGE_JUDGE_TIMING_CALIBRATION_H
#define GEMMJUDGE_JUDGE_TIMING_CALIBRATION_H

#include <pthread.h>

#include "base/paths.h"
#include "judge/timing/sealed.h"

#define CALIBRATION_OVERHEAD 40.0 /* microseconds: about the round-trip overhead of a call */

struct calibration {
	struct contestant_setup setup; /* of its process */
	struct contestant_link link;
	struct device_choice device;
	char library[PATHS_MAX];
	double before;    /* round-trip overhead of a call, in microseconds, before any file's process
						 began */
	double before_at; /* clock_seconds() when it was measured; 0: it was not */
	const struct problem *problem; /* of that, and the shape */
	struct shape shape;
	/* where its process is held, and that of a file whose calls are timed; CPU_NONE: neither is */
	int cpu;
	char unavailable[400]; /* why there are no sealed calls; "" where there are */
	pthread_mutex_t waits; /* several threads may wait for the start */
	pthread_t thread;      /* that starts the process, as long as `starting` */
	bool starting;
	bool opened; /* else why not */
	struct error why;
};

/* Of the runs that judge on one device: all use what the first of them has started. */
struct calibration_share {
	pthread_mutex_t held;
	struct calibration *at; /* NULL: nobody has started any */
};

/* Starts the process in a thread, so that others can be started meanwhile, or takes one that is
 * `lent` (or NULL). calibration_wait() tells
 * whether it started, then and later, to any thread; calibration_close() waits, too. Runs that take
 * times on one device, one after the other, may share it. */
void calibration_start(struct calibration *calibration, const struct device_choice *device,
					   const struct timeline_of *spends, const struct judge_loan *lent,
					   size_t memory_limit, double timeout);
bool calibration_wait(struct calibration *calibration, struct error *err);
void calibration_close(struct calibration *calibration);

/* A plan of the calibration kernel like another one, with calls of about so many microseconds;
 * `again`: on the sets of the pass before, which was one like it. */
struct sealed_plan calibration_plan(const struct sealed_plan *like, bool again,
									double microseconds);

/* The round-trip overhead in a pass of that plan. outcome->refused: the referee has no memory for
 * it. */
bool calibration_pass(struct run *run, struct calibration *calibration,
					  const struct sealed_plan *plan, struct sealed_times *out,
					  struct outcome *outcome, struct error *err);

/* The median of several passes, while no other process has a context. */
bool calibration_overhead(struct run *run, struct calibration *calibration,
						  const struct sealed_plan *plan, struct sealed_group *overhead,
						  struct outcome *outcome, struct error *err);

#endif
