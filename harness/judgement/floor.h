/* What a GPU can do at most, and the least time that a call can take on it. */
#ifndef GEMMJUDGE_JUDGEMENT_FLOOR_H
#define GEMMJUDGE_JUDGEMENT_FLOOR_H

#include "judgement/judgement.h"

/* A GPU's peaks; 0 where they are unknown. Those of arithmetic are dense tensor cores' at the
 * highest clock, at the width of the problem's widest operand. */
struct roof {
	double operations_per_second, bytes_per_second;
};
struct roof floor_roof(const struct device_properties *facts, const struct problem *problem);

/* Microseconds: the operations over the GPU's peak, or the bytes that have to go through its memory
 * over its bandwidth, whichever is more (Williams, Waterman, Patterson, "Roofline", 2009).
 * Generous: tensor cores for every algebra but a closure. 0 where the GPU is unknown. */
double floor_of(const struct device_properties *facts, const struct timing_result *timing);

#endif
