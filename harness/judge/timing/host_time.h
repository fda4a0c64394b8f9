/* Host-side time of a call, from sealed calls: arithmetic on passes that have been measured
 * (README.md, "Sealed timing"). Times are in microseconds. Internal to judge/. */
#ifndef GEMMJUDGE_JUDGE_TIMING_HOST_TIME_H
#define GEMMJUDGE_JUDGE_TIMING_HOST_TIME_H

#include "judge/timing/sealed.h"

#define SERIES_PASSES_MAX 24u

/* Passes of an entry, each with one of the calibration kernel that followed at once. */
struct sealed_series {
	struct sealed_plan plan; /* of all of them */
	uint32_t count;
	struct sealed_times entry[SERIES_PASSES_MAX], overhead[SERIES_PASSES_MAX];
};

/* Round-trip overhead of a call, measured while no solution's process existed. It bounds the
 * overhead at other times from above. */
struct overhead_bound {
	double before;             /* of a call in a group of several */
	struct sealed_group after; /* in groups like the entry's; release INFINITY: not measured */
};

struct host_time {
	double time;        /* of a call; INFINITY where memory is short */
	double scatter;     /* by which the passes leave it uncertain */
	double uncertainty; /* the same, with what repeating cannot tell */
};

struct host_time host_time_of(const struct sealed_series *series,
							  const struct overhead_bound *bound);

/* By how much a call may seem longer than it says. */
double host_time_allowance(double microseconds);

/* What a call is planned for, in microseconds, of which the process says that it takes so many. */
double host_time_planned(double claim, double floor);

/* Whether groups for calls of so many microseconds are not for this one: it takes so long that all
 * sets of such a group may have been computed as a whole (groups.h). */
bool host_time_other_groups(const struct host_time *seen, double planned);

/* What the process says that a sealed call should take: its claim, or what it says of calls between
 * events, which come onto an idle GPU as sealed ones do. Only so far: what ranks does not follow
 * from it. */
double host_time_expected(const struct timing_entry *entry);

/* Whether the host-side time, with its uncertainty, agrees with what it should be. */
bool host_time_confirms(const struct host_time *seen, double expected);

/* Whether more passes would hardly say more about a claim. */
bool host_time_settled(const struct host_time *seen, double expected);

/* Whether the host-side time differs so much from a library's claim that more passes have to tell
 * which of them is right. */
bool host_time_doubts_library(const struct host_time *seen, const struct timing_entry *entry);

/* Compares the host-side time with what the process says: fills the entry's seal, but for what was
 * counted before. The passes of a claim that is confirmed, and moved up, are moved with it. */
void host_time_judge(const struct host_time *seen, struct timing_entry *entry);

/* The passes that such a time was taken from, around it; false where memory is short. */
bool host_time_passes(const struct sealed_series *series, const struct overhead_bound *bound,
					  const struct host_time *seen, struct timing_passes *out);

#endif
