/* Barriers that a block's threads do not take as one.
 *
 * Lanes of one warp that wait at different ones are a fault: with .aligned, which bar.sync has, all
 * threads of a warp execute the same (PTX ISA 9.7.13.1). PTX allows the rest: warps that wait at
 * different instructions for one barrier, as producers and consumers do, and threads that have
 * exited before others wait. Of this the first is kept, and said where something else is wrong. */
#ifndef EMULATOR_EXEC_UNEVEN_H
#define EMULATOR_EXEC_UNEVEN_H

#include "emulator/exec/cluster.h"

/* The fault, where other lanes of the warp wait at another barrier than `lanes`, which come to
 * this one. */
enum exec_status exec_uneven_lanes(struct warp *warp, const struct exec_instruction *in,
								   uint32_t lanes);

/* A barrier of all threads of a block is complete, and they wait behind these two instructions, or
 * all behind the one (the same twice), and some have exited. */
void exec_uneven_note(struct exec_block *block, uint32_t behind, uint32_t other)
	__attribute__((cold));

/* Adds to the worker's fault, which is about shared memory, what is kept of the warp's block. */
void exec_uneven_explain(struct warp *warp) __attribute__((cold));

#endif
