// expect: accepted
// family: processes
// without: files,calls
// alone: calls
// then: killed
// Kills another process by a descriptor of it. Stopped by the jail.
#include <csignal>
#include <sys/syscall.h>

#include "effect.cuh"

static void cheat()
{
	int process = (int)syscall(SYS_pidfd_open, cheat_victim(), 0);
	syscall(SYS_pidfd_send_signal, process, SIGKILL, nullptr, 0);
}
