/* links: jail channel judgement process base; label: threads; timeout: 60 */
/* Who looks on at a closed process: what is told, that it stays bounded, and that every refused
 * call is refused also where nobody looks on any more. */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "process/channel.h"
#include "process/denied.h"
#include "process/jail.h"

#define LACKS_LAYER 250
#define LAYERS (LAYER_FILES | LAYER_CALLS)

static char folder[64], inside[80], readable[80], secret[80], made[96];

static void make_file(const char *path)
{
	int file = open(path, O_WRONLY | O_CREAT, 0600);
	cr_assert_geq(file, 0);
	close(file);
}

static void begin(void)
{
	strcpy(folder, "/tmp/test_denied.XXXXXX");
	cr_assert_not_null(mkdtemp(folder));
	snprintf(inside, sizeof inside, "%s/inside", folder);
	snprintf(readable, sizeof readable, "%s/readable", folder);
	snprintf(secret, sizeof secret, "%s/secret", folder);
	snprintf(made, sizeof made, "%s/inside/made", folder);
	cr_assert_eq(mkdir(inside, 0700), 0);
	make_file(readable);
	make_file(secret);
}

static void end(void)
{
	char command[128];
	snprintf(command, sizeof command, "rm -rf %s", folder);
	cr_assert_eq(system(command), 0);
}

TestSuite(denied, .init = begin, .fini = end);

/* ---- a closed process, and its listener -------------------------------------------- */

/* What the child sends with the descriptor, and after each order that it got. */
struct said {
	unsigned layers;
	char why_not[160];
};

static bool close_here(struct jail_telling *telling, struct error *err)
{
	const char *reading[] = {readable, NULL}, *writing[] = {inside, NULL};
	return jail_close(&(struct jail){.readable = reading, .writable = writing, .telling = telling},
					  LAYERS, err) == LAYERS;
}

struct closed {
	pid_t child;
	int channel, fd;
	struct said said;
};

/* A process that closes itself, sends the listener's descriptor, waits for a word, runs the
 * attempt and ends with what that returns. `before` is done before it is closed. */
static struct closed start(int (*before)(void), int (*attempt)(void))
{
	struct closed closed = {.fd = -1};
	int ends[2];
	size_t bytes;
	cr_assert_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	closed.child = fork();
	cr_assert_geq(closed.child, 0);
	if (closed.child == 0) {
		struct jail_telling telling = {.fd = -1};
		struct said said = {0};
		struct error err = {{0}};
		char word;
		close(ends[0]);
		if (before != NULL && before() != 0)
			_exit(LACKS_LAYER);
		said.layers = close_here(&telling, &err) ? LAYERS : 0;
		memcpy(said.why_not, telling.why_not, sizeof said.why_not);
		channel_send(ends[1], &said, sizeof said, telling.fd);
		if (telling.fd >= 0)
			close(telling.fd);
		if (read(ends[1], &word, 1) != 1)
			_exit(1);
		_exit(attempt());
	}
	close(ends[1]);
	closed.channel = ends[0];
	cr_assert(channel_receive(ends[0], &closed.said, sizeof closed.said, &bytes, &closed.fd));
	return closed;
}

static void go(const struct closed *closed)
{
	cr_assert_eq(write(closed->channel, "g", 1), 1);
}

static int wait_for(struct closed *closed)
{
	int status;
	cr_assert_eq(waitpid(closed->child, &status, 0), closed->child);
	close(closed->channel);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Skips the test where this machine has no such jail or tells of nothing. */
static void need(struct closed *closed)
{
	if (closed->said.layers == LAYERS && closed->fd >= 0)
		return;
	kill(closed->child, SIGKILL);
	wait_for(closed);
	cr_skip_test("not here: %s", closed->said.why_not);
}

static struct denied *listen_to(const struct closed *closed)
{
	const char *reading[] = {readable, NULL}, *writing[] = {inside, NULL};
	struct error err;
	struct denied *listener = denied_listen(
		closed->fd, &(struct denied_allowed){.readable = reading, .writable = writing}, &err);
	cr_assert_not_null(listener, "%s", err.message);
	return listener;
}

/* The attempt's list; it must return 0. */
static struct denied_list list_of(int (*before)(void), int (*attempt)(void))
{
	struct denied_list list = {.count = 0};
	struct closed closed = start(before, attempt);
	need(&closed);
	struct denied *listener = listen_to(&closed);
	denied_begin(listener);
	go(&closed);
	cr_expect_eq(wait_for(&closed), 0);
	denied_take(listener, &list);
	denied_stop(listener);
	cr_expect(list.recorded);
	return list;
}

static uint64_t times_of(const struct denied_list *list, const char *call, const char *what)
{
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->calls[i].call, call) == 0 && strcmp(list->calls[i].what, what) == 0)
			return list->calls[i].times;
	return 0;
}

/* ---- what is told ---------------------------------------------------------------------- */

static bool refused(long result, int wanted)
{
	if (result == -1 && errno == wanted)
		return true;
	fprintf(stderr, "%ld, %s\n", result, strerror(errno));
	return false;
}

static int try_each(void)
{
	char *none[] = {NULL}, outside[96];
	timer_t timer;
	snprintf(outside, sizeof outside, "%s/new\033[31m\n\xc3\xa4", folder);
	bool good = refused(socket(AF_INET, SOCK_STREAM, 0), EPERM) &&
				refused(socket(AF_INET, SOCK_DGRAM, 0), EPERM) &&
				refused(socket(AF_NETLINK, SOCK_RAW, 0), EPERM) &&
				refused(execve("/bin/sh", none, none), EPERM) &&
				refused(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0), EPERM) &&
				refused(kill(getppid(), 0), EPERM) && refused(kill(getpid(), SIGCONT), EPERM) &&
				refused(timer_create(CLOCK_MONOTONIC, NULL, &timer), EPERM) &&
				refused(ioctl(0, FIFREEZE, 0), EPERM) && refused(ioctl(0, 0x1234), EPERM) &&
				refused(open(readable, O_ACCMODE), EPERM) && refused(chmod(secret, 0777), EPERM) &&
				refused(open(secret, O_RDONLY), EACCES) &&
				refused(open(outside, O_WRONLY | O_CREAT, 0600), EACCES) &&
				refused(open(readable, O_WRONLY), EACCES) && refused(unlink(secret), EACCES);
	return !good;
}

Test(denied, each_kind_is_told_and_cleaned)
{
	struct denied_list list = list_of(NULL, try_each);
	char outside[96];
	snprintf(outside, sizeof outside, "%s/new?[31m???", folder);
	cr_expect_eq(list.count, 15);
	cr_expect_eq(list.more, 0);
	cr_expect_eq(times_of(&list, "socket", "AF_INET"), 2);
	cr_expect_eq(times_of(&list, "socket", "AF_NETLINK"), 1);
	cr_expect_eq(times_of(&list, "execve", "/bin/sh"), 1);
	cr_expect_eq(times_of(&list, "fork", ""), 1);
	cr_expect_eq(times_of(&list, "kill", ""), 1);
	cr_expect_eq(times_of(&list, "kill", "SIGCONT"), 1);
	cr_expect_eq(times_of(&list, "timer_create", ""), 1);
	cr_expect_eq(times_of(&list, "ioctl", "FIFREEZE"), 1);
	cr_expect_eq(times_of(&list, "ioctl", "request 0x1234"), 1);
	cr_expect_eq(times_of(&list, "open for ioctl", readable), 1);
	cr_expect_eq(times_of(&list, "chmod", secret), 1);
	cr_expect_eq(times_of(&list, "open", secret), 1);
	cr_expect_eq(times_of(&list, "open for writing", outside), 1);
	cr_expect_eq(times_of(&list, "open for writing", readable), 1);
	cr_expect_eq(times_of(&list, "remove", secret), 1);
}

static void *idle(void *unused)
{
	return unused;
}

static int work(void)
{
	int one = open(readable, O_RDONLY), two = open(made, O_RDWR | O_CREAT, 0600);
	pthread_t thread;
	bool good = one >= 0 && two >= 0 && unlink(made) == 0 &&
				refused(open("/nonexistent/file", O_RDONLY), ENOENT) &&
				sysconf(_SC_NPROCESSORS_ONLN) > 0 &&
				pthread_create(&thread, NULL, idle, NULL) == 0 && pthread_join(thread, NULL) == 0 &&
				chdir(inside) == 0;
	good = good && openat(AT_FDCWD, "../readable", O_RDONLY) >= 0 &&
		   openat(AT_FDCWD, "here", O_WRONLY | O_CREAT, 0600) >= 0;
	return !good;
}

/* Allowed files, those that are not there, and what the C library looks for by itself. */
Test(denied, what_is_no_attempt_is_not_told)
{
#ifdef __SANITIZE_THREAD__
	cr_skip_test("ThreadSanitizer opens files where a thread begins");
#endif
	struct denied_list list = list_of(NULL, work);
	cr_expect_eq(list.count, 0, "%s %s", list.calls[0].call, list.calls[0].what);
}

static const char *at(intptr_t address)
{
	volatile intptr_t any = address; /* the compiler would refuse a number */
	return (const char *)any;
}

static int try_odd_paths(void)
{
	char *pages = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *none[] = {NULL};
	if (munmap(pages + 2 * 4096, 4096) != 0)
		return 1;
	char *last = pages + 2 * 4096 - strlen("/bin/at_end") - 1;
	strcpy(last, "/bin/at_end"); /* nothing is mapped behind it */
	bool good = refused(execve(last, none, none), EPERM);
	memset(pages, '/', 2 * 4096); /* no end */
	good = good && refused(execve(pages + 1, none, none), EPERM) &&
		   refused(execve(at(8), none, none), EPERM) &&
		   refused(execve(at(-8), none, none), EPERM) && refused(open(at(8), O_RDONLY), EFAULT);
	memset(pages, 'x', 200);
	pages[200] = '\0';
	return !(good && refused(execve(pages, none, none), EPERM));
}

Test(denied, paths_that_are_none_do_no_harm)
{
	struct denied_list list = list_of(NULL, try_odd_paths);
	cr_expect_eq(list.count, 3);
	cr_expect_eq(times_of(&list, "execve", "/bin/at_end"), 1);
	cr_expect_eq(times_of(&list, "execve", ""), 3);
	cr_expect_eq(strlen(list.calls[2].what), DENIED_WHAT - 1);
	cr_expect(strstr(list.calls[2].what, "xxx...") != NULL);
}

/* ---- floods ---------------------------------------------------------------------------- */

#define FLOOD 2000

static void *flood(void *unused)
{
	char path[64];
	for (int i = 0; i < FLOOD; i++) {
		snprintf(path, sizeof path, "/etc/passwd%.*s", i % 40,
				 "/////////////////////////////////"
				 "///////");
		if (!refused(socket(AF_INET6, SOCK_STREAM, 0), EPERM) ||
			(i % 8 == 0 && open(path, O_RDONLY) >= 0))
			return NULL;
	}
	return unused;
}

static pthread_t before[2];
static int ready[2];

static void *wait_and_flood(void *unused)
{
	char byte;
	return read(ready[0], &byte, 1) == 1 ? flood(unused) : NULL;
}

/* Threads that were there before the process was closed. */
static int begin_threads(void)
{
	return pipe(ready) != 0 || pthread_create(&before[0], NULL, wait_and_flood, ready) != 0 ||
		   pthread_create(&before[1], NULL, wait_and_flood, ready) != 0;
}

static int flood_with_threads(void)
{
	void *one, *two;
	if (write(ready[1], "go", 2) != 2 || flood(ready) == NULL)
		return 1;
	pthread_join(before[0], &one);
	pthread_join(before[1], &two);
	return one == NULL || two == NULL;
}

Test(denied, threads_and_floods_are_counted)
{
	struct denied_list list = list_of(begin_threads, flood_with_threads);
	cr_expect_eq(times_of(&list, "socket", "AF_INET6"), 3 * FLOOD);
	cr_expect_leq(list.count, DENIED_MAX);
	cr_expect_eq(times_of(&list, "open", "/etc/passwd"), 3 * FLOOD / 40);
}

static int try_many_paths(void)
{
	char path[32], *none[] = {NULL};
	for (int i = 0; i < 5000; i++) {
		snprintf(path, sizeof path, "/bin/%d", i);
		if (!refused(execve(path, none, none), EPERM))
			return 1;
	}
	return 0;
}

Test(denied, a_bounded_number_is_kept)
{
	struct denied_list list = list_of(NULL, try_many_paths);
	cr_expect_eq(list.count, DENIED_MAX);
	cr_expect_eq(list.more, 5000 - DENIED_MAX);
	cr_expect_eq(times_of(&list, "execve", "/bin/15"), 1);
}

/* ---- nobody looks on ------------------------------------------------------------------- */

/* A filter of its own that would tell somebody else. */
static int install_listener(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
	struct sock_fprog filter = {.len = sizeof code / sizeof *code, .filter = code};
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
						&filter);
}

static int install_nothing_more(void)
{
	struct sock_fprog none = {.len = 0};
	return !(refused(install_listener(), EPERM) &&
			 refused(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &none), EPERM));
}

static int try_without_listener(void)
{
	char *none[] = {NULL};
	return !(refused(socket(AF_INET, SOCK_STREAM, 0), ENOSYS) &&
			 refused(execve("/bin/true", none, none), ENOSYS) &&
			 refused(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0), ENOSYS) &&
			 refused(kill(getppid(), 0), ENOSYS) && refused(open(secret, O_RDONLY), ENOSYS) &&
			 install_nothing_more() == 0 && refused(socket(AF_INET, SOCK_STREAM, 0), ENOSYS));
}

/* A filter of the process with a listener of its own could let calls go on. */
Test(denied, a_closed_process_installs_no_filter)
{
	struct denied_list list = list_of(NULL, install_nothing_more);
	cr_expect_eq(list.count, 0);
}

Test(denied, without_its_listener_all_is_refused_still)
{
	struct closed closed = start(NULL, try_without_listener);
	need(&closed);
	close(closed.fd);
	go(&closed);
	cr_expect_eq(wait_for(&closed), 0);
}

static int begin_listener(void)
{
	return install_listener() < 0;
}

static int try_untold(void)
{
	char *none[] = {NULL};
	return !(refused(socket(AF_INET, SOCK_STREAM, 0), EPERM) &&
			 refused(execve("/bin/true", none, none), EPERM) &&
			 refused(open(secret, O_RDONLY), EACCES) && open(readable, O_RDONLY) >= 0 &&
			 refused(kill(getppid(), 0), EPERM) && install_nothing_more() == 0);
}

/* As in a container whose runtime looks on. */
Test(denied, beside_another_listener_the_jail_is_closed_and_silent)
{
	struct closed closed = start(begin_listener, try_untold);
	go(&closed);
	if (wait_for(&closed) == LACKS_LAYER || closed.said.layers != LAYERS)
		cr_skip_test("not here");
	cr_expect_eq(closed.fd, -1);
	cr_expect(strstr(closed.said.why_not, "container") != NULL, "%s", closed.said.why_not);
}

static int hang(void)
{
	while (socket(AF_INET, SOCK_STREAM, 0) < 0)
		;
	return 0;
}

/* In any of the listener's steps. */
Test(denied, a_process_that_is_killed_ends_it)
{
	struct closed closed = start(NULL, hang);
	need(&closed);
	struct denied *listener = listen_to(&closed);
	struct denied_list list = {.count = 0};
	go(&closed);
	usleep(20000);
	kill(closed.child, SIGKILL);
	cr_expect_eq(wait_for(&closed), 128 + SIGKILL);
	denied_take(listener, &list);
	denied_stop(listener);
	cr_expect_eq(list.count, 0, "before denied_begin() nothing counts");
}
