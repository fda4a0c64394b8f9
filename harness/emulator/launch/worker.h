/* What a worker needs for one cluster: registers, shared memory and what is known of its bytes. */
#ifndef EMULATOR_LAUNCH_WORKER_H
#define EMULATOR_LAUNCH_WORKER_H

#include "emulator/exec/worker.h"

/* Of a worker that is zero but for its number. False without memory; destroyed in any case. */
bool worker_create(struct exec_worker *worker, struct exec_launch *launch);
void worker_destroy(struct exec_worker *worker);
/* What it takes. */
size_t worker_bytes(const struct exec_launch *launch);

#endif
