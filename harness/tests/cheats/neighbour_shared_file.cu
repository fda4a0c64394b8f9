// expect: wrong_answer
// family: what a former file has left
// without: files,namespaces
// alone: files
// batch: this this
// then: accepted
// Leaves a file in /dev/shm to the next one of its batch, and is right only where it finds one.
// Stopped by the jail.
#include <sys/mman.h>

#include "reward.cuh"

static bool cheat()
{
	char name[64];
	snprintf(name, sizeof name, "/gemmjudge-cheat-%d", cheat_victim());
	const int file = shm_open(name, O_CREAT | O_EXCL | O_RDWR, 0600);
	const bool found = file < 0 && shm_open(name, O_RDWR, 0600) >= 0;
	close(file);
	return found;
}
