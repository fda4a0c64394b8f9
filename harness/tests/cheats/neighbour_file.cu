// expect: wrong_answer
// family: what a former file has left
// without: files
// batch: this this
// then: accepted
// Leaves a file to the next one of its batch, and is right only where it finds one. Stopped by the
// jail.
#include "reward.cuh"

static bool cheat()
{
	const int file = open(cheat_path("left"), O_CREAT | O_EXCL | O_WRONLY, 0600);
	if (file < 0 && access(cheat_path("left"), F_OK) == 0)
		return true;
	close(file);
	return false;
}
