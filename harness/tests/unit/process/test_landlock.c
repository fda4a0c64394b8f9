/* links: process base */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process/child.h"
#include "process/landlock.h"

static char folder[] = "/tmp/test_landlock.XXXXXX";

static void begin(void)
{
	if (landlock_abi() == 0)
		cr_skip_test("this kernel has no Landlock");
	cr_assert_not_null(mkdtemp(folder));
}

static void end(void)
{
	char command[128];
	snprintf(command, sizeof command, "rm -rf %s", folder);
	cr_assert_eq(system(command), 0); /* NOLINT(cert-env33-c) */
}

TestSuite(landlock, .init = begin, .fini = end);

static const char *path_of(const char *name)
{
	static char path[256];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	return path;
}

/* What a shell says that runs the script under rules: all may be run, and nothing written, but
 * for the folder `w`; `r` may be read. */
static void run_restricted(const char *script, char *said, size_t capacity)
{
	struct error err = {{0}};
	int rules = landlock_begin(&err);
	cr_assert_geq(rules, 0, "%s", err.message);
	static const char *const system[] = {"/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache"};
	for (size_t i = 0; i < sizeof system / sizeof *system; i++)
		if (access(system[i], F_OK) == 0)
			cr_assert(landlock_allow_path(rules, system[i], LANDLOCK_RUNS, &err), "%s",
					  err.message);
	cr_assert(landlock_allow_path(rules, "/dev/null", LANDLOCK_WRITES, &err), "%s", err.message);
	cr_assert(landlock_allow_path(rules, path_of("r"), LANDLOCK_READS, &err), "%s", err.message);
	cr_assert(landlock_allow_path(rules, path_of("w"), LANDLOCK_WRITES, &err), "%s", err.message);
	const char *const argv[] = {"/bin/sh", "-c", script, NULL};
	const char *const environment[] = {"PATH=/usr/bin:/bin", NULL};
	struct child_options options = {.argv = argv,
									.setenv = environment,
									.environment = ENVIRONMENT_NOTHING,
									.working_folder = folder,
									.rules = rules};
	struct child *child = child_start(&options, &err);
	close(rules);
	cr_assert_not_null(child, "%s", err.message);
	cr_assert_eq(child_wait(child, 10).outcome, CHILD_EXITED);
	snprintf(said, capacity, "%s", child_output(child));
	child_stop(child);
}

static void make_files(void)
{
	static const char *const folders[] = {"r", "w", "o"};
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
		char name[16];
		cr_assert_eq(mkdir(path_of(folders[i]), 0700), 0);
		snprintf(name, sizeof name, "%s/file", folders[i]);
		FILE *file = fopen(path_of(name), "w");
		fprintf(file, "%s", folders[i]);
		fclose(file);
	}
}

Test(landlock, leaves_what_is_allowed_and_nothing_else)
{
	char said[4096];
	make_files();
	run_restricted("exec 2>/dev/null\n"
				   "cat r/file; cat w/file; cat o/file || echo ,no other\n"
				   "echo x >r/file || echo no write\n"
				   "echo x >r/new || echo no new file\n"
				   "rm -f r/file || echo no removal\n"
				   "mv r/file w || echo no move\n"
				   "ls o || echo no list\n"
				   "echo x >w/new && mkdir w/below && mv w/new w/below && rm -r w/below w/file &&\n"
				   "echo all in w\n",
				   said, sizeof said);
	cr_assert_str_eq(said, "rw,no other\nno write\nno new file\nno removal\nno move\nno list\n"
						   "all in w\n");
}

Test(landlock, no_signal_gets_out)
{
	char said[4096], script[64];
	if (landlock_abi() < 6)
		cr_skip_test("Landlock of this kernel does not keep signals");
	make_files();
	snprintf(script, sizeof script, "kill -0 %d || echo no signal", (int)getpid());
	run_restricted(script, said, sizeof said);
	cr_assert_not_null(strstr(said, "no signal"), "%s", said);
}

Test(landlock, the_environment_is_the_given_one)
{
	char said[4096];
	make_files();
	setenv("SECRET", "x", 1);
	run_restricted("env", said, sizeof said);
	cr_assert_null(strstr(said, "SECRET"), "%s", said);
	cr_assert_not_null(strstr(said, "PATH=/usr/bin:/bin"), "%s", said);
}

Test(landlock, tells_of_a_path_that_is_not_there)
{
	struct error err = {{0}};
	int rules = landlock_begin(&err);
	cr_assert_not(landlock_allow_path(rules, "/no/such/folder", LANDLOCK_READS, &err));
	cr_assert_str_eq(err.message, "/no/such/folder: No such file or directory");
	close(rules);
}
