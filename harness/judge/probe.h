/* What the judge would find on this machine, asked without a run. */
#ifndef GEMMJUDGE_JUDGE_PROBE_H
#define GEMMJUDGE_JUDGE_PROBE_H

#include "base/error.h"
#include "base/paths.h"
#include "judge/options/device_list.h"
#include "judgement/judgement.h"
#include "process/protocol.h"

struct probe {
	struct device_choice device;
	struct device_properties facts;
};

/* Opens the device that a run would take, and gives it back; false with err when it is not there.
 */
bool probe_device(const struct device_list *request, struct probe *out, struct error *err);

/* Whether sealed calls can be made on that device; else err says why not. */
bool probe_sealed(const struct probe *probe, struct error *err);

/* The program that --sanitize runs; false with err where there is none. */
bool probe_sanitizer(char program[PATHS_MAX], struct error *err);

/* As many judges or compilers at a time as the machine's cores and memory bear, at least one. */
size_t probe_threads(void);

/* As many judges at a time as the machine and that many of its GPUs bear, at least one for each. */
size_t probe_judges(size_t gpus);

#endif
