// expect: wrong_answer runtime_error rule_violation
// family: replies forged
// shown: the supervisor believed such a reply, and the case counted as not run, which is no fault
// says: solve()
// Answers that the judge itself has failed, with a text of its own, so that the case is not
// counted. Stopped: what comes from the solution's process is never the judge's fault.
#include "replies.cuh"

SOLVE
{
	(void)A, (void)B, (void)C, (void)M, (void)N, (void)K, (void)alpha, (void)beta;
	struct forged_reply reply = forged(0);
	strcpy(reply.error, "the machine is out of memory");
	forge(&reply, sizeof reply);
}
