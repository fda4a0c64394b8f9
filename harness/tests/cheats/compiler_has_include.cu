// expect: compile_error wrong_answer
// family: the compiler
// without: compiler
// then: accepted
// Asks the compiler whether files of the machine are there. Stopped by the jail.
#include "reward.cuh"

static bool cheat()
{
#if __has_include("/etc/passwd")
	return true;
#else
	return false;
#endif
}
