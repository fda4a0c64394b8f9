// expect: accepted
// family: files
// without: files
// then: changed target
// Writes into a file of somebody else, as one did with a baseline's source. Stopped by the jail.
#include "effect.cuh"

static void cheat()
{
	int file = open(cheat_path("target"), O_WRONLY);
	if (write(file, "after\n", 6) < 0)
		close(file);
}
