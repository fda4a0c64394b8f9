/* What a worker needs for one cluster: registers, shared memory and what is known of its bytes. */
#ifndef EMULATOR_LAUNCH_RESOURCES_H
#define EMULATOR_LAUNCH_RESOURCES_H

#include "emulator/exec/worker.h"

/* Of a worker that is zero but for its number. False without memory; destroyed in any case. */
bool resources_create(struct exec_worker *worker, struct exec_launch *launch);
void resources_free(struct exec_worker *worker);
/* What it takes. */
size_t resources_bytes(const struct exec_launch *launch);

#endif
