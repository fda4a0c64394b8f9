// expect: wrong_answer runtime_error rule_violation
// family: processes
// without: calls
// then: accepted
// Makes a process by the newer system call, whose arguments a filter cannot see. Stopped by the
// jail.
#include <csignal>
#include <linux/sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "reward.cuh"

static bool cheat()
{
	struct clone_args arguments = {};
	arguments.exit_signal = SIGCHLD;
	pid_t child = (pid_t)syscall(SYS_clone3, &arguments, sizeof arguments);
	if (child == 0)
		_exit(0);
	return child > 0 && waitpid(child, nullptr, 0) == child;
}
