#ifndef EMULATOR_SIMD_LEVEL_H
#define EMULATOR_SIMD_LEVEL_H

/* The x86-64 level, 2 to 4, whose code runs here: what the machine has, or less
 * when $EMULATED_GPU_SIMD says so. The same for the whole life of the process. */
int simd_level(void);

#endif
