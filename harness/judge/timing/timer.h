/* Timing of compiled files in alternation. Internal to judge/. */
#ifndef GEMMJUDGE_JUDGE_TIMING_TIMER_H
#define GEMMJUDGE_JUDGE_TIMING_TIMER_H

#include "judge/run/run.h"

/* The entrants of one problem, each in a process that lives from case to case:
 * to start one with its context and its library takes longer than to measure. */
struct timer;

/* `run`, `problem` and `entrants` are borrowed until timer_close(). Starts
 * nothing yet. NULL with err when memory runs out. */
struct timer *timer_open(struct run *run, const struct problem *problem,
						 const struct entrant *entrants, size_t count, struct error *err);

/* Times all of them on one case; out->entries are theirs, in their order, but for accurate modes of
 * libraries that were not wanted (run.h, `by_default`). False when the referee cannot go on. */
bool timer_case(struct timer *timer, const struct test_case *test, struct timing_result *out,
				struct error *err);

/* Other entrants from here on, at most LANES_TOGETHER (lane.h), as timer_open() takes them: in the
 * processes of those before them where the run lets them. */
void timer_take(struct timer *timer, const struct entrant *entrants, size_t count);

/* The entrant takes no part any more, and its process ends. */
void timer_drop(struct timer *timer, size_t entrant);

/* NULL is nothing to close. */
/* Starts the processes of the entrants that are no references ahead. */
void timer_prepare(struct timer *timer);

void timer_close(struct timer *timer);

#endif
