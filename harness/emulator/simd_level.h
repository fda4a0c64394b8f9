#ifndef EMULATOR_SIMD_LEVEL_H
#define EMULATOR_SIMD_LEVEL_H

/* What is compiled once for each x86-64 level, 2 to 4; for other processors there is one. In a
 * table, this is the row of what is called NAME_v2, NAME_v3 and NAME_v4. */
#define SIMD_LEVELS 3
#if defined(__x86_64__)
#define SIMD_OF_LEVELS(name) name##_v2, name##_v3, name##_v4
#else
#define SIMD_OF_LEVELS(name) name##_v2, name##_v2, name##_v2
#endif

/* The level, 2 to 4, whose code runs here: what the machine has, or less when
 * $EMULATED_GPU_SIMD says so. The same for the whole life of the process. */
int simd_level(void);

/* Its place in such a row. */
static inline int simd_row(void)
{
	return simd_level() - 2;
}

#endif
