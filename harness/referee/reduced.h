/* What a stage reduces: sums and maxima of carried values, and how far a correct f32 computation of
 * them, in any order, may lie from that. Internal to referee/. */
#ifndef GEMMJUDGE_REFEREE_REDUCED_H
#define GEMMJUDGE_REFEREE_REDUCED_H

#include <stdbool.h>
#include <stdint.h>

#include "referee/stages.h"

/* Begins as zeros. */
struct reduced {
	uint64_t count;
	double sum, magnitude, error; /* of the values; of their absolute values; of their errors */
	double largest, low, high;    /* of the absolute values; the least and most that it may be */
	bool unknown;
};

void reduced_add(struct reduced *reduced, const struct carried *value);

/* Of a reduction of that kind. */
struct carried reduced_value(const struct reduced *reduced, uint32_t kind);

#endif
