// expect: runtime_error
// family: replies forged
// naive: accepted
// Answers with half a message. Stopped: what is no whole reply breaks the channel.
#include "replies.cuh"

SOLVE
{
	(void)A, (void)B, (void)C, (void)M, (void)N, (void)K, (void)alpha, (void)beta;
	struct forged_reply reply = forged(1);
	forge(&reply, 12);
}
