// expect: wrong_answer runtime_error rule_violation
// family: processes
// without: files,calls
// then: accepted
// Runs a command by the shell. Stopped by the jail.
#include "reward.cuh"

static bool cheat()
{
	return system("true") == 0;
}
