// expect: wrong_answer runtime_error rule_violation
// family: files
// without: files
// then: accepted
// Reads /etc/passwd. Stopped by the jail.
#include "reward.cuh"

static bool cheat()
{
	char byte;
	return read(open("/etc/passwd", O_RDONLY), &byte, 1) == 1;
}
