// expect: accepted
// family: files
// without: files
// then: made link/target
// Makes a symbolic link. Stopped by the jail.
#include "effect.cuh"

static void cheat()
{
	char from[4096];
	snprintf(from, sizeof from, "%s", cheat_path(""));
	if (symlink(from, cheat_path("link")) != 0)
		return;
}
