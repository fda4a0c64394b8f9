#include "process/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/paths.h"

#define NAME "gemmjudge-" /* then the judge's process, and a number */
#define REMOVALS 100      /* tries, a millisecond apart: a process that ended may be in there yet */

struct cgroup {
	char folder[PATHS_MAX];
	int folder_fd, enter; /* its cgroup.procs */
};

/* The names of version 2, then of version 1. */
static const char *const limits[] = {"memory.max", "memory.limit_in_bytes"};
static const char *const swaps[] = {"memory.swap.max", "memory.memsw.limit_in_bytes"};
static const char *const events[] = {"memory.events", "memory.oom_control"};

bool cgroup_wanted(void)
{
	const char *folder = getenv(CGROUP_VARIABLE);
	return folder != NULL && folder[0] != '\0';
}

static bool write_number(int folder, const char *name, size_t number)
{
	char text[32];
	int length = snprintf(text, sizeof text, "%zu", number);
	int fd = openat(folder, name, O_WRONLY | O_CLOEXEC);
	bool written = fd >= 0 && write(fd, text, (size_t)length) == length;
	int saved = errno;
	if (fd >= 0)
		close(fd);
	errno = saved;
	return written;
}

/* A judge that was killed leaves its groups. */
static void remove_old(const char *parent)
{
	DIR *folder = opendir(parent);
	for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
		int pid;
		if (sscanf(entry->d_name, NAME "%d-", &pid) == 1 && kill(pid, 0) != 0 && errno == ESRCH)
			unlinkat(dirfd(folder), entry->d_name, AT_REMOVEDIR);
	}
	if (folder != NULL)
		closedir(folder);
}

static bool set_limit(const struct cgroup *group, size_t memory_limit)
{
	bool first = faccessat(group->folder_fd, limits[0], F_OK, 0) == 0;
	int version = first ? 0 : 1;
	if (!write_number(group->folder_fd, limits[version], memory_limit))
		return false;
	/* where swap is counted at all; version 1 counts it together with the memory */
	write_number(group->folder_fd, swaps[version], first ? 0 : memory_limit);
	return true;
}

struct cgroup *cgroup_make(size_t memory_limit, struct error *err)
{
	static atomic_uint made;
	const char *parent = getenv(CGROUP_VARIABLE);
	struct cgroup *group = calloc(1, sizeof *group);
	if (group == NULL || parent == NULL) {
		free(group);
		error_set(err, "out of memory");
		return NULL;
	}
	group->folder_fd = group->enter = -1;
	remove_old(parent);
	snprintf(group->folder, sizeof group->folder, "%s/" NAME "%d-%u", parent, (int)getpid(),
			 atomic_fetch_add(&made, 1));
	if (mkdir(group->folder, 0755) != 0) {
		error_set(err, CGROUP_VARIABLE "=%.300s: no group can be made there: %s", parent,
				  strerror(errno));
		free(group);
		return NULL;
	}
	group->folder_fd = open(group->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	group->enter = openat(group->folder_fd, "cgroup.procs", O_WRONLY | O_CLOEXEC);
	if (group->enter >= 0 && set_limit(group, memory_limit))
		return group;
	error_set(err,
			  CGROUP_VARIABLE "=%.300s: its groups cannot limit memory: %s (version 2 needs "
							  "'memory' in the folder's cgroup.subtree_control)",
			  parent, strerror(errno));
	cgroup_remove(group);
	return NULL;
}

int cgroup_descriptor(const struct cgroup *group)
{
	return group->enter;
}

bool cgroup_ran_out(const struct cgroup *group)
{
	static const char key[] = "oom_kill ";
	char text[512] = "\n";
	for (size_t version = 0; version < sizeof events / sizeof *events; version++) {
		int fd = openat(group->folder_fd, events[version], O_RDONLY | O_CLOEXEC);
		ssize_t length = fd >= 0 ? read(fd, text + 1, sizeof text - 2) : -1;
		if (fd >= 0)
			close(fd);
		if (length < 0)
			continue;
		text[length + 1] = '\0';
		for (const char *at = text; (at = strchr(at, '\n')) != NULL;)
			if (strncmp(++at, key, sizeof key - 1) == 0)
				return strtoul(at + sizeof key - 1, NULL, 10) > 0;
	}
	return false;
}

void cgroup_remove(struct cgroup *group)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	if (group == NULL)
		return;
	if (group->enter >= 0)
		close(group->enter);
	if (group->folder_fd >= 0)
		close(group->folder_fd);
	for (int i = 0; rmdir(group->folder) != 0 && errno == EBUSY && i < REMOVALS; i++)
		nanosleep(&pause, NULL);
	free(group);
}
