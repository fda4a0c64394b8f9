/* The clusters that a host thread has begun, and their turns. */
#ifndef EMULATOR_LAUNCH_CREW_H
#define EMULATOR_LAUNCH_CREW_H

#include "emulator/launch/spin.h"

struct member {
	struct exec_worker *worker;
	bool owned; /* the crew made it, and takes it back */
	bool holds; /* counted as running */
	bool waits; /* it seemed to, when it last ran */
	bool asleep;
	uint32_t skipped; /* turns, while it waits and others do not */
	uint64_t steps;   /* of its blocks, when it last ran */
	uint64_t looked;  /* at memory that others write, less what it did else: of late */
	struct spin spin; /* asleep: until this is over */
};

/* As long as its clusters make headway there is one. When all of them wait, another one begins
 * beside them, up to what the GPU holds: a cluster that spins sleeps until what it reads is written
 * (spin.h), and costs nothing. */
struct crew {
	struct exec_launch *launch;
	struct member **members;
	uint32_t count, capacity;
	uint32_t next;   /* whose sleep is looked at first */
	uint32_t turns;  /* of those that waited */
	bool busy;       /* somebody did not wait in the last turn */
	bool idle;       /* all sleep: not among the launch's awake threads */
	uint64_t agreed; /* to which of the launch's wakes, and 1 more */
};

/* Adds a worker, whose cluster may have been started. False without memory. */
bool crew_join(struct crew *crew, struct exec_worker *worker);
/* Runs clusters of the launch until none is left to begin, or the launch stops. A worker has
 * the fault. */
void crew_run(struct crew *crew);
void crew_free(struct crew *crew);
/* So many of the launch's threads could not be made. */
void crew_without(struct exec_launch *launch, int threads);

#endif
