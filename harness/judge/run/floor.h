/* The least time that a product with the run's chain can take on its device. Internal to judge/. */
#ifndef GEMMJUDGE_JUDGE_RUN_FLOOR_H
#define GEMMJUDGE_JUDGE_RUN_FLOOR_H

#include "judge/run/run.h"

/* Of the problem's case in `timing`; `chain.known` is false where there is no chain, where the GPU
 * is unknown, or where the table of stages cannot be read. Times of the emulated GPU are those of
 * the GPU that it is like (GPU_DEFAULT). */
struct timing_floor run_floor(const struct run *run, const struct timing_result *timing);

#endif
