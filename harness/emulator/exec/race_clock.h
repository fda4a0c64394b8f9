/* Vector clocks of the race check of shared memory: a step for each warp of the block. */
#ifndef EMULATOR_EXEC_RACE_CLOCK_H
#define EMULATOR_EXEC_RACE_CLOCK_H

#include <stdint.h>

#define RACE_WARPS 32

struct race_seen {
	uint32_t clock, pc; /* a clock not above `before`: not since the start of the block */
	uint32_t lanes;     /* that did it in this step */
};

/* Steps of a warp that come before: those up to `all`, and of some lanes those up to `some`. Where
 * different steps of different lanes are known the later one counts for both, so that less is
 * found, and nothing that is none. */
struct known {
	uint32_t all, some, lanes;
};

struct clock { /* the same of each warp */
	uint32_t all[RACE_WARPS], some[RACE_WARPS], lanes[RACE_WARPS];
};

static inline struct known clock_of_warp(const struct clock *clock, uint32_t warp)
{
	return (struct known){clock->all[warp], clock->some[warp], clock->lanes[warp]};
}

static inline struct known known_joined(struct known a, struct known b)
{
	struct known both = {a.all > b.all ? a.all : b.all, a.some > b.some ? a.some : b.some,
						 a.lanes | b.lanes};
	if (both.some <= both.all)
		both.lanes = both.some = 0;
	return both;
}

static inline void clock_join(struct clock *into, const struct clock *from)
{
	for (uint32_t i = 0; i < RACE_WARPS; i++) {
		struct known both = known_joined(clock_of_warp(into, i), clock_of_warp(from, i));
		into->all[i] = both.all;
		into->some[i] = both.some;
		into->lanes[i] = both.lanes;
	}
}

/* The lanes whose part of this is not known. */
static inline uint32_t known_lacks(struct known known, const struct race_seen *seen)
{
	if (seen->clock <= known.all)
		return 0;
	return seen->clock <= known.some ? seen->lanes & ~known.lanes : seen->lanes;
}

#endif
