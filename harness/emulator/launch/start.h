/* The start of a cluster. */
#ifndef EMULATOR_LAUNCH_START_H
#define EMULATOR_LAUNCH_START_H

#include "emulator/exec/worker.h"

/* The worker's cluster becomes the index-th of the grid, about to take its first
 * instruction. Without memory, the worker has a fault. */
void start_cluster(struct exec_worker *worker, uint64_t index);

#endif
