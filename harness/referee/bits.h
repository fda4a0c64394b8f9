/* Bits of results that are compared with those of earlier calls. */
#ifndef GEMMJUDGE_REFEREE_BITS_H
#define GEMMJUDGE_REFEREE_BITS_H

#include <stdint.h>

/* What a call has left in the outputs, one after the other. */
struct bits_kept {
	void *outputs;
	uint64_t capacity, bytes; /* bytes: 0, there are none */
	uint64_t result, columns; /* where the result begins in there; elements of its rows */
	uint64_t rows;
};

#endif
