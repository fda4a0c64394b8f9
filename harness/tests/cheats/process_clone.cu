// expect: wrong_answer runtime_error rule_violation
// family: processes
// without: calls
// then: accepted
// Makes a process by the older system call. Stopped by the jail.
#include <csignal>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "reward.cuh"

static bool cheat()
{
	pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	if (child == 0)
		_exit(0);
	return child > 0 && waitpid(child, nullptr, 0) == child;
}
