/* Clusters that spin on global memory: whether nothing but a write of somebody else can end it. */
#ifndef EMULATOR_LAUNCH_SPIN_H
#define EMULATOR_LAUNCH_SPIN_H

#include "emulator/exec/worker.h"

#define SPIN_PLACES 64

/* What the warps of a cluster read while they spun, and found there. */
struct spin {
	struct spin_place {
		uint64_t address, found;
		uint32_t bytes;
	} places[SPIN_PLACES];
	uint32_t count;
};

/* Goes on with the cluster's warps for a few instructions. True: each came back to a state that
 * it had been in, registers and all, and wrote nothing meanwhile. It will do so for ever, until one
 * of the places that *spin lists is written. False: that is not so, or takes too long to see; the
 * worker may have a fault. */
bool spin_proven(struct exec_worker *worker, struct spin *spin);
/* Whether a place holds something else now. */
bool spin_over(const struct spin *spin);

#endif
