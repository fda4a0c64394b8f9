// expect: accepted
// family: files
// without: files
// then: changed target
// Removes a file of somebody else. Stopped by the jail.
#include "effect.cuh"

static void cheat()
{
	unlink(cheat_path("target"));
}
