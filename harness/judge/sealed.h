/* Passes of sealed calls of one process (protocol.h): harness/README.md, "Sealed timing", says what
 * they prove. Internal to judge/. */
#ifndef GEMMJUDGE_JUDGE_SEALED_H
#define GEMMJUDGE_JUDGE_SEALED_H

#include "judge/run.h"
#include "judge/stats.h"

#define SEALED_SETS_MAX 16

/* What one series of passes is to be. */
struct sealed_plan {
	const struct problem *problem;
	const struct test_case *test;
	const struct entrant *entrant; /* NULL: the yardstick */
	uint32_t sets;                 /* a pass: one call each, at most SEALED_SETS_MAX */
	uint32_t passes;
	double seconds;      /* no pass begins after so many; two there are in any case */
	int32_t nanoseconds; /* the yardstick's */
	bool checks;         /* the results of all calls are looked at */
	struct tolerance tolerance;
};

/* What it gave. Zero-initialise. */
struct sealed_series {
	struct samples
		passes; /* of each, the mean of its calls, in microseconds, as seen from outside */
	uint32_t calls;
};

/* The link's process is open, and can_seal. *outcome tells what became of the entrant; false with
 * err when the referee cannot go on. */
bool sealed_run(struct run *run, struct contestant_link *link, const struct sealed_plan *plan,
				struct sealed_series *series, struct outcome *outcome, struct error *err);

/* How long a call took, the way there and back in it: what a quarter of the passes stays below.
 * What disturbs a pass only makes it longer. *spread: how far the better half lies apart. */
double sealed_time(struct sealed_series *series, double *spread);

#endif
