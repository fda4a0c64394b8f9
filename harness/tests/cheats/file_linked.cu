// expect: accepted
// family: files
// without: files
// then: made link
// Makes a link to a file of somebody else, for a later run. Stopped by the jail.
#include "effect.cuh"

static void cheat()
{
	char from[4096];
	snprintf(from, sizeof from, "%s", cheat_path("target"));
	if (link(from, cheat_path("link")) != 0)
		return;
}
