#include "judge/run/beside.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

int beside_open(int inherited)
{
	char path[40];
	if (inherited <= STDERR_FILENO)
		return 0;
	snprintf(path, sizeof path, "/proc/self/fd/%d", inherited);
	const int beside = open(path, O_RDONLY | O_CLOEXEC);
	close(inherited); /* no child of ours inherits it */
	return beside < 0 ? 0 : beside;
}

void beside_begin(int beside)
{
	while (beside > 0 && flock(beside, LOCK_SH) != 0 && errno == EINTR)
		continue;
}

void beside_end(int beside)
{
	if (beside > 0)
		flock(beside, LOCK_UN);
}

bool beside_is_timed(int beside)
{
	if (beside == 0)
		return false;
	if (flock(beside, LOCK_EX | LOCK_NB) != 0)
		return errno == EWOULDBLOCK;
	flock(beside, LOCK_UN);
	return false;
}
