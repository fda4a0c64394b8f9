/* Requests to a child, and its replies: packets with at most one descriptor. */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "process/child_inside.h"

#define HANG_UP_SECONDS 2.0 /* between a closed channel and the end of its process */

union control {
	struct cmsghdr header;
	char bytes[CMSG_SPACE(sizeof(int))];
};

static ssize_t send_packet(int channel, const void *request, size_t bytes, int fd)
{
	union control control = {0};
	struct iovec part = {.iov_base = (void *)request, .iov_len = bytes};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
	if (fd >= 0) {
		message.msg_control = &control;
		message.msg_controllen = sizeof control;
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(sizeof fd);
		memcpy(CMSG_DATA(&control.header), &fd, sizeof fd);
	}
	return sendmsg(channel, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* The channel is closed on the other side: either the process is about to be
 * gone, or it damaged its channel and will never answer. */
static void await_end_after_hang_up(struct child *child, double *deadline)
{
	double patience = clock_seconds() + HANG_UP_SECONDS;
	short ignored;
	while (child->alive && clock_seconds() < patience)
		if (!child_round(child, 0, &ignored, deadline))
			return;
	child_end(child, CHILD_BROKEN);
}

/* False when the child has been ended. */
static bool send_request(struct child *child, const void *request, size_t bytes, int fd,
						 double *deadline)
{
	char unasked;
	short ready;
	if (bytes > CHILD_MESSAGE_MAX ||
		recv(child->channel, &unasked, 1, MSG_PEEK | MSG_DONTWAIT) > 0) {
		child_end(child, CHILD_BROKEN); /* a second reply to the last request */
		return false;
	}
	while (send_packet(child->channel, request, bytes, fd) < 0) {
		if (errno == EINTR)
			continue;
		if (errno != EAGAIN) {
			await_end_after_hang_up(child, deadline);
			return false;
		}
		if (!child_round(child, POLLOUT, &ready, deadline))
			return false;
	}
	return true;
}

/* The one descriptor that came along, or -1. False where there are several, which are closed: the
 * alignment of control data leaves room for a second one. */
static bool take_descriptor(struct msghdr *message, int *fd)
{
	struct cmsghdr *header = CMSG_FIRSTHDR(message);
	*fd = -1;
	if (header == NULL || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
		return true;
	size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof *fd;
	for (size_t i = 0; i < count; i++) {
		child_close(fd);
		memcpy(fd, CMSG_DATA(header) + i * sizeof *fd, sizeof *fd);
	}
	if (count > 1)
		child_close(fd);
	return count <= 1;
}

/* The packet that is there. False when it is no valid one. */
static bool take_reply(int channel, void *reply, size_t capacity, size_t *bytes, int *fd)
{
	union control control = {0};
	struct iovec part = {.iov_base = reply, .iov_len = capacity};
	struct msghdr message = {.msg_iov = &part,
							 .msg_iovlen = 1,
							 .msg_control = &control,
							 .msg_controllen = sizeof control};
	*fd = -1;
	*bytes = 0;
	ssize_t got = recvmsg(channel, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
	if (got < 0)
		return false;
	*bytes = (size_t)got;
	if (take_descriptor(&message, fd) && got > 0 &&
		(message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) == 0)
		return true;
	child_close(fd);
	return false;
}

/* The way a process is woken takes tens of microseconds; one that looks takes one. */
#define LOOK_SECONDS 0.2

static void look_for_reply(const struct child *child)
{
	struct pollfd events = {.fd = child->channel, .events = POLLIN};
	double until = clock_seconds() + LOOK_SECONDS;
	while (poll(&events, 1, 0) == 0 && clock_seconds() < until)
		;
}

struct child_result child_call_clocked(struct child *child, const void *request,
									   size_t request_bytes, int request_fd, void *reply,
									   size_t reply_capacity, size_t *reply_bytes, int *reply_fd,
									   double seconds, double *elapsed)
{
	double deadline = child_begin_rounds(child, seconds);
	short ready = 0;
	*reply_bytes = 0;
	*reply_fd = -1;
	child->result.waited = 0.0;
	double started = clock_seconds(), until = deadline;
	if (!child->alive || !send_request(child, request, request_bytes, request_fd, &deadline))
		return child->result;
	if (elapsed != NULL)
		look_for_reply(child);

	while (child_round(child, POLLIN, &ready, &deadline)) {
		child->result.waited = clock_seconds() - started - (deadline - until);
		if ((ready & POLLIN) == 0 && (ready & (POLLHUP | POLLERR)) == 0)
			continue;
		if (take_reply(child->channel, reply, reply_capacity, reply_bytes, reply_fd)) {
			struct child_result result = child->result;
			result.outcome = CHILD_REPLIED;
			if (elapsed != NULL)
				*elapsed = clock_seconds() - started;
			return result;
		}
		if (*reply_bytes > 0)
			child_end(child, CHILD_BROKEN);
		else
			await_end_after_hang_up(child, &deadline);
		break;
	}
	return child->result;
}

struct child_result child_call(struct child *child, const void *request, size_t request_bytes,
							   int request_fd, void *reply, size_t reply_capacity,
							   size_t *reply_bytes, int *reply_fd, double seconds)
{
	return child_call_clocked(child, request, request_bytes, request_fd, reply, reply_capacity,
							  reply_bytes, reply_fd, seconds, NULL);
}
