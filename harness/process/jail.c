#include "process/jail.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "process/jail_layers.h"

/* ---- namespaces --------------------------------------------------------------- */

static void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	if (write(fd, text, strlen(text)) < 0) /* then the ids show as nobody's, which does no harm */
		errno = 0;
	close(fd);
}

/* Who is not root may have the other namespaces within one of users only, and root's processes
 * reach each other's memory unless one stands between them. The kernel grants it to a process of
 * one thread; it refuses it in a chroot. */
static bool take_users(const struct jail_threads *threads, struct error *err)
{
	char users[64], groups[64];
	snprintf(users, sizeof users, "%u %u 1", (unsigned)geteuid(), (unsigned)geteuid());
	snprintf(groups, sizeof groups, "%u %u 1", (unsigned)getegid(), (unsigned)getegid());
	if (jail_has_threads(threads))
		return true;
	if (unshare(CLONE_NEWUSER) != 0)
		return error_set(err, "no user namespace: %s", strerror(errno));
	write_file("/proc/self/setgroups", "deny");
	write_file("/proc/self/uid_map", users);
	write_file("/proc/self/gid_map", groups);
	return true;
}

static int unshare_one(long flag)
{
	return unshare((int)flag) == 0 ? 0 : errno;
}

/* The first reason is told, the others are tried. */
static bool hide_files(const struct jail *what, const struct jail_threads *threads, bool all,
					   struct error *err)
{
	struct error why = {{0}};
	if (jail_root_close(what, threads, &why))
		return all;
	if (all)
		*err = why;
	return false;
}

bool jail_namespaces_close(const struct jail *what, bool hide, const struct jail_threads *threads,
						   struct error *err)
{
	static const struct {
		int flag;
		const char *name;
	} kinds[] = {{CLONE_NEWNET, "network"}, {CLONE_NEWIPC, "IPC"}, {CLONE_NEWNS, "mount"}};
	bool all = take_users(threads, err);
	size_t count = sizeof kinds / sizeof *kinds - hide; /* what is hidden has its mounts by that */
	for (size_t i = 0; i < count; i++) {
		int error_number = 0;
		struct error why = {{0}};
		bool reached = jail_every_thread(threads, unshare_one, kinds[i].flag, &error_number, &why);
		if (reached && error_number == 0)
			continue;
		if (all)
			error_set(err, "no %s namespace: %s", kinds[i].name,
					  reached ? strerror(error_number) : why.message);
		all = false;
	}
	return hide ? hide_files(what, threads, all, err) : all;
}

/* ---- all of it ------------------------------------------------------------------ */

/* What lies in pipes is memory that no process's account shows: 64 KiB for two descriptors, as
 * LAYER_CALLS refuses larger pipes. */
#define DESCRIPTORS 1024

static bool descriptors_limit(void)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return false;
	if (limit.rlim_max > DESCRIPTORS)
		limit.rlim_max = DESCRIPTORS;
	if (limit.rlim_cur > limit.rlim_max)
		limit.rlim_cur = limit.rlim_max;
	return setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

static bool limits_close(const struct jail *what, struct error *err)
{
	struct rlimit none = {0, 0}, bytes = {what->file_bytes, what->file_bytes};
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || setrlimit(RLIMIT_CORE, &none) != 0 ||
		!descriptors_limit() || (what->file_bytes > 0 && setrlimit(RLIMIT_FSIZE, &bytes) != 0))
		return error_set(err, "no limits: %s", strerror(errno));
	return true;
}

static void add_reason(struct error *err, const char *layer, const struct error *why)
{
	size_t used = strlen(err->message);
	snprintf(err->message + used, sizeof err->message - used, "%s%s: %s", used > 0 ? "; " : "",
			 layer, why->message);
}

unsigned jail_close(const struct jail *what, unsigned wanted, struct error *err)
{
	unsigned held = 0;
	struct error why = {{0}};
	err->message[0] = '\0';
	if (what->telling != NULL)
		*what->telling = (struct jail_telling){.fd = -1};
	wanted &= LAYER_SOLUTION;
	if (wanted == 0)
		return 0;
	if (!limits_close(what, &why)) {
		add_reason(err, "limits", &why);
		return 0;
	}
	/* Files after namespaces, which mount; calls last, as they refuse what the others are made
	 * with, and before them capabilities, which the others take. */
	struct jail_threads threads = jail_threads_open();
	if ((wanted & LAYER_NAMESPACES) != 0 &&
		jail_namespaces_close(what, (wanted & LAYER_FILES) != 0, &threads, &why))
		held |= LAYER_NAMESPACES;
	else if ((wanted & LAYER_NAMESPACES) != 0)
		add_reason(err, "namespaces", &why);
	if ((wanted & LAYER_FILES) != 0 && jail_files_close(what, &threads, &why))
		held |= LAYER_FILES;
	else if ((wanted & LAYER_FILES) != 0)
		add_reason(err, "files", &why);
	if ((wanted & LAYER_CALLS) != 0 && jail_capabilities_drop(&threads, &why) &&
		jail_calls_close(what, (held & LAYER_FILES) != 0, &why))
		held |= LAYER_CALLS;
	else if ((wanted & LAYER_CALLS) != 0)
		add_reason(err, "calls", &why);
	jail_threads_close(&threads);
	return held;
}
