/* Vector clocks of blocks: a step of each warp of other blocks of a launch, up to which all is
 * known to have happened. A clock is shared by those who know the same, and never changed; NULL is
 * one without blocks. */
#ifndef EMULATOR_EXEC_VECTOR_CLOCK_H
#define EMULATOR_EXEC_VECTOR_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#define VECTOR_CLOCK_WARPS 32

struct vector_clock;

/* *into becomes `value`, of which it is one more user. */
void vector_clock_set(struct vector_clock **into, struct vector_clock *value);
/* *into becomes what either has. */
void vector_clock_join(struct vector_clock **into, struct vector_clock *more);
/* *into has that block's warps up to these steps, too. */
void vector_clock_add(struct vector_clock **into, uint32_t block,
					  const uint32_t steps[VECTOR_CLOCK_WARPS]);
/* True, too, once there was no memory for a clock: then less is found, and nothing that is none. */
bool vector_clock_has(const struct vector_clock *clock, uint32_t block, uint32_t warp,
					  uint32_t step);

/* What a warp knows, or a barrier carries: */
struct vector_clock_orders {
	struct vector_clock *known; /* comes before it; */
	struct vector_clock
		*fenced; /* came before its last fence: what its next relaxed write publishes; */
	struct vector_clock
		*found;  /* with what relaxed reads found: comes before it once it has fenced. */
	bool waited; /* griddepcontrol.wait */
};
void vector_clock_orders_join(struct vector_clock_orders *into,
							  const struct vector_clock_orders *more);
void vector_clock_orders_clear(struct vector_clock_orders *orders);

#endif
