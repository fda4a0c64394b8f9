// expect: wrong_answer runtime_error rule_violation
// family: processes
// without: calls
// then: accepted
// Moves another process to one processor. Stopped by the jail.
#include <sched.h>

#include "reward.cuh"

static bool cheat()
{
	cpu_set_t one;
	CPU_ZERO(&one);
	CPU_SET(0, &one);
	return cheat_victim() > 1 && sched_setaffinity(cheat_victim(), sizeof one, &one) == 0;
}
