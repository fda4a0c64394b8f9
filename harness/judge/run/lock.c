#include "judge/run/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LOCK_FILE "/tmp/gemmjudge-%s.lock"
#define PLACE_FILE "/tmp/gemmjudge-%s.place-%u"
/* Whoever comes for the lock holds this one for a moment, and who waits to have the device alone
 * until it has it. */
#define TURN_FILE "/tmp/gemmjudge-%s.turn"
/* Between two looks at a lock that another judge has. Who wants it alone looks more often, and so
 * comes before those who share: times are taken one after the other, with no context switched in
 * between. */
#define LOOK_NANOSECONDS 20000000
#define LOOK_ALONE_NANOSECONDS 2000000
/* An H200's driver makes and ends five contexts a second, whether four processes ask for them at
 * once or sixteen. */
#define CONTEXTS 4u
#define CONTEXT_LOOKS 5000 /* ten seconds: one that does not end keeps nobody */

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

static enum lock_state take_file(const char *path, int how, int *fd)
{
	*fd = lock_open(path);
	if (*fd < 0)
		return LOCK_AMISS;
	int failed;
	do
		failed = flock(*fd, how | LOCK_NB);
	while (failed != 0 && errno == EINTR);
	if (failed == 0)
		return LOCK_HELD;
	int why = errno;
	close(*fd);
	*fd = -1;
	errno = why;
	return why == EWOULDBLOCK ? LOCK_BUSY : LOCK_AMISS;
}

static enum lock_state take_turn(const char *device, int *turn)
{
	char path[LOCK_PATH];
	snprintf(path, sizeof path, TURN_FILE, device);
	return take_file(path, LOCK_EX, turn);
}

/* With the turn. */
static enum lock_state take_device(const char *device, enum lock_mode mode, int *fd)
{
	char path[LOCK_PATH];
	lock_path(device, path);
	return take_file(path, mode == LOCK_ALONE ? LOCK_EX : LOCK_SH, fd);
}

static void give_back(int *turn)
{
	const int why = errno;
	if (*turn >= 0)
		close(*turn);
	*turn = -1;
	errno = why;
}

enum lock_state lock_take(const char *device, enum lock_mode mode, int *fd)
{
	int turn;
	*fd = -1;
	if (take_turn(device, &turn) == LOCK_BUSY)
		return LOCK_BUSY;
	const enum lock_state state = take_device(device, mode, fd);
	give_back(&turn);
	return state;
}

bool lock_place(const char *device, unsigned places, int *fd)
{
	char path[LOCK_PATH];
	enum lock_state state = LOCK_BUSY;
	for (unsigned i = 0; i < places && state == LOCK_BUSY; i++) {
		snprintf(path, sizeof path, PLACE_FILE, device, i);
		state = take_file(path, LOCK_EX, fd);
	}
	return state != LOCK_BUSY;
}

int lock_context(const struct device_choice *device)
{
	static const struct timespec pause = {.tv_nsec = LOOK_ALONE_NANOSECONDS};
	char name[64];
	int fd = -1;
	if (device->kind != DEVICE_CUDA)
		return -1;
	snprintf(name, sizeof name, "cuda-%d-context", device->ordinal);
	for (int i = 0; i < CONTEXT_LOOKS && !lock_place(name, CONTEXTS, &fd); i++)
		nanosleep(&pause, NULL);
	return fd;
}

bool lock_wait(const char *device, enum lock_mode mode, int *fd, bool (*over)(const void *context),
			   const void *context)
{
	const struct timespec pause = {.tv_nsec = mode == LOCK_ALONE ? LOOK_ALONE_NANOSECONDS
																 : LOOK_NANOSECONDS};
	int turn = -1;
	enum lock_state state = LOCK_BUSY;
	*fd = -1;
	for (;;) {
		if (turn >= 0 || take_turn(device, &turn) != LOCK_BUSY)
			state = take_device(device, mode, fd);
		if (state != LOCK_BUSY || mode == LOCK_SHARED)
			give_back(&turn);
		if (state != LOCK_BUSY || over(context))
			break;
		nanosleep(&pause, NULL);
	}
	give_back(&turn);
	return state == LOCK_HELD;
}
