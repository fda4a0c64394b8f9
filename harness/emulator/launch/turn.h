/* Turns of a cluster. */
#ifndef EMULATOR_LAUNCH_TURN_H
#define EMULATOR_LAUNCH_TURN_H

#include "emulator/exec/worker.h"

/* One turn of every warp of the worker's cluster, which is not at its end yet. EXEC_FAULT: the
 * worker has a fault, or the launch is to stop. */
enum exec_status turn_run(struct exec_worker *worker);

#endif
