// expect: accepted
// family: processes
// without: calls
// then: niced 19
// Slows another process down. Stopped by the jail.
#include <sys/resource.h>

#include "effect.cuh"

static void cheat()
{
	if (cheat_victim() > 1)
		setpriority(PRIO_PROCESS, (id_t)cheat_victim(), 19);
}
