#include "judge/run/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LOCK_FILE "/tmp/gemmjudge-%s.lock"
#define LOOK_NANOSECONDS 50000000 /* between two looks at a lock that another judge has */

void lock_name(const struct device_choice *choice, const struct device_properties *facts,
			   char out[64])
{
	out[0] = '\0';
	if (choice->kind != DEVICE_CUDA)
		return;
	if (facts->pci_bus_id[0] != '\0')
		snprintf(out, 64, "%.31s", facts->pci_bus_id);
	else
		snprintf(out, 64, "cuda-%d", choice->ordinal);
}

/* Of whoever was here first: to lock a file one need not write it. */
static int lock_open(const char *path)
{
	const int flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
	int fd = open(path, flags);
	if (fd < 0 && errno == ENOENT) {
		fd = open(path, flags | O_CREAT | O_EXCL, 0644);
		if (fd >= 0)
			fchmod(fd, 0644); /* others' judges open it, whatever this one's umask */
	}
	return fd < 0 && errno == EEXIST ? open(path, flags) : fd;
}

void lock_path(const char *device, char out[LOCK_PATH])
{
	snprintf(out, LOCK_PATH, LOCK_FILE, device);
}

enum lock_state lock_take(const char *device, int *fd)
{
	char path[LOCK_PATH];
	lock_path(device, path);
	*fd = lock_open(path);
	if (*fd < 0)
		return LOCK_AMISS;
	int failed;
	do
		failed = flock(*fd, LOCK_EX | LOCK_NB);
	while (failed != 0 && errno == EINTR);
	if (failed == 0)
		return LOCK_HELD;
	int why = errno;
	close(*fd);
	*fd = -1;
	errno = why;
	return why == EWOULDBLOCK ? LOCK_BUSY : LOCK_AMISS;
}

bool lock_wait(const char *device, int *fd, bool (*over)(const void *context), const void *context)
{
	const struct timespec pause = {.tv_nsec = LOOK_NANOSECONDS};
	enum lock_state state;
	while ((state = lock_take(device, fd)) == LOCK_BUSY && !over(context))
		nanosleep(&pause, NULL);
	return state == LOCK_HELD;
}
