/* The GPU that models are asked about. */
#ifndef GEMMJUDGE_CLI_GPU_CHOICE_H
#define GEMMJUDGE_CLI_GPU_CHOICE_H

#include "cli/options.h"
#include "schedules/gpu.h"

/* The one that --gpu names, or the one that would run the file; *at_hand: it is here, and no
 * emulated one. False with err. */
bool gpu_choice(const struct options *options, struct tune_gpu *out, bool *at_hand,
				struct error *err);

#endif
