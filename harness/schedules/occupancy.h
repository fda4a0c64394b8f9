/* How many blocks of a kernel a multiprocessor holds at once, and what keeps more of them out. */
#ifndef GEMMJUDGE_SCHEDULES_OCCUPANCY_H
#define GEMMJUDGE_SCHEDULES_OCCUPANCY_H

#include "schedules/gpu.h"

enum occupancy_limit {
	OCCUPANCY_THREADS, /* of a multiprocessor, or of a block where none fits */
	OCCUPANCY_BLOCKS,
	OCCUPANCY_REGISTERS,
	OCCUPANCY_SHARED,
	OCCUPANCY_LIMITS
};
const char *occupancy_limit_name(enum occupancy_limit limit); /* "shared memory" */

struct occupancy {
	int blocks;   /* of a multiprocessor; 0: a block does not fit at all */
	int warps;    /* of all of them */
	double share; /* of the warps that a multiprocessor can hold */
	enum occupancy_limit limit;
};

/* Of blocks of so many threads, registers a thread and bytes of shared memory, static and dynamic,
 * without what the system keeps. After the rules of NVIDIA's occupancy calculator: registers are
 * given out by the warp, 256 at a time, a quarter of them to each of the four schedulers' warps;
 * shared memory in 128 bytes (256 before compute capability 8.0). */
struct occupancy occupancy_of(const struct tune_gpu *gpu, int threads, int registers,
							  int64_t shared_bytes);

#endif
