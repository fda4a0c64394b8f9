/* What depends on a branch: the instructions between it and the place where its two sides meet
 * again, whichever is taken. */
#ifndef EMULATOR_EXEC_REGION_H
#define EMULATOR_EXEC_REGION_H

#include "emulator/exec/program.h"

/* What an instruction does besides to compute. */
enum exec_region_use {
	EXEC_REGION_HARMS = PTX_HARMS,
	EXEC_REGION_CROSSES = PTX_CROSSES,
	EXEC_REGION_ORDERS = PTX_ORDERS,
	EXEC_REGION_USES = EXEC_REGION_HARMS | EXEC_REGION_CROSSES | EXEC_REGION_ORDERS,
};

struct exec_region {
	struct exec_region *next;
	uint32_t branch, join; /* instructions */
	bool joins;            /* the sides meet, before any exit */
	uint8_t uses;          /* enum exec_region_use of all in it */
	int32_t *results;      /* what it may write: references as in effects (exec/undefined.h) */
	int32_t result_count;
};

/* The region of a conditional branch, which the program keeps; NULL without host memory. Host
 * threads may ask at once. */
const struct exec_region *exec_region_find(struct exec_program *program, uint32_t branch);
/* A branch, or a return from an inlined function. */
bool exec_region_branches(const struct exec_program *program, uint32_t pc);
enum exec_region_use exec_region_use(const struct exec_program *program, uint32_t pc);

/* Where it goes on after an instruction. */
enum exec_region_path {
	EXEC_REGION_REFUSED,
	EXEC_REGION_NEXT = 1,
	EXEC_REGION_TARGET = 2,
	EXEC_REGION_BOTH = EXEC_REGION_NEXT | EXEC_REGION_TARGET,
};
/* place: other paths may lead here; else the instruction above was the last one. */
typedef enum exec_region_path (*exec_region_step)(const struct exec_program *program, uint32_t pc,
												  bool place, void *context);
/* Goes from the branch to the join on all paths that `step` opens, through each instruction once.
 * False: it refused, or there is no host memory. */
bool exec_region_walk(const struct exec_program *program, const struct exec_region *region,
					  exec_region_step step, void *context);
void exec_regions_free(struct exec_program *program);

#endif
