/* What depends on a branch: the instructions between it and the place where its two sides meet
 * again, whichever is taken. */
#ifndef EMULATOR_EXEC_REGION_H
#define EMULATOR_EXEC_REGION_H

#include "emulator/exec/program.h"

struct exec_region {
	struct exec_region *next;
	uint32_t branch, join; /* instructions */
	bool
		harmless; /* it only computes: no store, atomic, barrier, exit or product of tensor cores */
	bool crosses; /* lanes exchange values in it */
	int32_t *results; /* what it may write: references as in effects (exec/undefined.h) */
	int32_t result_count;
};

/* The region of a conditional branch, which the program keeps; NULL without host memory. Host
 * threads may ask at once. */
const struct exec_region *exec_region_find(struct exec_program *program, uint32_t branch);
void exec_regions_free(struct exec_program *program);

#endif
