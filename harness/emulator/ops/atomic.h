/* Read, combine and write at once. */
#ifndef EMULATOR_OPS_ATOMIC_H
#define EMULATOR_OPS_ATOMIC_H

#include "emulator/exec/atomic.h"

/* Combines what is at `p`, a multiple of the size, with `b` (and `c`: what a
 * compare-and-swap writes); returns what was there. */
uint64_t ops_atomic(void *p, uint64_t b, uint64_t c, struct atomic_form form);

#endif
