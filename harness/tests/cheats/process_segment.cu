// expect: accepted
// family: processes
// without: calls,namespaces
// then: segment 0x6c6d6a75
// Leaves a segment of shared memory behind, by which results outlive the process. Stopped by the
// jail.
#include <sys/ipc.h>
#include <sys/shm.h>

#include "effect.cuh"

static void cheat()
{
	shmget(0x6c6d6a75, 4096, IPC_CREAT | 0600);
}
