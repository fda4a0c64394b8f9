// expect: wrong_answer runtime_error rule_violation
// family: the judge's memory
// without: files,calls,namespaces
// alone-cuda: files,calls
// then: accepted
// Becomes the tracer of another process. Stopped by the jail. (The end of the tracer lets it go.)
#include <sys/ptrace.h>

#include "reward.cuh"

static bool cheat()
{
	return ptrace(PTRACE_SEIZE, cheat_victim(), nullptr, nullptr) == 0;
}
