#include "base/scratch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/remove.h"

#define YOUNG_SECONDS 60 /* a folder may have been made, and not be locked yet */

/* The folder's descriptor, locked; 0: somebody has it, or there are no locks. */
static int lock_of(const char *path)
{
	const int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd > 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
		return fd;
	if (fd > 0)
		close(fd);
	return 0;
}

/* Whether whoever made it is gone: it is a folder of ours that nobody uses. */
static bool is_left(const char *path, int *lock)
{
	struct stat facts;
	return lstat(path, &facts) == 0 && S_ISDIR(facts.st_mode) && facts.st_uid == geteuid() &&
		   facts.st_mtime < time(NULL) - YOUNG_SECONDS && (*lock = lock_of(path)) > 0;
}

static void sweep(const char *temporary, const char *beginning)
{
	char path[PATHS_MAX];
	struct error ignored;
	struct dirent *entry;
	int lock = 0;
	DIR *all = opendir(temporary);
	while (all != NULL && (entry = readdir(all)) != NULL)
		if (strncmp(entry->d_name, beginning, strlen(beginning)) == 0 &&
			paths_join(path, temporary, entry->d_name, &ignored) && is_left(path, &lock))
			scratch_remove(path, &lock);
	if (all != NULL)
		closedir(all);
}

bool scratch_make(char path[PATHS_MAX], int *lock, const char *kind, struct error *err)
{
	char name[64];
	const char *temporary = getenv("TMPDIR");
	if (temporary == NULL || temporary[0] == '\0')
		temporary = "/tmp";
	*lock = 0;
	snprintf(name, sizeof name, "gemmjudge-%s-", kind);
	sweep(temporary, name);
	strcat(name, "XXXXXX");
	const bool fits = paths_join(path, temporary, name, err);
	if (fits && mkdtemp(path) != NULL) {
		*lock = lock_of(path);
		return true;
	}
	path[0] = '\0';
	return fits ? error_set(err, "cannot make a folder in %.200s: %s (TMPDIR names another)",
							temporary, strerror(errno))
				: false;
}

void scratch_remove(char path[PATHS_MAX], int *lock)
{
	if (path[0] != '\0')
		remove_folder(path);
	path[0] = '\0';
	if (*lock > 0)
		close(*lock);
	*lock = 0;
}
