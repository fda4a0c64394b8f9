#include "judge/run/timing_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

int timing_lock_open(int inherited)
{
	char path[40];
	if (inherited <= STDERR_FILENO)
		return 0;
	snprintf(path, sizeof path, "/proc/self/fd/%d", inherited);
	const int lock = open(path, O_RDONLY | O_CLOEXEC);
	close(inherited); /* no child of ours inherits it */
	return lock < 0 ? 0 : lock;
}

void timing_lock_begin(int lock)
{
	while (lock > 0 && flock(lock, LOCK_SH) != 0 && errno == EINTR)
		continue;
}

void timing_lock_end(int lock)
{
	if (lock > 0)
		flock(lock, LOCK_UN);
}

bool timing_lock_is_held(int lock)
{
	if (lock == 0)
		return false;
	if (flock(lock, LOCK_EX | LOCK_NB) != 0)
		return errno == EWOULDBLOCK;
	flock(lock, LOCK_UN);
	return false;
}
