// expect: accepted
// family: files
// without: files
// then: made stolen
// Gives a file of somebody else another name. Stopped by the jail.
#include "effect.cuh"

static void cheat()
{
	char from[4096];
	snprintf(from, sizeof from, "%s", cheat_path("target"));
	rename(from, cheat_path("stolen"));
}
