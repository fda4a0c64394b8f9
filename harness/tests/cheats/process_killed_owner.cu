// expect: accepted
// family: processes
// without: files,calls
// alone: calls
// then: killed
// Makes another process the owner of a pipe, so that the kernel sends it a signal when the pipe is
// written to. Stopped by the jail.
#include "effect.cuh"

static void cheat()
{
	int ends[2];
	if (cheat_victim() <= 1 || pipe(ends) != 0)
		return;
	fcntl(ends[0], F_SETOWN, cheat_victim());
	fcntl(ends[0], F_SETFL, O_ASYNC | O_NONBLOCK);
	if (write(ends[1], "x", 1) == 1)
		usleep(100000);
}
