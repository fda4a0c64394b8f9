#include "process/channel.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "process/child.h"

/* Out of the way of code that closes or reuses the low descriptors. */
#define CHANNEL_LOWEST_FD 200

int channel_open(void)
{
	int type = 0;
	socklen_t size = sizeof type;
	if (getsockopt(CHILD_CHANNEL_FD, SOL_SOCKET, SO_TYPE, &type, &size) != 0 ||
		type != SOCK_SEQPACKET)
		return -1;
	int moved = fcntl(CHILD_CHANNEL_FD, F_DUPFD_CLOEXEC, CHANNEL_LOWEST_FD);
	if (moved < 0) /* a low limit of open files: any other number will do */
		moved = fcntl(CHILD_CHANNEL_FD, F_DUPFD_CLOEXEC, CHILD_CHANNEL_FD + 1);
	if (moved >= 0)
		close(CHILD_CHANNEL_FD);
	return moved;
}

bool channel_look(int channel, double seconds)
{
	struct pollfd events = {.fd = channel, .events = POLLIN};
	for (double until = clock_seconds() + seconds; seconds > 0.0 && clock_seconds() < until;)
		if (poll(&events, 1, 0) != 0)
			break;
	return true;
}

/* The descriptor in the message's control data, or -1. */
static int take_descriptor(struct msghdr *message)
{
	struct cmsghdr *control = CMSG_FIRSTHDR(message);
	int fd = -1;
	if (control != NULL && control->cmsg_level == SOL_SOCKET && control->cmsg_type == SCM_RIGHTS &&
		control->cmsg_len == CMSG_LEN(sizeof fd))
		memcpy(&fd, CMSG_DATA(control), sizeof fd);
	return fd;
}

bool channel_receive(int channel, void *request, size_t capacity, size_t *bytes, int *fd)
{
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))];
	struct iovec part = {.iov_base = request, .iov_len = capacity};
	struct msghdr message = {.msg_iov = &part,
							 .msg_iovlen = 1,
							 .msg_control = control,
							 .msg_controllen = sizeof control};
	ssize_t got;
	do
		got = recvmsg(channel, &message, MSG_CMSG_CLOEXEC);
	while (got < 0 && errno == EINTR);

	int received = got >= 0 ? take_descriptor(&message) : -1;
	bool whole = got > 0 && (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) == 0;
	if (received >= 0 && (fd == NULL || !whole)) {
		close(received);
		received = -1;
	}
	if (fd != NULL)
		*fd = received;
	*bytes = whole ? (size_t)got : 0;
	errno = got > 0 && (message.msg_flags & MSG_CTRUNC) != 0 ? EMFILE : 0;
	return whole;
}

bool channel_send(int channel, const void *reply, size_t bytes, int fd)
{
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {0};
	struct iovec part = {.iov_base = (void *)reply, .iov_len = bytes};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
	if (fd >= 0) {
		message.msg_control = control;
		message.msg_controllen = sizeof control;
		struct cmsghdr *header = CMSG_FIRSTHDR(&message);
		header->cmsg_level = SOL_SOCKET;
		header->cmsg_type = SCM_RIGHTS;
		header->cmsg_len = CMSG_LEN(sizeof fd);
		memcpy(CMSG_DATA(header), &fd, sizeof fd);
	}
	ssize_t sent;
	do
		sent = sendmsg(channel, &message, MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	return sent == (ssize_t)bytes;
}
