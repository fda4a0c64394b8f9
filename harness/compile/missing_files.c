/* A library that is loaded into the compilers of a stranger's file (LD_PRELOAD): what they may not
 * read is to them what is not there. Else a file could find out which files a machine has, and
 * which processes run, by the messages, or by whether it compiles (__has_include). */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ALSO(name, also) extern __typeof(name) also __attribute__((alias(#name)))

static void hide(void)
{
	if (errno == EACCES)
		errno = ENOENT;
}

/* The path without "folder/.." in it, whatever that folder is; false: it has none. */
static bool shorten(const char *path, char out[PATH_MAX])
{
	size_t used = 0, parts = 0;
	bool shortened = false;
	while (*path != '\0' && used + strlen(path) < PATH_MAX) {
		const size_t length = strcspn(path, "/") + (path[strcspn(path, "/")] == '/');
		const bool up = strncmp(path, "..", 2) == 0 && (path[2] == '/' || path[2] == '\0');
		const bool stays = *path == '/' || strncmp(path, "./", 2) == 0;
		if (up && parts > 0) {
			for (used--; used > 0 && out[used - 1] != '/'; used--)
				;
			parts--;
			shortened = true;
		} else {
			memcpy(out + used, path, length);
			used += length;
			parts += !stays && !up;
		}
		path += length;
	}
	out[used] = '\0';
	return shortened && *path == '\0';
}

/* Where a folder on the way is missing, "FOLDER/../FILE" is FILE all the same, as where it is
 * there: it is on the way in any case. */
static int open_at(int folder, const char *path, int flags, mode_t mode)
{
	char shorter[PATH_MAX];
	long fd = syscall(SYS_openat, folder, path, flags, mode);
	if (fd < 0 && shorten(path, shorter))
		fd = syscall(SYS_openat, folder, shorter, flags, mode);
	if (fd < 0)
		hide();
	return (int)fd;
}

int open(const char *path, int flags, ...)
{
	va_list rest;
	va_start(rest, flags);
	const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
	va_end(rest);
	return open_at(AT_FDCWD, path, flags, mode);
}
ALSO(open, open64);

int openat(int folder, const char *path, int flags, ...)
{
	va_list rest;
	va_start(rest, flags);
	const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
	va_end(rest);
	return open_at(folder, path, flags, mode);
}
ALSO(openat, openat64);

FILE *fopen(const char *path, const char *mode)
{
	FILE *(*next)(const char *, const char *) = NULL;
	char shorter[PATH_MAX];
	void *found = dlsym(RTLD_NEXT, "fopen");
	memcpy(&next, &found, sizeof next);
	FILE *file = next(path, mode);
	if (file == NULL && shorten(path, shorter))
		file = next(shorter, mode);
	if (file == NULL)
		hide();
	return file;
}
ALSO(fopen, fopen64);
