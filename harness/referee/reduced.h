/* What a stage reduces: sums and maxima of carried values, and how far a correct f32 computation of
 * them, in any order, may lie from that. Internal to referee/. */
#ifndef GEMMJUDGE_REFEREE_REDUCED_H
#define GEMMJUDGE_REFEREE_REDUCED_H

#include <stdbool.h>
#include <stdint.h>

#include "referee/stages.h"
#include "testcases/problem.h"

/* Begins as zeros. */
struct reduced {
	uint64_t count;
	double sum, magnitude, error; /* of the values; of their absolute values; of their errors */
	double largest, low, high;    /* of the absolute values; the least and most that it may be */
	bool unknown;
};

/* Sets of[i] to zeros for what buffer i of the chain (NULL: none) reduces, in *memory, which grows
 * and is the caller's to free; NULL for other buffers. */
bool reduced_begin(const struct chain *chain, const struct shape *shape, struct reduced **memory,
				   uint64_t *capacity, struct reduced *of[CHAIN_BUFFERS_MAX], struct error *err);

void reduced_add(struct reduced *reduced, const struct carried *value);

/* Of a reduction of that kind. */
struct carried reduced_value(const struct reduced *reduced, uint32_t kind);

#endif
