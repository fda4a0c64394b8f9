#include "compile/lease.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/paths.h"

void lease_touch(const char *path)
{
	const struct timespec times[2] = {{.tv_nsec = UTIME_NOW}, {.tv_nsec = UTIME_OMIT}};
	if (utimensat(AT_FDCWD, path, times, 0) != 0)
		return; /* another user's cache, which can be read: that one's use counts */
}

static bool same_file(int fd, const char *path)
{
	struct stat open_one, named;
	return fstat(fd, &open_one) == 0 && stat(path, &named) == 0 &&
		   open_one.st_dev == named.st_dev && open_one.st_ino == named.st_ino;
}

/* An open, locked `sum`; marked as used, if the lock is shared. */
static int take(const char *entry, int lock)
{
	char path[PATHS_MAX];
	struct error ignored;
	if (!paths_join(path, entry, "sum", &ignored))
		return 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd <= 0)
		return 0;
	bool held = flock(fd, lock | LOCK_NB) == 0;
	if (!held && errno != EWOULDBLOCK && lock == LOCK_SH)
		held = true; /* a file system without locks: nobody can remove the entry, either */
	/* whoever had the lock may have removed the entry meanwhile */
	if (!held || !same_file(fd, path)) {
		close(fd);
		return 0;
	}
	if (lock == LOCK_SH)
		lease_touch(path);
	return fd;
}

int lease_take(const char *entry)
{
	return take(entry, LOCK_SH);
}

int lease_take_alone(const char *entry)
{
	return take(entry, LOCK_EX);
}

void lease_end(int *lease)
{
	if (*lease > 0)
		close(*lease);
	*lease = 0;
}
