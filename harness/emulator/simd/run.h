/* The loop over instructions, compiled once for each x86-64 level. */
#ifndef EMULATOR_SIMD_RUN_H
#define EMULATOR_SIMD_RUN_H

#include "emulator/exec/warp.h"

/* Runs until the warp blocks, ends, yields or has taken `quantum` steps. */
typedef enum exec_status (*run_function)(struct warp *warp, uint32_t quantum);
enum exec_status run_warp_v2(struct warp *warp, uint32_t quantum);
enum exec_status run_warp_v3(struct warp *warp, uint32_t quantum);
enum exec_status run_warp_v4(struct warp *warp, uint32_t quantum);

#endif
