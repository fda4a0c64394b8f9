/* Groups of sealed calls of one process (protocol.h): harness/README.md, "Sealed timing", says what
 * they prove. Internal to judge/. */
#ifndef GEMMJUDGE_JUDGE_SEALED_H
#define GEMMJUDGE_JUDGE_SEALED_H

#include "judge/run.h"
#include "judge/stats.h"

#define SEALED_GROUPS_MAX 8
#define SEALED_CALLS_MAX 8 /* of a group */

/* What a series of passes is to be. A pass is some groups of fresh sets. */
struct sealed_plan {
	const struct problem *problem;
	const struct test_case *test;
	const struct entrant *entrant; /* NULL: the yardstick */
	uint32_t group;                /* sets of a group, a power of two */
	uint32_t calls;                /* on so many of them, drawn one after the other */
	uint32_t groups;               /* of a pass; the first is not counted */
	uint32_t passes;
	double seconds;      /* no pass begins after so many; two there are in any case */
	int32_t nanoseconds; /* the yardstick's */
	bool checks;         /* the results of all calls are looked at */
	struct tolerance tolerance;
};

/* What it gave, in microseconds. Zero-initialise. */
struct sealed_series {
	struct samples reveal; /* of each group: what passed apart from its calls */
	struct samples call;   /* of each group: the mean of its calls */
	double excess; /* the most by which a call took longer than the middle one of its group */
	uint32_t calls, passes;
};

/* The link's process is open, and can_seal. *outcome tells what became of the entrant; `refused`
 * that the referee has no memory for such groups. False with err when the referee cannot go on. */
bool sealed_run(struct run *run, struct contestant_link *link, const struct sealed_plan *plan,
				struct sealed_series *series, struct outcome *outcome, struct error *err);

/* The value that `share` of the samples do not exceed; sorts them. 0 without any. */
double sealed_quantile(struct samples *samples, double share);

void sealed_free(struct sealed_series *series);

#endif
