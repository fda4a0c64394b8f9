// expect: wrong_answer
// family: replies forged
// naive: accepted
// Answers in the contestant's place, "all went well", and does no work. Stopped by the verdict
// being made of C, which the referee compares.
#include "replies.cuh"

SOLVE
{
	(void)A, (void)B, (void)C, (void)M, (void)N, (void)K, (void)alpha, (void)beta;
	struct forged_reply reply = forged(1);
	forge(&reply, sizeof reply);
	fflush(stdout);
}
