// expect: wrong_answer runtime_error rule_violation
// family: libraries
// without: files
// then: accepted
// Loads a library under a forbidden name, uses it, and closes it before anybody looks. Stopped by
// the jail.
#include <dlfcn.h>

#include "copies.cuh"
#include "reward.cuh"

static bool cheat()
{
	const char *path = copy_library("libcublas.so.13");
	void *library = path != nullptr ? dlopen(path, RTLD_NOW) : nullptr;
	return library != nullptr && dlsym(library, "cbrtf") != nullptr && dlclose(library) == 0;
}
