/* Programs that one process starts and others use in turn. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "process/child_inside.h"

struct child *child_borrow(int channel, pid_t program, struct error *err)
{
	struct child *child = calloc(1, sizeof *child);
	if (child == NULL) {
		error_set(err, "out of memory");
		return NULL;
	}
	child->channel = channel;
	child->output = child->life = child->report = -1;
	child->program = program;
	child->alive = child->lent = true;
	return child;
}

int child_lend(const struct child *child, pid_t *program)
{
	*program = child->program;
	return child->alive ? fcntl(child->channel, F_DUPFD_CLOEXEC, CHILD_CHANNEL_FD + 1) : -1;
}

bool child_runs(const struct child *child)
{
	struct pollfd events = {.fd = child->report, .events = POLLIN};
	return child->alive && poll(&events, 1, 0) == 0;
}

void child_forget_replies(const struct child *child)
{
	char unread;
	while (recv(child->channel, &unread, 1, MSG_DONTWAIT) > 0)
		continue;
}

bool child_is_idle(const struct child *child)
{
	struct pollfd events[] = {{.fd = child->channel, .events = POLLIN},
							  {.fd = child->report, .events = POLLIN}};
	return child->alive && poll(events, 2, 0) == 0;
}
