/* What a child prints, and the ends of its pipes. */
#include <errno.h>
#include <unistd.h>

#include "process/child_inside.h"

void child_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void child_drain(struct child *child, int reads)
{
	char bytes[65536];
	for (; reads > 0 && child->output >= 0; reads--) {
		ssize_t got = read(child->output, bytes, sizeof bytes);
		if (got > 0) {
			ring_add(&child->ring, bytes, (size_t)got);
			child->said += (uint64_t)got;
			continue;
		}
		if (got == 0)
			child_close(&child->output);
		if (got == 0 || errno != EINTR)
			return;
	}
}

const char *child_output(struct child *child)
{
	if (child->alive)
		child_drain(child, CHILD_DRAIN_READS);
	return ring_text(&child->ring);
}

void child_output_clear(struct child *child)
{
	if (child->alive)
		child_drain(child, CHILD_DRAIN_READS);
	ring_clear(&child->ring);
}
