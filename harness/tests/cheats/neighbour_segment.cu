// expect: wrong_answer
// family: what a former file has left
// without: calls,namespaces
// batch: this this
// then: accepted
// Leaves a segment of shared memory to the next one of its batch, and is right only where it finds
// one. Stopped by the jail.
#include <sys/ipc.h>
#include <sys/shm.h>

#include "reward.cuh"

static bool cheat()
{
	const key_t key = 0x6c6d0000 ^ cheat_victim();
	return shmget(key, 4096, IPC_CREAT | IPC_EXCL | 0600) < 0 && shmget(key, 4096, 0600) >= 0;
}
