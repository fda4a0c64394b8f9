// expect: wrong_answer runtime_error rule_violation
// family: processes
// without: calls
// then: accepted
// Makes a process. Stopped by the jail.
#include <sys/wait.h>

#include "reward.cuh"

static bool cheat()
{
	pid_t child = fork();
	if (child == 0)
		_exit(0);
	return child > 0 && waitpid(child, nullptr, 0) == child;
}
