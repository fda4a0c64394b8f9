// expect: wrong_answer runtime_error rule_violation
// family: replies forged
// naive: accepted
// Takes the process over while it is loaded, and answers every request with "all went well".
// Stopped by the verdict being made of C, which it never writes.
#include "replies.cuh"

static __attribute__((constructor)) void take_over()
{
	static char request[1 << 20];
	uint32_t type = FORGED_RUN;
	int channel = descriptor_of(S_IFSOCK, 0);
	do {
		struct forged_reply reply = forged(1);
		reply.type = type;
		forge(&reply, sizeof reply);
		ssize_t got = recv(channel, request, sizeof request, 0);
		if (got < (ssize_t)sizeof type)
			_exit(0);
		memcpy(&type, request, sizeof type);
	} while (true);
}

SOLVE
{
	(void)A, (void)B, (void)C, (void)M, (void)N, (void)K, (void)alpha, (void)beta;
}
