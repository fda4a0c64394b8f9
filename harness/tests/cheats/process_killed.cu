// expect: accepted
// family: processes
// without: files,calls
// alone: calls
// then: killed
// Kills another process. Stopped by the jail.
#include <csignal>

#include "effect.cuh"

static void cheat()
{
	if (cheat_victim() > 1)
		kill(cheat_victim(), SIGKILL);
}
