// expect: wrong_answer runtime_error rule_violation
// family: files
// without: files
// then: accepted
// Lists the root folder. Stopped by the jail.
#include <dirent.h>

#include "reward.cuh"

static bool cheat()
{
	DIR *root = opendir("/");
	return root != nullptr && readdir(root) != nullptr;
}
