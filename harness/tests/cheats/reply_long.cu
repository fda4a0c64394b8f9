// expect: runtime_error
// family: replies forged
// naive: accepted
// Answers with more than there is room for. Stopped: what is no whole reply breaks the channel.
#include "replies.cuh"

SOLVE
{
	(void)A, (void)B, (void)C, (void)M, (void)N, (void)K, (void)alpha, (void)beta;
	static struct forged_reply reply[20];
	reply[0] = forged(1);
	forge(reply, sizeof reply);
}
