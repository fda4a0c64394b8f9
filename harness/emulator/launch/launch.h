/* Launches: blocks over host threads, warps of a block in turn on one. */
#ifndef EMULATOR_LAUNCH_LAUNCH_H
#define EMULATOR_LAUNCH_LAUNCH_H

#include <stdbool.h>

#include "emulator/exec/program.h"

/* The most registers that ptxas gives a thread of the kernel, by its directives: 255 without any.
 */
int launch_registers(const struct ptx_function *function);

/* As machine_launch() has it. options and counters may be NULL. */
bool launch_run(const struct launch *launch, struct exec_program *program,
				const struct machine_options *options, struct counters *counters,
				struct fault *fault);

#endif
