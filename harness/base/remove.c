#include "base/remove.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Folders within folders are moved up to the first one, so that no path gets long and no more than
 * two folders are open. */
#define MOVED ".gemmjudge-moved-%lu"

static DIR *open_folder(int parent, const char *name)
{
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
	if (folder == NULL && fd >= 0)
		close(fd);
	return folder;
}

/* The next name in it; NULL behind the last. */
static const char *next_name(DIR *folder)
{
	struct dirent *entry;
	while ((entry = readdir(folder)) != NULL)
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			return entry->d_name;
	return NULL;
}

static bool is_folder(int parent, const char *name)
{
	struct stat facts;
	return fstatat(parent, name, &facts, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(facts.st_mode);
}

/* Moves it to `top`, under a name that is free there. */
static bool move_up(int parent, const char *name, int top, unsigned long *moved)
{
	char to[64];
	int result;
	fchmodat(parent, name, S_IRWXU, 0); /* its ".." changes */
	do {
		snprintf(to, sizeof to, MOVED, (*moved)++);
		result = renameat(parent, name, top, to);
	} while (result != 0 && (errno == EEXIST || errno == ENOTEMPTY || errno == ENOTDIR));
	return result == 0;
}

/* What is in a folder of `top`: files are removed, folders moved to `top`. */
static bool empty_one(int top, const char *name, unsigned long *moved)
{
	const char *within;
	bool some = false;
	fchmodat(top, name, S_IRWXU, 0); /* whoever made it may have closed it */
	DIR *folder = open_folder(top, name);
	if (folder == NULL)
		return false;
	while ((within = next_name(folder)) != NULL) {
		bool gone = is_folder(dirfd(folder), within) ? move_up(dirfd(folder), within, top, moved)
													 : unlinkat(dirfd(folder), within, 0) == 0;
		some = some || gone;
	}
	closedir(folder);
	return unlinkat(top, name, AT_REMOVEDIR) == 0 || some;
}

/* Once through `top`. Whether there is less in it than before, or it can be. */
static bool pass(DIR *folder, unsigned long *moved)
{
	const char *name;
	bool some = false;
	rewinddir(folder);
	while ((name = next_name(folder)) != NULL) {
		if (is_folder(dirfd(folder), name))
			some = empty_one(dirfd(folder), name, moved) || some;
		else
			some = unlinkat(dirfd(folder), name, 0) == 0 || some;
	}
	return some;
}

bool remove_folder(const char *path)
{
	unsigned long moved = 0;
	DIR *folder = open_folder(AT_FDCWD, path);
	if (folder == NULL)
		return errno == ENOENT;
	while (pass(folder, &moved))
		continue;
	closedir(folder);
	return rmdir(path) == 0;
}
