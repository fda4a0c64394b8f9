/* links: process channel base */
/* The memory cgroup of a child, in a folder that looks like one: mkdir() makes the files that the
 * kernel would make. */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "process/cgroup.h"
#include "process/child.h"

static char parent[] = "/tmp/test-cgroup-XXXXXX";
static const char *const *files;            /* of a new group */
static char removed[PATH_MAX], text[4][64]; /* what stood in them when it was removed */

static const char *const second[] = {"cgroup.procs", "memory.max", "memory.swap.max",
									 "memory.events", NULL};
static const char *const first[] = {"cgroup.procs", "memory.limit_in_bytes",
									"memory.memsw.limit_in_bytes", "memory.oom_control", NULL};
static const char *const none[] = {"cgroup.procs", NULL};

int mkdir(const char *path, mode_t mode)
{
	if (syscall(SYS_mkdirat, AT_FDCWD, path, mode) != 0)
		return -1;
	for (size_t i = 0; files[i] != NULL; i++) {
		char file[PATH_MAX];
		snprintf(file, sizeof file, "%s/%s", path, files[i]);
		close(open(file, O_CREAT | O_WRONLY, 0600));
	}
	return 0;
}

int rmdir(const char *path)
{
	snprintf(removed, sizeof removed, "%s", path);
	for (size_t i = 0; files[i] != NULL; i++) {
		char file[PATH_MAX];
		snprintf(file, sizeof file, "%s/%s", path, files[i]);
		int fd = open(file, O_RDONLY);
		ssize_t length = read(fd, text[i], sizeof text[i] - 1);
		text[i][length > 0 ? length : 0] = '\0';
		close(fd);
		unlink(file);
	}
	return (int)syscall(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR);
}

/* The child: this executable. It finds its group, and says there that it ran out of memory. */
__attribute__((constructor)) static void be_child(void)
{
	const char *folder = getenv("TEST_CHILD"), *events = getenv("TEST_EVENTS");
	char command[PATH_MAX];
	if (folder == NULL)
		return;
	snprintf(
		command, sizeof command,
		"for file in %s/gemmjudge-*-*/%s; do printf 'low 0\\noom 1\\noom_kill 1\\n' >$file; done",
		folder, events);
	if (events[0] != '\0' && system(command) != 0)
		_exit(9);
	raise(SIGKILL);
}

static struct child_result end_of_child(const char *events)
{
	struct error err = {{0}};
	char program[PATH_MAX] = "", folder[64], variable[64];
	cr_assert_gt(readlink("/proc/self/exe", program, sizeof program - 1), 0);
	snprintf(folder, sizeof folder, "TEST_CHILD=%s", parent);
	snprintf(variable, sizeof variable, "TEST_EVENTS=%s", events);
	const char *argv[] = {program, NULL}, *environment[] = {folder, variable, NULL};
	struct child *child = child_start(&(struct child_options){.argv = argv,
															  .setenv = environment,
															  .memory_limit_bytes = 200 << 20},
									  &err);
	cr_assert_not_null(child, "%s", err.message);
	struct child_result result = child_wait(child, 10);
	child_stop(child);
	return result;
}

static void begin(void)
{
	files = second;
	cr_assert_not_null(mkdtemp(parent));
	setenv(CGROUP_VARIABLE, parent, 1);
}

/* Nothing may be left in the folder. */
static void end(void)
{
	cr_assert_eq(syscall(SYS_unlinkat, AT_FDCWD, parent, AT_REMOVEDIR), 0);
}

TestSuite(cgroup, .init = begin, .fini = end);

Test(cgroup, limits_memory_without_swap)
{
	cr_expect_eq(end_of_child("memory.events").outcome, CHILD_OVER_MEMORY);
	cr_expect_str_eq(text[0], CGROUP_ENTER);
	cr_expect_str_eq(text[1], "209715200");
	cr_expect_str_eq(text[2], "0");
}

Test(cgroup, knows_version_1_which_counts_swap_with_memory)
{
	files = first;
	cr_expect_eq(end_of_child("memory.oom_control").outcome, CHILD_OVER_MEMORY);
	cr_expect_str_eq(text[1], "209715200");
	cr_expect_str_eq(text[2], "209715200");
}

Test(cgroup, is_not_to_blame_for_another_end)
{
	struct child_result result = end_of_child("");
	cr_expect_eq(result.outcome, CHILD_SIGNALED);
	cr_expect_eq(result.signal_number, SIGKILL);
}

Test(cgroup, must_limit_memory_or_nothing_starts)
{
	struct error err = {{0}};
	const char *argv[] = {"/bin/true", NULL};
	const struct child_options options = {.argv = argv, .memory_limit_bytes = 1 << 20};
	files = none;
	cr_assert_null(child_start(&options, &err));
	cr_expect_not_null(strstr(err.message, "its groups cannot limit memory"), "%s", err.message);
	setenv(CGROUP_VARIABLE, "/does/not/exist", 1);
	cr_assert_null(child_start(&options, &err));
	cr_expect_not_null(strstr(err.message, "no group can be made there"), "%s", err.message);
}

/* Of a judge that was killed; the kernel has removed what is in a group itself. */
Test(cgroup, is_removed_by_the_next_judge)
{
	char old[PATH_MAX];
	struct error err = {{0}};
	snprintf(old, sizeof old, "%s/gemmjudge-2147483600-7", parent); /* above any process's number */
	cr_assert_eq(syscall(SYS_mkdirat, AT_FDCWD, old, 0700), 0);
	struct cgroup *group = cgroup_make(1 << 20, &err);
	cr_expect_eq(access(old, F_OK), -1);
	cgroup_remove(group);
}
