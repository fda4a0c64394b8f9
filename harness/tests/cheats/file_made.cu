// expect: accepted
// family: files
// without: files
// then: made mark
// Leaves a file behind. Stopped by the jail.
#include "effect.cuh"

static void cheat()
{
	close(open(cheat_path("mark"), O_CREAT | O_WRONLY, 0600));
}
