// expect: accepted
// family: work late
// without: calls
// then: says worked late
// A child process goes on when the call is over. Stopped by the jail: no new process.
#include "effect.cuh"

static void cheat()
{
	if (fork() == 0) {
		usleep(50000);
		if (write(STDOUT_FILENO, "worked late\n", 12) < 0)
			_exit(1);
		_exit(0);
	}
	usleep(200000); // the child must have had its time, where there is one
}
