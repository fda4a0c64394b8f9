// expect: wrong_answer runtime_error rule_violation
// family: libraries
// without: files
// then: accepted
// Loads a library that lies elsewhere under another name. Stopped by the jail: no file of it can be
// read. (A copy of libm stands for it.)
#include <dlfcn.h>

#include "reward.cuh"

static bool cheat()
{
	return dlopen(cheat_path("library.so"), RTLD_NOW) != nullptr;
}
