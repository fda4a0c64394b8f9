#include "judge/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

#define LOCK_FILE "/tmp/gemmjudge-%s.lock"

void lock_name(const struct device_choice *choice, const struct device_facts *facts, char out[64])
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
	if (fd < 0 && errno == ENOENT)
		fd = open(path, flags | O_CREAT | O_EXCL, 0644);
	return fd < 0 && errno == EEXIST ? open(path, flags) : fd;
}

enum lock_state lock_take(const char *device, int *fd)
{
	char path[128];
	snprintf(path, sizeof path, LOCK_FILE, device);
	*fd = lock_open(path);
	if (*fd < 0)
		return LOCK_AMISS;
	int failed;
	do
		failed = flock(*fd, LOCK_EX | LOCK_NB);
	while (failed != 0 && errno == EINTR);
	if (failed == 0)
		return LOCK_HELD;
	bool busy = errno == EWOULDBLOCK;
	close(*fd);
	*fd = -1;
	return busy ? LOCK_BUSY : LOCK_AMISS;
}
