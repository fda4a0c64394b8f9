#include "process/ring.h"

#include <string.h>

void ring_clear(struct ring *ring)
{
	ring->next = 0;
	ring->held = 0;
}

void ring_add(struct ring *ring, const char *bytes, size_t count)
{
	if (count > CHILD_OUTPUT_MAX) {
		bytes += count - CHILD_OUTPUT_MAX;
		count = CHILD_OUTPUT_MAX;
	}
	size_t until_end = CHILD_OUTPUT_MAX - ring->next;
	size_t first = count < until_end ? count : until_end;
	memcpy(ring->bytes + ring->next, bytes, first);
	memcpy(ring->bytes, bytes + first, count - first);
	ring->next = (ring->next + count) % CHILD_OUTPUT_MAX;
	ring->held = ring->held + count < CHILD_OUTPUT_MAX ? ring->held + count : CHILD_OUTPUT_MAX;
}

const char *ring_text(struct ring *ring)
{
	size_t start = (ring->next + CHILD_OUTPUT_MAX - ring->held) % CHILD_OUTPUT_MAX;
	for (size_t i = 0; i < ring->held; i++) {
		char byte = ring->bytes[(start + i) % CHILD_OUTPUT_MAX];
		ring->text[i] = byte != '\0' ? byte : '?';
	}
	ring->text[ring->held] = '\0';
	return ring->text;
}
