// expect: wrong_answer runtime_error rule_violation
// family: files
// without: files
// then: accepted
// Reads the judge's command line, and with it the seed. Stopped by the jail.
#include "reward.cuh"

static bool cheat()
{
	char path[64], byte;
	snprintf(path, sizeof path, "/proc/%d/cmdline", getppid());
	return read(open(path, O_RDONLY), &byte, 1) == 1;
}
