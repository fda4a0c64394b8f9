// expect: accepted
// family: processes
// without: files,calls
// alone: calls
// then: killed
// Kills another process by tgkill. Stopped by the jail.
#include <csignal>
#include <sys/syscall.h>

#include "effect.cuh"

static void cheat()
{
	if (cheat_victim() > 1)
		syscall(SYS_tgkill, cheat_victim(), cheat_victim(), SIGKILL);
}
