/* What sealed calls say of the time that a call takes: arithmetic on passes that have been measured
 * (harness/README.md, "Sealed timing"). Times are in microseconds. Internal to judge/. */
#ifndef GEMMJUDGE_JUDGE_TIMING_OUTSIDE_H
#define GEMMJUDGE_JUDGE_TIMING_OUTSIDE_H

#include "judge/timing/sealed.h"

#define SERIES_PASSES_MAX 24u

/* Passes of an entry, each with one of the yardstick that followed at once. */
struct sealed_series {
	struct sealed_plan plan; /* of all of them */
	uint32_t count;
	struct sealed_times entry[SERIES_PASSES_MAX], way[SERIES_PASSES_MAX];
};

/* The way of a call while no file had a process: a known upper bound of what it is otherwise. */
struct way_apart {
	double before;             /* of a call in a group of several */
	struct sealed_group after; /* in groups like the entry's; reveal INFINITY: not known */
};

struct outside {
	double time;        /* of a call; INFINITY where memory is short */
	double scatter;     /* by which the passes leave it uncertain */
	double uncertainty; /* the same, with what repeating cannot tell */
};

struct outside outside_of(const struct sealed_series *series, const struct way_apart *apart);

/* By how much a call may seem longer than it says. */
double outside_allowance(double microseconds);

/* Whether groups for calls of so many microseconds are not for this one. */
bool outside_other_groups(const struct outside *seen, double planned);

/* Whether more passes would hardly say more about this claim. */
bool outside_settled(const struct outside *seen, double claim);

/* Puts what the outside and the process say together: fills the entry's seal, but for what was
 * counted before. */
void outside_judge(const struct outside *seen, struct timing_entry *entry);

/* The passes that such a time was taken from, around it; false where memory is short. */
bool outside_passes(const struct sealed_series *series, const struct way_apart *apart,
					const struct outside *seen, struct timing_passes *out);

#endif
