// expect: wrong_answer runtime_error rule_violation
// family: libraries
// without: files
// then: accepted
// Loads a library into a link map of its own, which a look at the program's does not show. Stopped
// by the jail.
#include <dlfcn.h>

#include "reward.cuh"

static bool cheat()
{
	return dlmopen(LM_ID_NEWLM, cheat_path("library.so"), RTLD_NOW) != nullptr;
}
