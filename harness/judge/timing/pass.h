/* How many calls a pass makes, when an entrant has had enough of them, and how much of a result is
 * looked at. Arithmetic on what was measured. Internal to judge/. */
#ifndef GEMMJUDGE_JUDGE_TIMING_PASS_H
#define GEMMJUDGE_JUDGE_TIMING_PASS_H

#include "judge/timing/stats.h"

#define PASS_WARMUPS 2u /* of fast calls; a slow one has a single one */
#define PASS_ROWS 32u   /* of a result, where not all of it is compared */

/* Calls of one pass, on as many sets, the first of them untimed. */
struct pass_plan {
	uint32_t warmups, calls;
};

/* For calls that take so many microseconds (0: nobody knows yet), on at most so many sets: one call
 * on each set. Slow calls need neither a full row of sets, as each has long driven all others out
 * of the L2 cache, nor many samples: a pass of them is some 20 ms long, or two calls, and from 10
 * ms a call on without a warm-up. */
struct pass_plan pass_plan(uint32_t sets, double microseconds);

/* Whether these times, of so many passes, tell the median as narrowly as is wanted; `event`: those
 * between events. Sorts the times. */
bool pass_enough(struct samples *times, const struct samples *event, uint32_t passes);

/* How many rows of a result are compared, drawn when nobody can do anything about it any more; 0:
 * all of them. The first result of an entrant is compared as a whole; later ones are where `drawn`,
 * a random number from after the pass, says so and comparing took little of the time until now. */
uint32_t pass_rows(bool first, uint64_t drawn, double checking, double elapsed);

#endif
