/* links: compile; label: slow threads; timeout: 300 */
/* A full disk, and compilers side by side. */
#define _GNU_SOURCE
#include "compile_fixture.h"

TestSuite(compile, .init = begin, .fini = end);

/* ---- a full disk ------------------------------------------------------------------ */

static bool write_line(const char *path, const char *format, unsigned id)
{
	char line[32];
	int length = snprintf(line, sizeof line, format, id), fd = open(path, O_WRONLY);
	bool written = fd >= 0 && write(fd, line, (size_t)length) == length;
	if (fd >= 0)
		close(fd);
	return written;
}

/* A cache on a disk of its own, for a process without threads; false where none can be made. */
static bool small_disk(const char *options)
{
	unsigned user = getuid(), group = getgid();
	return (mkdir(path_of("cache"), 0700) == 0 || errno == EEXIST) &&
		   unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 &&
		   write_line("/proc/self/setgroups", "deny", 0) &&
		   write_line("/proc/self/uid_map", "0 %u 1", user) &&
		   write_line("/proc/self/gid_map", "0 %u 1", group) &&
		   mount("none", path_of("cache"), "tmpfs", 0, options) == 0;
}

enum { AS_EXPECTED, NOT_AS_EXPECTED, NO_DISK };

/* Compiles on such a disk, in a process of its own. */
static void expect_end_on(const char *disk, enum compile_status expected, const char *said)
{
	int status;
	pid_t pid = fork();
	if (pid == 0) {
		struct error err = {{0}};
		char *log;
		if (!small_disk(disk))
			_exit(NO_DISK);
		if (try("a.cu", false, 60, &log, &err) == expected &&
			(strstr(log, said) != NULL || strstr(err.message, said) != NULL))
			_exit(AS_EXPECTED);
		fprintf(stderr, "%s\n%s\n", err.message, log);
		_exit(NOT_AS_EXPECTED);
	}
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == NO_DISK)
		cr_skip_test("no file system of one's own can be mounted here");
	cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == AS_EXPECTED);
}

Test(compile, a_full_disk_is_the_machines)
{
	take_over("head -c 3M /dev/null; exit 1");
	expect_end_on("size=2100k", COMPILE_FAILED,
				  "no room to compile: No space left on device, 2 MiB");
}

/* It was full while nvcc wrote, and is not now. */
Test(compile, a_disk_that_was_full_is_the_machines)
{
	take_over("yes | head -c 150M >$out; rm $out; exit 1");
	expect_end_on("size=100m", COMPILE_FAILED, "no room to compile: No space left on device");
}

/* Little is left, and less was written: the disk had no part in it. */
Test(compile, a_failure_on_a_small_disk_is_the_files)
{
	take_over("yes | head -c 20M >$out; echo 'No space left on device'; exit 1");
	expect_end_on("size=100m", COMPILE_ERROR, "No space left on device");
	write_file("zeroes", "");
	cr_assert_eq(truncate(path_of("zeroes"), 200 << 20), 0);
	take_over("dd if=$there/zeroes bs=1M; exit 1"); /* messages are written to no disk */
	expect_end_on("size=100m", COMPILE_ERROR, "");
}

Test(compile, a_disk_that_a_file_filled_is_the_files)
{
	take_over("yes | head -c 400M >$out; exit 1");
	expect_end_on("size=300m", COMPILE_ERROR, "No space left on device");
}

/* ---- of another thread -------------------------------------------------------- */

struct beside {
	char source[PATHS_MAX];
	struct child_control control;
	struct compiled out;
	atomic_bool ended;
};

static void *compile_beside(void *context)
{
	struct beside *beside = context;
	struct error err = {{0}};
	struct compile_options options = {
		.source = beside->source, .architecture = "", .seconds = 120, .control = &beside->control};
	compile_solution(&options, &beside->out, &err);
	beside->ended = true;
	return NULL;
}

/* Until nvcc has its folder. */
static void await_compiler(void)
{
	while (access(path_of("cache"), F_OK) != 0 || count_entries("tmp.") == 0)
		usleep(10000);
	usleep(200000);
}

Test(compile, stands_still_as_long_as_it_is_paused, .timeout = 120)
{
	struct beside beside = {.control = {.paused = 1}};
	pthread_t thread;
	write_file("a.cu", "#define ANSWER 7\n" SOLVE);
	strcpy(beside.source, path_of("a.cu"));
	cr_assert_eq(pthread_create(&thread, NULL, compile_beside, &beside), 0);
	await_compiler();
	usleep(3000000); /* for which it takes one second */
	cr_assert_not(beside.ended);
	atomic_store(&beside.control.paused, 0);
	pthread_join(thread, NULL);
	cr_assert_eq(beside.out.status, COMPILE_OK);
	cr_assert_eq(answer(beside.out.library), 7);
	compiled_free(&beside.out);
}

Test(compile, leaves_nothing_when_it_is_cancelled, .timeout = 120)
{
	struct beside beside = {.control = {.paused = 1}};
	pthread_t thread;
	write_file("a.cu", "#define ANSWER 7\n" SOLVE);
	strcpy(beside.source, path_of("a.cu"));
	cr_assert_eq(pthread_create(&thread, NULL, compile_beside, &beside), 0);
	await_compiler();
	atomic_store(&beside.control.cancelled, true);
	pthread_join(thread, NULL);
	cr_assert_eq(beside.out.status, COMPILE_STOPPED);
	cr_assert_eq(count_entries("tmp."), 0);
	compiled_free(&beside.out);
}

Test(compile, threads_compile_side_by_side, .timeout = 120)
{
	static struct beside all[4];
	pthread_t threads[4];
	char name[8] = "?.cu", text[64];
	for (size_t i = 0; i < 4; i++) { /* two of each file */
		name[0] = (char)('a' + i % 2);
		snprintf(text, sizeof text, "#define ANSWER %zu\n" SOLVE, i % 2);
		if (i < 2)
			write_file(name, text);
		strcpy(all[i].source, path_of(name));
	}
	for (size_t i = 0; i < 4; i++)
		cr_assert_eq(pthread_create(&threads[i], NULL, compile_beside, &all[i]), 0);
	for (size_t i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
		cr_assert_eq(all[i].out.status, COMPILE_OK, "%s", all[i].out.log);
		cr_assert_eq(answer(all[i].out.library), (int)(i % 2));
	}
	for (size_t i = 0; i < 4; i++)
		compiled_free(&all[i].out);
	cr_assert_eq(count_entries("tmp."), 0);
}
