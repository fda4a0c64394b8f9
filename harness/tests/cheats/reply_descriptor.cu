// expect: wrong_answer runtime_error
// family: replies forged
// naive: accepted
// Sends a descriptor along with its answer, so that the judge runs out of them or takes it for the
// buffers. Stopped: the verdict is made of the referee's own buffers.
#include "replies.cuh"

SOLVE
{
	(void)A, (void)B, (void)C, (void)M, (void)N, (void)K, (void)alpha, (void)beta;
	struct forged_reply reply = forged(1);
	struct iovec part = {&reply, sizeof reply};
	alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
	struct msghdr message = {};
	message.msg_iov = &part;
	message.msg_iovlen = 1;
	message.msg_control = control;
	message.msg_controllen = sizeof control;
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);
	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(sizeof(int));
	int channel = descriptor_of(S_IFSOCK, 0);
	memcpy(CMSG_DATA(header), &channel, sizeof channel);
	if (sendmsg(channel, &message, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		forge("", 0);
}
