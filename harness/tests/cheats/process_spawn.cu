// expect: wrong_answer runtime_error rule_violation
// family: processes
// without: files,calls
// then: accepted
// Runs a program. Stopped by the jail.
#include <spawn.h>
#include <sys/wait.h>

#include "reward.cuh"

static bool cheat()
{
	pid_t child;
	char name[] = "true", *words[] = {name, nullptr};
	int status = 1;
	return posix_spawn(&child, "/bin/true", nullptr, nullptr, words, nullptr) == 0 &&
		   waitpid(child, &status, 0) == child && status == 0;
}
