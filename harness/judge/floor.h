/* The least time that a call can take on a GPU. Internal to judge/. */
#ifndef GEMMJUDGE_JUDGE_FLOOR_H
#define GEMMJUDGE_JUDGE_FLOOR_H

#include "judge/judgement.h"

/* Microseconds: the operations over the GPU's peak, or the bytes over its bandwidth, whichever is
 * more (Williams, Waterman, Patterson, "Roofline", 2009). Generous: dense tensor cores at the
 * highest clock for every algebra. 0 where the GPU is unknown. */
double floor_of(const struct device_facts *facts, const struct timing_result *timing);

#endif
