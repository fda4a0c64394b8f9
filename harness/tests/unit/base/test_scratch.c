/* links: base */
/* Folders of processes that were killed are removed by the next one; those in use stay. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/remove.h"
#include "base/scratch.h"

static char folder[64];

static void begin(void)
{
	strcpy(folder, "/tmp/test-scratch-XXXXXX");
	cr_assert_not_null(mkdtemp(folder));
	setenv("TMPDIR", folder, 1);
}

static void end(void)
{
	cr_expect(remove_folder(folder));
}

TestSuite(scratch, .init = begin, .fini = end);

static void make(char path[PATHS_MAX], int *lock, const char *kind)
{
	struct error err;
	cr_assert(scratch_make(path, lock, kind, &err), "%s", err.message);
	cr_expect_eq(access(path, W_OK), 0);
}

/* As if nobody had touched it for so many seconds. */
static void age(const char *path, int seconds)
{
	struct timespec now, times[2];
	clock_gettime(CLOCK_REALTIME, &now);
	times[0] = times[1] = (struct timespec){.tv_sec = now.tv_sec - seconds};
	cr_assert_eq(utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW), 0);
}

/* One whose process was killed, with a file in it. */
static void leave(char path[PATHS_MAX], const char *kind)
{
	int tell[2], status;
	cr_assert_eq(pipe(tell), 0);
	const pid_t child = fork();
	if (child == 0) {
		char name[PATHS_MAX] = "", file[PATHS_MAX + 8];
		struct error err;
		int lock;
		if (scratch_make(name, &lock, kind, &err)) {
			snprintf(file, sizeof file, "%s/file", name);
			close(open(file, O_WRONLY | O_CREAT, 0600));
		}
		if (write(tell[1], name, sizeof name) == sizeof name)
			raise(SIGKILL);
		_exit(1);
	}
	cr_assert_eq(read(tell[0], path, PATHS_MAX), PATHS_MAX);
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert(WIFSIGNALED(status));
	close(tell[0]);
	close(tell[1]);
	cr_assert_eq(access(path, F_OK), 0, "SIGKILL leaves it");
}

Test(scratch, is_removed_by_who_made_it)
{
	char path[PATHS_MAX], gone[PATHS_MAX];
	int lock;
	make(path, &lock, "thing");
	strcpy(gone, path);
	scratch_remove(path, &lock);
	cr_expect_str_empty(path);
	cr_expect_eq(lock, 0);
	cr_expect_neq(access(gone, F_OK), 0);
	scratch_remove(path, &lock);
}

Test(scratch, of_killed_processes_are_swept)
{
	char left[PATHS_MAX], young[PATHS_MAX], other[PATHS_MAX], used[PATHS_MAX], path[PATHS_MAX];
	int lock_used, lock;
	make(used, &lock_used, "thing");
	leave(left, "thing");
	leave(young, "thing");
	leave(other, "other");
	age(used, 600);
	age(left, 600);
	age(other, 600);
	make(path, &lock, "thing");
	cr_expect_neq(access(left, F_OK), 0, "it is swept");
	cr_expect_eq(access(young, F_OK), 0, "it may not be locked yet");
	cr_expect_eq(access(other, F_OK), 0, "another kind's");
	cr_expect_eq(access(used, F_OK), 0, "somebody uses it");
	scratch_remove(used, &lock_used);
	scratch_remove(path, &lock);
}

Test(scratch, links_and_files_are_left_alone)
{
	char path[PATHS_MAX], link[PATHS_MAX], file[PATHS_MAX];
	int lock;
	struct stat facts;
	snprintf(path, sizeof path, "%s/mine", folder);
	snprintf(link, sizeof link, "%s/gemmjudge-thing-link00", folder);
	snprintf(file, sizeof file, "%s/gemmjudge-thing-file00", folder);
	cr_assert_eq(mkdir(path, 0700), 0);
	cr_assert_eq(symlink(path, link), 0);
	close(open(file, O_WRONLY | O_CREAT, 0600));
	age(path, 600);
	age(link, 600);
	age(file, 600);
	char made[PATHS_MAX];
	make(made, &lock, "thing");
	cr_expect_eq(access(path, F_OK), 0);
	cr_expect_eq(lstat(link, &facts), 0);
	cr_expect_eq(access(file, F_OK), 0);
	scratch_remove(made, &lock);
}

Test(scratch, no_folder_is_said)
{
	char path[PATHS_MAX];
	struct error err;
	int lock;
	setenv("TMPDIR", "/dev/null", 1);
	cr_expect_not(scratch_make(path, &lock, "thing", &err));
	cr_expect_not_null(strstr(err.message, "/dev/null"));
	cr_expect_str_empty(path);
}
