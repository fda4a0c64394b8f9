/* A process of ours whose calls take a known time, and what sealed calls take besides. Internal to
 * judge/. */
#ifndef GEMMJUDGE_JUDGE_TIMING_YARDSTICK_H
#define GEMMJUDGE_JUDGE_TIMING_YARDSTICK_H

#include "base/paths.h"
#include "judge/timing/sealed.h"

#define YARDSTICK_WAY 40.0 /* microseconds: about what a call takes besides its work */

struct yardstick {
	struct contestant_link link;
	char library[PATHS_MAX];
	double before;     /* the way of a call, in microseconds, before any file's process began */
	char lacking[400]; /* why there are no sealed calls; "" where there are */
};

/* Starts the process. */
bool yardstick_open(struct yardstick *yardstick, const struct device_choice *device,
					size_t memory_limit, double timeout, struct error *err);
void yardstick_close(struct yardstick *yardstick);

/* What there is besides the work, in a pass like this one with calls of about so many microseconds;
 * `again`: on the sets of the pass before, which was one like it. outcome->refused: the referee has
 * no memory for it. */
bool yardstick_pass(struct run *run, struct yardstick *yardstick, const struct sealed_plan *like,
					bool again, double microseconds, struct sealed_times *out,
					struct outcome *outcome, struct error *err);

/* The middle one of several passes, nobody else having a process. */
bool yardstick_alone(struct run *run, struct yardstick *yardstick, const struct sealed_plan *like,
					 double microseconds, struct sealed_group *way, struct outcome *outcome,
					 struct error *err);

#endif
