/* One of those that take turns: its process and its times. Internal to judge/. */
#ifndef GEMMJUDGE_JUDGE_LANE_H
#define GEMMJUDGE_JUDGE_LANE_H

#include "judge/run.h"
#include "judge/stats.h"

/* more for loading and for the first call, which pay for what is lazy */
#define LANE_FIRST_SECONDS 10.0

struct lane {
	struct contestant_link contestant;
	struct samples span, event;
	bool span_missing; /* no CUPTI: events only */
	const struct entrant *entrant;
	bool running; /* the process is there, and can take a case */
	bool dropped; /* it takes no part any more */
};

/* Ready for the case that the referee has: in a new process for the first one and after a death. */
struct outcome lane_open(struct run *run, struct lane *lane, const struct test_case *test);

/* The process ends, and its context on the device with it. */
void lane_close(struct lane *lane);

/* What ended it is its verdict. */
void lane_failed(struct timing_entry *entry, struct outcome outcome);

#endif
