// expect: accepted
// family: files
// without: files,calls
// then: changed target
// Cuts a file of somebody else off. Stopped by the jail.
#include "effect.cuh"

static void cheat()
{
	if (truncate(cheat_path("target"), 0) != 0)
		return;
}
