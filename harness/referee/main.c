/* The referee's process: answers one message after the other on CHILD_CHANNEL_FD
 * until the supervisor closes it. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include "process/child.h"
#include "process/protocol.h"
#include "referee/referee.h"

union request {
	struct message head;
	struct referee_open open;
	struct referee_case make;
	struct referee_reset reset;
	struct referee_check check;
};

union reply {
	struct message head;
	struct referee_open_reply open;
	struct referee_case_reply make;
	struct referee_check_reply check;
};

/* Sends the reply, with a descriptor when fd >= 0. */
static bool send_reply(const void *reply, size_t bytes, int fd)
{
	union {
		struct cmsghdr head;
		char space[CMSG_SPACE(sizeof(int))];
	} control = {0};
	struct iovec part = {.iov_base = (void *)reply, .iov_len = bytes};
	struct msghdr packet = {.msg_iov = &part, .msg_iovlen = 1};
	if (fd >= 0) {
		packet.msg_control = &control;
		packet.msg_controllen = sizeof control;
		struct cmsghdr *rights = CMSG_FIRSTHDR(&packet);
		rights->cmsg_level = SOL_SOCKET;
		rights->cmsg_type = SCM_RIGHTS;
		rights->cmsg_len = CMSG_LEN(sizeof fd);
		memcpy(CMSG_DATA(rights), &fd, sizeof fd);
	}
	ssize_t sent;
	do
		sent = sendmsg(CHILD_CHANNEL_FD, &packet, MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	return sent == (ssize_t)bytes;
}

static bool is_size(size_t got, size_t wanted, struct error *err)
{
	if (got == wanted)
		return true;
	return error_set(err,
					 "a message of %zu bytes where %zu belong: the parts of this program were "
					 "not built together",
					 got, wanted);
}

/* Fills the reply (head apart) and says how long it is. */
static bool answer(struct referee *referee, const union request *request, size_t got,
				   union reply *reply, size_t *bytes, int *fd, struct error *err)
{
	switch (request->head.type) {
	case MESSAGE_REFEREE_OPEN:
		*bytes = sizeof reply->open;
		if (!is_size(got, sizeof request->open, err) ||
			!referee_open(referee, &request->open.device, err))
			return false;
		reply->open.facts = referee->facts;
		return true;
	case MESSAGE_REFEREE_CASE:
		*bytes = sizeof reply->make;
		if (!is_size(got, sizeof request->make, err) ||
			!referee_case(referee, &request->make, fd, err))
			return false;
		reply->make.arena = referee->arena;
		return true;
	case MESSAGE_REFEREE_RESET:
		*bytes = sizeof reply->head;
		return is_size(got, sizeof request->reset, err) &&
			   referee_reset(referee, request->reset.fresh, err);
	case MESSAGE_REFEREE_CHECK:
		*bytes = sizeof reply->check;
		return is_size(got, sizeof request->check, err) &&
			   referee_check(referee, &request->check, &reply->check, fd, err);
	case MESSAGE_REFEREE_STAGE:
		*bytes = sizeof reply->check;
		return is_size(got, sizeof request->head, err) &&
			   referee_stage(referee, &reply->check, fd, err);
	}
	*bytes = sizeof reply->head;
	return error_set(err, "a message of unknown type %u", request->head.type);
}

int main(void)
{
	struct referee referee = {0};
	union request request;
	/* Should the supervisor be killed, nobody would close what we hold. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);

	for (;;) {
		memset(&request, 0, sizeof request);
		ssize_t got = recv(CHILD_CHANNEL_FD, &request, sizeof request, 0);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < (ssize_t)sizeof request.head)
			break; /* closed, or nothing that could be answered */

		union reply reply;
		struct error err = {0};
		size_t bytes = sizeof reply.head;
		int fd = -1;
		memset(&reply, 0, sizeof reply);
		bool ok = answer(&referee, &request, (size_t)got, &reply, &bytes, &fd, &err);
		if (!ok)
			memset(&reply, 0, sizeof reply);
		reply.head.type = request.head.type;
		reply.head.ok = ok;
		memcpy(reply.head.error, err.message, sizeof reply.head.error);
		if (!send_reply(&reply, bytes, ok ? fd : -1))
			break;
	}
	referee_close(&referee);
	return 0;
}
