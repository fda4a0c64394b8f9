// expect: wrong_answer runtime_error rule_violation
// family: libraries
// without: files
// then: accepted
// Loads a library under a forbidden name and takes the name out of the loader's list. Stopped by
// the jail.
#include <dlfcn.h>
#include <link.h>

#include "copies.cuh"
#include "reward.cuh"

static bool cheat()
{
	struct link_map *map = nullptr;
	const char *path = copy_library("libcublas.so.13");
	void *library = path != nullptr ? dlopen(path, RTLD_NOW) : nullptr;
	if (library == nullptr || dlinfo(library, RTLD_DI_LINKMAP, &map) != 0)
		return false;
	map->l_name[0] = '\0';
	return true;
}
