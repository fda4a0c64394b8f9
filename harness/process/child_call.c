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

static ssize_t send_packet(int channel, const struct child_exchange *exchange)
{
	union control control = {0};
	struct iovec part = {.iov_base = (void *)exchange->request, .iov_len = exchange->request_bytes};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
	int fd = exchange->request_fd;
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
	if (child->lent) { /* whoever has started it sees how it ended */
		child_end(child, CHILD_EXITED);
		return;
	}
	double patience = clock_seconds() + HANG_UP_SECONDS;
	short ignored;
	while (child->alive && clock_seconds() < patience)
		if (!child_round(child, 0, &ignored, deadline))
			return;
	child_end(child, CHILD_BROKEN);
}

/* False when the child has been ended. */
static bool send_request(struct child *child, const struct child_exchange *exchange,
						 double *deadline)
{
	char unasked;
	short ready;
	if (exchange->request_bytes > CHILD_MESSAGE_MAX ||
		recv(child->channel, &unasked, 1, MSG_PEEK | MSG_DONTWAIT) > 0) {
		child_end(child, CHILD_BROKEN); /* a second reply to the last request */
		return false;
	}
	while (send_packet(child->channel, exchange) < 0) {
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
static bool take_reply(int channel, struct child_exchange *exchange)
{
	union control control = {0};
	struct iovec part = {.iov_base = exchange->reply, .iov_len = exchange->reply_capacity};
	struct msghdr message = {.msg_iov = &part,
							 .msg_iovlen = 1,
							 .msg_control = &control,
							 .msg_controllen = sizeof control};
	ssize_t got = recvmsg(channel, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
	if (got < 0)
		return false;
	exchange->reply_bytes = (size_t)got;
	if (take_descriptor(&message, &exchange->reply_fd) && got > 0 &&
		(message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) == 0)
		return true;
	child_close(&exchange->reply_fd);
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

struct child_result child_call(struct child *child, struct child_exchange *exchange)
{
	double deadline = child_begin_rounds(child, exchange->seconds);
	short ready = 0;
	exchange->reply_bytes = 0;
	exchange->reply_fd = -1;
	exchange->elapsed = 0.0;
	child->result.waited = 0.0;
	double started = clock_seconds(), until = deadline;
	if (!child->alive || !send_request(child, exchange, &deadline))
		return child->result;
	if (exchange->clocked)
		look_for_reply(child);

	while (child_round(child, POLLIN, &ready, &deadline)) {
		child->result.waited = clock_seconds() - started - (deadline - until);
		if ((ready & POLLIN) == 0 && (ready & (POLLHUP | POLLERR)) == 0)
			continue;
		if (take_reply(child->channel, exchange)) {
			struct child_result result = child->result;
			result.outcome = CHILD_REPLIED;
			exchange->elapsed = exchange->clocked ? clock_seconds() - started : 0.0;
			return result;
		}
		if (exchange->reply_bytes > 0)
			child_end(child, CHILD_BROKEN);
		else
			await_end_after_hang_up(child, &deadline);
		break;
	}
	return child->result;
}
