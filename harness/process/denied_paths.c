#include "process/denied_paths.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PAGE_BYTES 4096u

/* Read by glibc (counts of processors, memory, locales, time zones, the loader) and by the CUDA
 * driver without being asked to. */
static const char *const by_themselves[] = {
	"/sys/devices/system/", "/sys/kernel/mm/",   "/proc/sys/vm/",
	"/proc/cpuinfo",        "/proc/meminfo",     "/proc/stat",
	"/usr/lib/locale/",     "/usr/share/locale", "/usr/share/zoneinfo",
	"/etc/localtime",       "/etc/ld.so.cache",  "/dev/nvidia",
	"/proc/driver/nvidia",  "/proc/devices",     "/sys/module/nvidia",
	"/etc/nvidia",          "/usr/share/nvidia", NULL};
/* Anywhere in a path: the driver's libraries, and its cache of compiled PTX. */
static const char *const of_driver[] = {"/libnvidia-", "/.nv/", NULL};

/* ---- what is allowed ---------------------------------------------------------- */

static bool copy_all(char *out[DENIED_PATHS_MAX + 1], const char *const *paths)
{
	size_t i = 0;
	for (; paths != NULL && paths[i] != NULL; i++) {
		if (i == DENIED_PATHS_MAX)
			return false;
		out[i] = realpath(paths[i], NULL);
		if (out[i] == NULL && (out[i] = strdup(paths[i])) == NULL)
			return false;
	}
	return true;
}

bool denied_paths_open(struct denied_paths *paths, const struct denied_allowed *allowed)
{
	*paths = (struct denied_paths){.readable = {NULL}};
	return copy_all(paths->readable, allowed->readable) &&
		   copy_all(paths->writable, allowed->writable);
}

void denied_paths_close(struct denied_paths *paths)
{
	for (size_t i = 0; i < DENIED_PATHS_MAX; i++) {
		free(paths->readable[i]);
		free(paths->writable[i]);
	}
	*paths = (struct denied_paths){.readable = {NULL}};
}

static bool lies_in(const char *path, char *const *folders)
{
	for (size_t i = 0; folders[i] != NULL; i++) {
		size_t length = strlen(folders[i]);
		if (strncmp(path, folders[i], length) == 0 && (path[length] == '\0' || path[length] == '/'))
			return true;
	}
	return false;
}

static bool is_looked_for(const char *path)
{
	for (size_t i = 0; by_themselves[i] != NULL; i++)
		if (strncmp(path, by_themselves[i], strlen(by_themselves[i])) == 0)
			return true;
	for (size_t i = 0; of_driver[i] != NULL; i++)
		if (strstr(path, of_driver[i]) != NULL)
			return true;
	return false;
}

/* ---- the memory of the process --------------------------------------------------- */

static int open_memory(pid_t thread)
{
	char file[64];
	snprintf(file, sizeof file, "/proc/%d/mem", (int)thread);
	return open(file, O_RDONLY | O_CLOEXEC);
}

bool denied_paths_read(pid_t thread, uint64_t address, char out[PATH_MAX])
{
	int memory = address <= INT64_MAX ? open_memory(thread) : -1;
	size_t length = 0;
	bool ended = false;
	if (memory < 0)
		return false;
	while (!ended && length < PATH_MAX) { /* the page behind it may not be there */
		size_t want = PAGE_BYTES - (address + length) % PAGE_BYTES;
		if (want > PATH_MAX - length)
			want = PATH_MAX - length;
		ssize_t got = pread(memory, out + length, want, (off_t)(address + length));
		if (got <= 0)
			break;
		ended = memchr(out + length, '\0', (size_t)got) != NULL;
		length += (size_t)got;
	}
	close(memory);
	return ended;
}

/* ---- where a path leads ------------------------------------------------------------ */

/* Absolute, and of that process: not ours are its folders and its /proc/self. */
static bool make_absolute(const struct denied_reach *reach, char out[2 * PATH_MAX])
{
	static const char self[] = "/proc/self";
	char link[64], base[PATH_MAX];
	const char *path = reach->path;
	if (strncmp(path, self, sizeof self - 1) == 0) {
		snprintf(out, 2 * PATH_MAX, "/proc/%d%s", (int)reach->thread, path + sizeof self - 1);
		return true;
	}
	if (path[0] == '/') {
		snprintf(out, 2 * PATH_MAX, "%s", path);
		return true;
	}
	if (reach->folder == AT_FDCWD)
		snprintf(link, sizeof link, "/proc/%d/cwd", (int)reach->thread);
	else
		snprintf(link, sizeof link, "/proc/%d/fd/%d", (int)reach->thread, reach->folder);
	ssize_t length = readlink(link, base, sizeof base - 1);
	if (length <= 0 || path[0] == '\0')
		return false;
	base[length] = '\0';
	snprintf(out, 2 * PATH_MAX, "%s/%s", base, path);
	return true;
}

/* The folder is there, in which a file would be made. */
static bool resolve_folder(char *path, char out[PATH_MAX])
{
	char *name = strrchr(path, '/');
	if (name == NULL || name[1] == '\0')
		return false;
	*name = '\0';
	if (realpath(name == path ? "/" : path, out) == NULL)
		return errno == EACCES;
	size_t used = strlen(out);
	snprintf(out + used, PATH_MAX - used, "/%s", name + 1);
	return true;
}

/* False where the kernel finds nothing, and says so before it asks Landlock. */
static bool resolve(char *path, bool makes, char out[PATH_MAX])
{
	if (realpath(path, out) != NULL)
		return true;
	if (errno == EACCES)
		snprintf(out, PATH_MAX, "%.*s", PATH_MAX - 1, path);
	else if (errno != ENOENT || !makes || !resolve_folder(path, out))
		return false;
	return true;
}

bool denied_paths_denies(const struct denied_paths *paths, const struct denied_reach *reach)
{
	char path[2 * PATH_MAX], real[PATH_MAX] = "";
	if (!make_absolute(reach, path) || (!reach->writes && is_looked_for(path)) ||
		!resolve(path, reach->makes, real))
		return false;
	if (lies_in(real, paths->writable))
		return false;
	return reach->writes || (!lies_in(real, paths->readable) && !is_looked_for(real));
}
