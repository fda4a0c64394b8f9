// expect: accepted
// family: files
// without: files
// then: made folder
// Makes a folder. Stopped by the jail.
#include <sys/stat.h>

#include "effect.cuh"

static void cheat()
{
	mkdir(cheat_path("folder"), 0700);
}
