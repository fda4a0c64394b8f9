/* What the tests of the jail share: files and folders to be reached or not, and attempts, each made
 * in a child process of its own that is closed with some layers. */
#ifndef GEMMJUDGE_TESTS_JAIL_FIXTURE_H
#define GEMMJUDGE_TESTS_JAIL_FIXTURE_H

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process/jail.h"

/* What an attempt returns when it has had its way; else an errno value. */
#define DONE 0
#define LACKS_LAYER 250
#define ENDED_BADLY 251

static char folder[64]; /* inside/ is writable, inside/../readable is a file, secret another one */
static char inside[80], readable[80], secret[80];
static unsigned here; /* the layers that this machine has */

static inline void make_file(const char *path)
{
	FILE *file = fopen(path, "w");
	cr_assert_not_null(file);
	fputs("text\n", file);
	fclose(file);
}

static inline void end(void)
{
	char command[128];
	snprintf(command, sizeof command, "rm -rf %s", folder);
	cr_assert_eq(system(command), 0);
}

static inline unsigned close_with(unsigned layers, struct error *err)
{
	const char *reading[] = {readable, NULL}, *writing[] = {inside, NULL};
	const struct jail what = {.readable = reading, .writable = writing, .file_bytes = 1 << 20};
	return jail_close(&what, layers, err);
}

static inline int wait_for(pid_t child)
{
	int status;
	cr_assert_eq(waitpid(child, &status, 0), child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : ENDED_BADLY;
}

static inline int attempt_in(unsigned layers, int (*attempt)(void))
{
	struct error err;
	pid_t child = fork();
	if (child == 0) {
		if (close_with(layers, &err) != layers) {
			fprintf(stderr, "%s\n", err.message);
			_exit(LACKS_LAYER);
		}
		_exit(attempt());
	}
	cr_assert_gt(child, 0);
	return wait_for(child);
}

static inline unsigned layers_of_machine(void)
{
	struct error err;
	pid_t child = fork();
	if (child == 0)
		_exit((int)close_with(LAYER_SOLUTION, &err));
	cr_assert_gt(child, 0);
	return (unsigned)wait_for(child);
}

static inline void begin(void)
{
	strcpy(folder, "/tmp/test_jail.XXXXXX");
	cr_assert_not_null(mkdtemp(folder));
	snprintf(inside, sizeof inside, "%s/inside", folder);
	snprintf(readable, sizeof readable, "%s/readable", folder);
	snprintf(secret, sizeof secret, "%s/secret", folder);
	cr_assert_eq(mkdir(inside, 0700), 0);
	make_file(readable);
	make_file(secret);
	here = layers_of_machine();
}

/* At the beginning of a test: it is about these layers. */
static inline void need(unsigned layers)
{
	char names[LAYERS_TEXT];
	if ((layers & ~here) != 0)
		cr_skip_test("this machine lacks: %s", layers_print(layers & ~here, names));
}

static inline void refused(unsigned layer, int (*attempt)(void), int error_number, const char *name)
{
	cr_assert_eq(attempt_in(0, attempt), DONE, "%s cannot be done here at all: %s", name,
				 strerror(attempt_in(0, attempt)));
	if ((layer & ~here) != 0) { /* a layer beside the one that the test is about */
		/* no cr_log_warn(), which fails the whole program in the end */
		fprintf(stderr, "%s: not tried, as this machine lacks the layer\n", name);
		return;
	}
	int got = attempt_in(layer, attempt);
	cr_assert_eq(got, error_number, "%s: %s", name, got == DONE ? "done" : strerror(got));
	cr_assert_neq(attempt_in(here & ~layer, attempt), LACKS_LAYER,
				  "the other layers hold by themselves");
}
#define REFUSED(layer, attempt, error_number) refused(layer, attempt, error_number, #attempt)

static inline int open_and_close(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC, 0600);
	if (fd < 0)
		return errno;
	close(fd);
	return DONE;
}

/* With names of its own: several threads do it at once. */
static inline int use_what_is_listed(void)
{
	char path[128], beside[128];
	const long thread = syscall(SYS_gettid);
	snprintf(path, sizeof path, "%s/a%ld", inside, thread);
	snprintf(beside, sizeof beside, "%s/b%ld", inside, thread);
	int got = open_and_close(readable, O_RDONLY);
	if (got == DONE)
		got = open_and_close(path, O_WRONLY | O_CREAT | O_TRUNC);
	if (got == DONE && rename(path, beside) != 0)
		got = errno;
	if (got == DONE)
		got = open_and_close(beside, O_RDONLY);
	if (got == DONE && unlink(beside) != 0)
		got = errno;
	return got;
}

/* ---- threads that were there before -------------------------------------------- */

struct waiting {
	pthread_barrier_t ready;
	int go[2]; /* a pipe that it waits at */
	int (*attempt)(void);
	int result;
};

/* All signals blocked, as the driver's threads have it. */
static inline void *attempt_when_told(void *context)
{
	struct waiting *waiting = context;
	sigset_t all;
	char byte;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	pthread_barrier_wait(&waiting->ready);
	if (read(waiting->go[0], &byte, 1) != 1)
		return NULL;
	waiting->result = waiting->attempt();
	return NULL;
}

static inline int attempt_in_old_thread(unsigned layers, int (*attempt)(void))
{
	pid_t child = fork();
	if (child == 0) {
		struct waiting waiting = {.attempt = attempt};
		struct error err;
		pthread_t threads[3];
		pthread_barrier_init(&waiting.ready, NULL, 4);
		if (pipe(waiting.go) != 0)
			_exit(errno);
		for (int i = 0; i < 3; i++)
			if (pthread_create(&threads[i], NULL, attempt_when_told, &waiting) != 0)
				_exit(EAGAIN);
		pthread_barrier_wait(&waiting.ready);
		if (close_with(layers, &err) != layers) {
			fprintf(stderr, "%s\n", err.message);
			_exit(LACKS_LAYER);
		}
		if (write(waiting.go[1], "xxx", 3) != 3)
			_exit(errno);
		for (int i = 0; i < 3; i++)
			pthread_join(threads[i], NULL);
		_exit(waiting.result);
	}
	return wait_for(child);
}

#endif
