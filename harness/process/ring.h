/* The last bytes of a stream. */
#ifndef GEMMJUDGE_PROCESS_RING_H
#define GEMMJUDGE_PROCESS_RING_H

#include <stddef.h>

#include "process/child.h"

struct ring {
	char bytes[CHILD_OUTPUT_MAX];
	size_t next;                     /* where the next byte goes */
	size_t held;                     /* bytes that are there, at most CHILD_OUTPUT_MAX */
	char text[CHILD_OUTPUT_MAX + 1]; /* what ring_text returns */
};

void ring_clear(struct ring *ring);
void ring_add(struct ring *ring, const char *bytes, size_t count);

/* The bytes in order, NUL-terminated; a NUL among them becomes '?'. Valid until
 * the next call of this function. */
const char *ring_text(struct ring *ring);

#endif
