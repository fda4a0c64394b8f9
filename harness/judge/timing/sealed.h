/* Groups of sealed calls of one process (protocol.h): README.md, "Sealed timing", says what
 * they prove. Internal to judge/. */
#ifndef GEMMJUDGE_JUDGE_TIMING_SEALED_H
#define GEMMJUDGE_JUDGE_TIMING_SEALED_H

#include "judge/run/run.h"
#include "judge/timing/stats.h"

#define SEALED_GROUPS_MAX 8
#define SEALED_CALLS_MAX 8 /* of a group */
#define SEALED_ROWS 16u    /* of a result that are compared; of some all are */

/* What a pass is to be: some groups of fresh sets. */
struct sealed_plan {
	const struct problem *problem;
	const struct test_case *test;
	const struct entrant *entrant; /* NULL: the calibration kernel */
	uint32_t group;                /* sets of a group */
	uint32_t calls;                /* on so many of them, drawn one after the other */
	uint32_t groups;               /* the first is not counted */
	int32_t nanoseconds;           /* the calibration kernel's */
	bool again;                    /* on the sets of the pass before; only for what is ours */
	bool checks;                   /* the results of all calls are looked at, */
	uint32_t rows;                 /* so many rows of each, drawn, */
	uint32_t wholes;               /* and of one call in so many passes all of it */
	struct tolerance tolerance;
};

/* What a group took, in microseconds. */
struct sealed_group {
	double release; /* what passed apart from its calls */
	double call;    /* the mean of all of them */
};

struct sealed_times {
	struct sealed_group groups[SEALED_GROUPS_MAX]; /* those that count */
	uint32_t count;
	double excess;  /* the most by which a call took longer than the middle one of its group */
	uint32_t calls; /* that were made */
};

/* Means over the groups. */
struct sealed_group sealed_mean(const struct sealed_times *times);

/* One pass. The link's process is open, and can_seal. *outcome tells what became of the entrant;
 * `refused` that the referee has no memory for such groups. False with err when the referee cannot
 * go on. */
bool sealed_run(struct run *run, struct contestant_link *link, const struct sealed_plan *plan,
				struct sealed_times *out, struct outcome *outcome, struct error *err);

#endif
