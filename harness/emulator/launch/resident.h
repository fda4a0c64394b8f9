/* The clusters that a host thread has begun, and their turns. */
#ifndef EMULATOR_LAUNCH_RESIDENT_H
#define EMULATOR_LAUNCH_RESIDENT_H

#include "emulator/launch/spin.h"

struct member {
	struct exec_worker *worker;
	bool owned; /* the set made it, and takes it back */
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
struct resident_set {
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
bool resident_join(struct resident_set *set, struct exec_worker *worker);
/* Runs clusters of the launch until none is left to begin, or the launch stops. A worker has
 * the fault. */
void resident_run(struct resident_set *set);
void resident_free(struct resident_set *set);
/* So many of the launch's threads could not be made. */
void resident_without(struct exec_launch *launch, int threads);

#endif
