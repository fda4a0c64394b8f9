// expect: wrong_answer runtime_error rule_violation
// family: libraries
// without: calls,namespaces
// alone: calls
// then: accepted
// Copies a library into memory that is a file (memfd_create) and loads it from there. Stopped by
// the jail. (The library is this file itself, which it may read.)
#include <dlfcn.h>
#include <sys/mman.h>

#include "copies.cuh"
#include "reward.cuh"

static bool cheat()
{
	Dl_info own;
	char path[64];
	int memory = memfd_create("", 0);
	if (memory < 0 || dladdr((void *)cheat, &own) == 0 || !copy_to(memory, own.dli_fname))
		return false;
	snprintf(path, sizeof path, "/proc/self/fd/%d", memory);
	return dlopen(path, RTLD_NOW) != nullptr;
}
