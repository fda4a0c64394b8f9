/* What is done to global memory by launches and copies, and which of them come before which: the
 * race check (exec/race_global.c) asks. Blocks of all of them are numbered through, from 1 on; a
 * copy counts as one block. They begin one after another, never at the same time. */
#ifndef EMULATOR_EXEC_OPERATION_H
#define EMULATOR_EXEC_OPERATION_H

#include <stdbool.h>
#include <stdint.h>

#include "emulator/machine.h"

struct exec_program;

struct exec_operation {
	uint32_t first, count; /* numbers of its blocks */
	uint32_t floor;        /* all below come before it */
	struct machine_order order;
	const struct exec_program *program; /* NULL: a copy */
	const char *name;                   /* the kernel's symbol; the call's name */
	uint32_t grid[3];
};

/* Numbers the blocks of an operation, whose program, name and grid are filled in. order NULL: all
 * that was before comes before it, and it before all that will be. */
void exec_operation_begin(struct exec_operation *operation, const struct machine_order *order);
/* The operation that a block belongs to, if it may be unordered with those that begin now; NULL. */
const struct exec_operation *exec_operation_of(uint32_t block);
/* Whether a block of an earlier operation comes before this one; `waited`: behind
 * griddepcontrol.wait. */
bool exec_operation_follows(const struct exec_operation *operation, uint32_t block, bool waited);
/* What the host has waited for comes before all that will be. */
void exec_operation_retire(const struct machine_clock *host);
/* Whether any is left that the host has not waited for. */
bool exec_operation_any(void);

#endif
