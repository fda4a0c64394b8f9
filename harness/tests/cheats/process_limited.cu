// expect: accepted
// family: processes
// without: calls
// then: limited 7
// Takes descriptors away from another process. Stopped by the jail.
#include <sys/resource.h>

#include "effect.cuh"

static void cheat()
{
	const struct rlimit few = {7, 7};
	if (cheat_victim() > 1)
		prlimit(cheat_victim(), RLIMIT_NOFILE, &few, nullptr);
}
