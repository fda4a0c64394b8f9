// expect: wrong_answer runtime_error rule_violation
// family: files
// without: files
// then: accepted
// Reads a file of somebody else. Stopped by the jail.
#include "reward.cuh"

static bool cheat()
{
	char text[8];
	return read(open(cheat_path("target"), O_RDONLY), text, sizeof text) > 0;
}
