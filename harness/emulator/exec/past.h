/* What comes before, of other blocks of a launch: a step of each of their warps, up to which all is
 * known to have happened. A past is shared by those who know the same, and never changed; NULL is
 * one without blocks. */
#ifndef EMULATOR_EXEC_PAST_H
#define EMULATOR_EXEC_PAST_H

#include <stdbool.h>
#include <stdint.h>

#define PAST_WARPS 32

struct past;

/* *into becomes `value`, of which it is one more user. */
void past_set(struct past **into, struct past *value);
/* *into becomes what either has. */
void past_join(struct past **into, struct past *more);
/* *into has that block's warps up to these steps, too. */
void past_add(struct past **into, uint32_t block, const uint32_t steps[PAST_WARPS]);
/* True, too, once there was no memory for a past: then less is found, and nothing that is none. */
bool past_has(const struct past *past, uint32_t block, uint32_t warp, uint32_t step);

/* What a warp knows, or a barrier carries: */
struct past_orders {
	struct past *known;  /* comes before it; */
	struct past *fenced; /* came before its last fence: what its next relaxed write publishes; */
	struct past *found;  /* with what relaxed reads found: comes before it once it has fenced. */
	bool waited;         /* griddepcontrol.wait */
};
void past_orders_join(struct past_orders *into, const struct past_orders *more);
void past_orders_clear(struct past_orders *orders);

#endif
