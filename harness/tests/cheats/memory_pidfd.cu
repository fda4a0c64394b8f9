// expect: wrong_answer runtime_error rule_violation
// family: the judge's memory
// without: files,calls,namespaces
// alone-cuda: files,calls
// then: accepted
// Takes a descriptor out of another process (pidfd_getfd). Stopped by the jail.
#include <sys/syscall.h>

#include "reward.cuh"

static bool cheat()
{
	int process = (int)syscall(SYS_pidfd_open, cheat_victim(), 0);
	return process >= 0 && syscall(SYS_pidfd_getfd, process, 1, 0) >= 0;
}
