/* One of those that take turns: its process and its times. Internal to judge/. */
#ifndef GEMMJUDGE_JUDGE_TIMING_LANE_H
#define GEMMJUDGE_JUDGE_TIMING_LANE_H

#include "judge/run/run.h"
#include "judge/timing/stats.h"

/* more for loading and for the first call, which pay for what is lazy */
#define LANE_FIRST_SECONDS 10.0

struct lane {
	struct contestant_setup setup; /* of its process */
	struct contestant_link contestant;
	struct samples span, event;
	bool span_missing; /* no CUPTI: events only */
	double call;       /* microseconds: of the first call, then of one in the last pass */
	const struct entrant *entrant;
	bool running; /* the process is there, and can take a case, or a library that is not loaded */
	bool loaded;
	unsigned loads; /* of libraries by this process */
	int64_t kept;   /* bytes of device memory that they seem to have kept */
	bool dropped;   /* it takes no part any more */
	bool has_modes; /* a library that has an accurate mode */
};

/* Opened side by side, at most: processes with a context each, one thread of ours a process. */
#define LANES_TOGETHER 8u

/* Ready for the case that the referee has: in a new process for the first one and after a death.
 * outcomes[i] is what became of lanes[i]; `count` is at most LANES_TOGETHER. Most of the time goes
 * by in the driver, which makes contexts for several processes at once. Nothing is timed yet, and
 * what the first calls write is written anew before it is. */
void lane_open_all(struct run *run, struct lane *const *lanes, size_t count,
				   const struct test_case *test, struct outcome *outcomes);

/* The entrant, in the process that runs for another one where that may be (run->library_folder) and
 * has not taken too many. Nothing is loaded before lane_open_all(). */
void lane_take(struct lane *lane, struct run *run, const struct problem *problem,
			   const struct entrant *entrant);

/* The process ends, and its context on the device with it. */
void lane_close(struct lane *lane);

/* What results of timed calls are held to. All is borrowed. */
struct lane_check {
	struct run *run;
	const struct problem *problem;
	const struct test_case *test;
	struct tolerance tolerance;
	uint32_t rows; /* of a result that are compared, drawn; 0: all */
};

/* Compares the output of one set; a wrong one ends the lane, unless it is a library's, which is
 * told in the entry. False with err when the referee cannot go on. */
bool lane_check(const struct lane_check *check, uint32_t set, struct lane *lane,
				struct timing_entry *entry, struct error *err);

/* Ends a lane: the outcome that ended it is its verdict. */
void lane_failed(struct timing_entry *entry, struct outcome outcome);

#endif
