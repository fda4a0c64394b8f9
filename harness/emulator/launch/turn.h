/* Turns of a cluster. */
#ifndef EMULATOR_LAUNCH_TURN_H
#define EMULATOR_LAUNCH_TURN_H

#include "emulator/exec/worker.h"

#define TURN_QUANTUM 4096 /* instructions */

/* One turn of every warp of the worker's cluster, which is not at its end yet. EXEC_FAULT: the
 * worker has a fault, or the launch is to stop. */
enum exec_status turn_run(struct exec_worker *worker, uint32_t quantum);

/* One instruction of the warp, which is ready: some of its lanes wait for nothing. */
enum exec_status turn_step(struct warp *warp);
bool turn_ready(const struct warp *warp);
/* Gives the worker, whose cluster waits for ever, the fault that says so, as `what`. */
void turn_fail_waiting(struct exec_worker *worker, const char *what);

#endif
