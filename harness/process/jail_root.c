/* A file system with nothing in it but what was listed. Landlock keeps files from being opened;
 * what their names, sizes and times are it leaves to be asked, by stat(), access(), chdir() and
 * their like. Here such a call finds nothing.
 *
 *   1. In a mount namespace of its own, what is listed is opened by its path.
 *   2. A small file system in memory is put over /tmp.
 *   3. Each listed file or folder is mounted there, below the same path, links in it followed.
 *   4. It becomes the root, and the old one is let go.
 *
 * Other threads enter the same namespace then. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "process/jail_layers.h"

#define BASE "/tmp"
#define PLACES 32

struct place {
	const char *path;
	bool writable;
	int fd;
};

/* What is mounted may keep these of its flags, and must where others have set them. */
#define KEPT (MS_NOSUID | MS_NODEV | MS_NOEXEC)

static bool open_places(const char *const *paths, bool writable, struct place places[PLACES],
						size_t *count, struct error *err)
{
	for (size_t i = 0; paths != NULL && paths[i] != NULL; i++) {
		if (*count == PLACES)
			return error_set(err, "more than %d files are listed", PLACES);
		if (paths[i][0] != '/')
			return error_set(err, "%s: the path is not absolute", paths[i]);
		struct place place = {paths[i], writable, open(paths[i], O_PATH | O_CLOEXEC)};
		if (place.fd < 0)
			return error_set(err, "%s: %s", paths[i], strerror(errno));
		places[(*count)++] = place;
	}
	return true;
}

/* The folders above it, and the file or folder that it is mounted on. */
static bool make_target(const char *target, bool folder)
{
	char path[PATH_MAX + sizeof BASE];
	snprintf(path, sizeof path, "%s", target);
	for (char *at = path + sizeof BASE; (at = strchr(at, '/')) != NULL; *at++ = '/') {
		*at = '\0';
		if (mkdir(path, 0755) != 0 && errno != EEXIST)
			return false;
	}
	if (folder)
		return mkdir(path, 0755) == 0 || errno == EEXIST;
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);
	return fd >= 0 ? close(fd) == 0 : errno == EEXIST;
}

static bool put_in_place(const struct place *place, struct error *err)
{
	char source[64], target[PATH_MAX + sizeof BASE];
	struct stat facts;
	struct statvfs mounted;
	snprintf(source, sizeof source, "/proc/self/fd/%d", place->fd);
	snprintf(target, sizeof target, BASE "%s", place->path);
	if (fstat(place->fd, &facts) != 0 || !make_target(target, S_ISDIR(facts.st_mode)) ||
		mount(source, target, NULL, MS_BIND | (S_ISDIR(facts.st_mode) ? MS_REC : 0), NULL) != 0 ||
		statvfs(target, &mounted) != 0)
		return error_set(err, "%s: %s", place->path, strerror(errno));
	unsigned long flags = MS_BIND | MS_REMOUNT | MS_NOSUID | MS_NODEV | (mounted.f_flag & KEPT);
	if (!place->writable || (mounted.f_flag & ST_RDONLY) != 0)
		flags |= MS_RDONLY;
	return mount(NULL, target, NULL, flags, NULL) == 0 ||
		   error_set(err, "%s: %s", place->path, strerror(errno));
}

/* The loader's own paths go through these, where they are links. */
static void copy_links(void)
{
	static const char *const links[] = {"/lib", "/lib64"};
	char to[PATH_MAX], target[64];
	for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
		ssize_t length = readlink(links[i], to, sizeof to - 1);
		snprintf(target, sizeof target, BASE "%s", links[i]);
		to[length > 0 ? length : 0] = '\0';
		if (length > 0 && symlink(to, target) != 0)
			errno = 0; /* something is listed there: that counts */
	}
}

static bool swap_roots(struct error *err)
{
	if (chdir(BASE) != 0 || syscall(SYS_pivot_root, ".", ".") != 0)
		return error_set(err, "no other root: %s", strerror(errno));
	/* From here on there is no way back. */
	return (umount2(".", MNT_DETACH) == 0 && chdir("/") == 0 &&
			mount(NULL, "/", NULL, MS_BIND | MS_REMOUNT | MS_RDONLY | KEPT, NULL) == 0) ||
		   error_set(err, "the old root stays: %s", strerror(errno));
}

static bool build(const struct place *places, size_t count, struct error *err)
{
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
		return error_set(err, "mounts are not its own: %s", strerror(errno));
	if (mount("none", BASE, "tmpfs", KEPT, "mode=755,size=1m,nr_inodes=4k") != 0)
		return error_set(err, "no tmpfs: %s", strerror(errno));
	bool built = true;
	for (size_t i = 0; i < count && built; i++)
		built = put_in_place(&places[i], err);
	copy_links();
	if (built && swap_roots(err))
		return true;
	umount2(BASE, MNT_DETACH); /* what lies below it is needed again */
	return false;
}

static int enter(long namespace)
{
	/* A thread has a root of its own only where it shares it with no other one. */
	return unshare(CLONE_FS) == 0 && setns((int)namespace, CLONE_NEWNS) == 0 ? 0 : errno;
}

static bool enter_all(const struct jail_threads *threads, int namespace, struct error *err)
{
	int error_number = 0;
	return jail_every_thread(threads, enter, namespace, &error_number, err) &&
		   (error_number == 0 ||
			error_set(err, "a thread stays outside: %s", strerror(error_number)));
}

static int new_namespace(struct error *err)
{
	int namespace =
		unshare(CLONE_NEWNS) == 0 ? open("/proc/thread-self/ns/mnt", O_RDONLY | O_CLOEXEC) : -1;
	if (namespace < 0)
		error_set(err, "no mount namespace: %s", strerror(errno));
	return namespace;
}

bool jail_root_close(const struct jail *what, const struct jail_threads *threads, struct error *err)
{
	struct place places[PLACES];
	size_t count = 0;
	int namespace = new_namespace(err);
	/* opened in the new one, whose mounts are others */
	bool closed = namespace >= 0 && open_places(what->readable, false, places, &count, err) &&
				  open_places(what->writable, true, places, &count, err) &&
				  build(places, count, err) && enter_all(threads, namespace, err);
	if (!closed)
		error_prefix(err, "files are not hidden");
	if (namespace >= 0)
		close(namespace);
	for (size_t i = 0; i < count; i++)
		close(places[i].fd);
	return closed;
}
