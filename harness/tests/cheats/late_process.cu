// expect: wrong_answer runtime_error
// family: work late
// without: calls
// then: made worked-late
// A child process goes on when the call is over (and leaves a file, to be seen). Stopped by the
// jail: no new process.
#include "reward.cuh"

static bool cheat()
{
	const pid_t child = fork();
	if (child != 0)
		return child > 0 && usleep(100000) == 0;
	close(open(cheat_path("worked-late"), O_CREAT | O_WRONLY, 0600));
	_exit(0);
}
