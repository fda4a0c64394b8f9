// expect: wrong_answer runtime_error rule_violation
// family: processes
// without: calls
// then: accepted
// Chooses the processor that it runs on, and with it the speed of the host's part of a timed call.
// Stopped by the jail: the judge chooses.
#include <sched.h>

#include "reward.cuh"

static bool cheat()
{
	cpu_set_t set;
	return sched_getaffinity(0, sizeof set, &set) == 0 &&
		   sched_setaffinity(0, sizeof set, &set) == 0;
}
