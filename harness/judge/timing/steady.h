/* Times in a steady stream: the entrants take turns in blocks of about a second, back-to-back calls
 * each, on a GPU that is as warm, and takes as much power, as in a loop of hours. Internal to
 * judge/.
 *
 * A block is a lead of calls that do not count, in which clock and power come to what this entrant
 * makes of them, and then those that do. Rounds are A B A B: each block follows the same one. */
#ifndef GEMMJUDGE_JUDGE_TIMING_STEADY_H
#define GEMMJUDGE_JUDGE_TIMING_STEADY_H

#include "judge/timing/clocks.h"
#include "judge/timing/lane.h"

#define STEADY_LEAD_SECONDS 0.3
#define STEADY_BLOCK_SECONDS 0.7
#define STEADY_ROUNDS 5u
#define STEADY_WARM_UP_SECONDS 10.0 /* at most, but for two rounds */
#define STEADY_SETTLED 0.01         /* what clock and power change at most from round to round */

/* What a block says of one call; watts, joules and mhz are 0 where NVML says nothing. */
struct steady_block {
	double microseconds, joules, watts, mhz;
	uint64_t calls;
};

/* Whether power and clock of all entrants are as they were a round ago; where they are not known,
 * whether the times are. */
bool steady_settled(const struct steady_block *before, const struct steady_block *now,
					size_t count);

/* The medians of what the blocks of an entrant say; no samples where there are none, or memory runs
 * out. */
struct timing_steady steady_of(const struct steady_block *blocks, size_t count);

/* Fills `steady` and `passes` of each entry that ran, out->entries[i] being that of lanes[i], and
 * what the timing says of the warm-up. An output of each block that counts is compared; an entry
 * whose calls fail, or are wrong, does not go on. Interrupted before the first round it fills
 * nothing. False with err when the referee cannot go on. */
bool steady_measure(const struct lane_check *check, struct lane *lanes, struct timing_result *out,
					struct clocks *clocks, struct error *err);

#endif
