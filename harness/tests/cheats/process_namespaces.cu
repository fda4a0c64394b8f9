// expect: wrong_answer runtime_error rule_violation
// family: processes
// without: calls
// then: accepted
// Makes namespaces of its own. Stopped by the jail.
#include <sched.h>

#include "reward.cuh"

static bool cheat()
{
	/* the driver's threads stand in the way of the first: then the second, if root judges */
	return unshare(CLONE_NEWUSER) == 0 || unshare(CLONE_NEWUTS) == 0;
}
