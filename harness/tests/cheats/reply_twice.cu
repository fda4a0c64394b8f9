// expect: wrong_answer runtime_error
// family: replies forged
// naive: accepted
// Answers three times, for the calls to come too. Stopped: an answer that nobody asked for breaks
// the channel.
#include "replies.cuh"

SOLVE
{
	struct forged_reply reply = forged(1);
	cheat_right(A, B, C, M, N, K, alpha, beta);
	for (int i = 0; i < 3; i++)
		forge(&reply, sizeof reply);
}
