/* Times of libraries that files of a batch have in common: measured once a minute, and not for each
 * file. They lie in a file without a name, of which all judges of a batch, and all threads of one,
 * have a descriptor: of a batch that of run/timing_lock.h. Internal to judge/. */
#ifndef GEMMJUDGE_JUDGE_TIMING_KEPT_H
#define GEMMJUDGE_JUDGE_TIMING_KEPT_H

#include "base/hash.h"
#include "judge/timing/lane.h"

/* So long libraries' times hold: within a minute a GPU's clock and temperature hardly change, and
 * two or three seconds of a minute are little of a batch's time. */
#define KEPT_SECONDS 60.0
#define KEPT_CLOCK 0.01 /* and where the SM clock differs by no more than this */
#define KEPT_DRIFT 0.01 /* by which a median may differ from the one before it */
#define KEPT_LIBRARIES 6u

/* All that libraries' times depend on, but for the seed of the values. */
struct kept_key {
	char text[HASH_TEXT];
};

struct kept_times {
	double when; /* they were measured, by clock_seconds() */
	/* Of the libraries alone, at most KEPT_LIBRARIES; the entries are owned. */
	struct timing_result result;
};

/* The store of a run: in the file that the judges of a batch have in common (timing_lock_open(); 0:
 * there is none), or in one of its own where several files are judged. 0: nothing is kept. The
 * caller's to close; no child inherits it. */
int kept_open(const struct judge_options *options, int timing_lock);

/* False where a library's file cannot be read. */
bool kept_key_of(const struct lane_check *what, const struct lane *libraries, size_t count,
				 struct kept_key *out);

/* What is kept, however old it is; false where nothing is. What a judge left half written when it
 * was killed counts as nothing. */
bool kept_find(int store, const struct kept_key *key, struct kept_times *out);

/* Keeps them in place of others with this key, unless they are no good for other files: of a
 * library that failed or was slowed down, of a clock that was held down, or uncertain. */
void kept_add(int store, const struct kept_key *key, const struct kept_times *times);

/* Whether the times hold for a file that is to be timed now, and for one that was timed at another
 * clock. */
bool kept_hold(const struct kept_times *times, double now);
bool kept_hold_at(const struct kept_times *times, const struct timing_result *file);

/* A line that says which library takes another time than before, where one differs by more than
 * KEPT_DRIFT and the intervals of both allow; false: none does. */
#define KEPT_DRIFT_TEXT 256
bool kept_drift(const struct kept_times *before, const struct kept_times *now,
				char out[KEPT_DRIFT_TEXT]);

#endif
