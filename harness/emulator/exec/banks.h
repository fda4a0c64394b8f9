/* Counting: passes over the banks of shared memory. */
#ifndef EMULATOR_EXEC_BANKS_H
#define EMULATOR_EXEC_BANKS_H

#include "emulator/exec/program.h"

/* Passes over the banks of shared memory that an access of `bytes` bytes a lane
 * takes, and how many of them are due to bank conflicts. Lanes of 8 bytes go in
 * two groups, lanes of 16 bytes in four, for each of which one pass is no conflict;
 * half as many where neighbours, or next but one neighbours, share addresses. */
uint32_t exec_bank_passes(const uint64_t at[EXEC_LANES], uint32_t bytes, uint32_t *conflicts);

#endif
