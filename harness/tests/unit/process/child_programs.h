/* What children of test_child.c are: its own executable, started with TEST_CHILD=NAME. */
#ifndef GEMMJUDGE_TESTS_CHILD_PROGRAMS_H
#define GEMMJUDGE_TESTS_CHILD_PROGRAMS_H

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "process/channel.h"
#include "process/child.h"

static void child_serve(int channel)
{
	char request[CHILD_MESSAGE_MAX];
	size_t bytes;
	int fd;
	while (channel_receive(channel, request, sizeof request, &bytes, &fd)) {
		if (fd >= 0) { /* adds a word to the file, and gives it back */
			if (write(fd, "child", 5) != 5)
				_exit(9);
		}
		channel_send(channel, request, bytes, fd);
		if (fd >= 0)
			close(fd);
	}
}

/* Also where a sanitizer has taken the signal over. */
static void die_of(int number)
{
	signal(number, SIG_DFL);
	raise(number);
}

/* Answers with several descriptors of its output. */
static void child_send_descriptors(int channel, size_t bytes, size_t count)
{
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(8 * sizeof(int))] = {0};
	const int outputs[8] = {1, 1, 1, 1, 1, 1, 1, 1};
	char request[64];
	size_t got;
	struct iovec part = {.iov_base = request, .iov_len = bytes};
	struct msghdr message = {.msg_iov = &part,
							 .msg_iovlen = 1,
							 .msg_control = control,
							 .msg_controllen = CMSG_SPACE(count * sizeof(int))};
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);
	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(count * sizeof(int));
	memcpy(CMSG_DATA(header), outputs, count * sizeof(int));
	channel_receive(channel, request, sizeof request, &got, NULL);
	sendmsg(channel, &message, 0);
	pause();
}

static void child_flood(int channel)
{
	char line[1000];
	memset(line, 'x', sizeof line);
	for (int i = 0; i < 50000; i++)
		if (write(1 + i % 2, line, sizeof line) < 0)
			_exit(9);
	if (write(1, "last words", 10) != 10)
		_exit(9);
	child_serve(channel);
}

static void child_hog(void)
{
	for (;;) {
		char *block =
			mmap(NULL, 8 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (block == MAP_FAILED)
			_exit(9);
		memset(block, 1, 8 << 20);
		usleep(1000);
	}
}

/* Memory that is resident in no process: 120 MiB of shared pages, then a pause. */
static void child_keep_shared(void)
{
	const size_t bytes = 120 << 20;
	char *block = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (block == MAP_FAILED)
		_exit(9);
	for (size_t at = 0; at < bytes; at += 8 << 20) {
		memset(block + at, 1, 8 << 20);
		madvise(block + at, 8 << 20, MADV_DONTNEED);
	}
	pause();
}

/* Keeps memory in a file without a name, of which only the last page is mapped, and that is not
 * open.
 */
static void child_keep_file(void)
{
	static char block[8 << 20];
	const off_t bytes = 120 << 20;
	int fd = memfd_create("test", MFD_CLOEXEC);
	memset(block, 1, sizeof block);
	for (off_t at = 0; at < bytes; at += (off_t)sizeof block)
		if (pwrite(fd, block, sizeof block, at) < 0)
			_exit(9);
	if (mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, bytes - 4096) == MAP_FAILED)
		_exit(9);
	close(fd);
	pause();
}

/* 120 MiB of page tables: a page of zeros for each of a vast mapping's parts. */
static void child_make_tables(void)
{
	const size_t step = 2 << 20, bytes = 120 * 256 * step;
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
	const volatile char *block = mmap(NULL, bytes, PROT_READ, flags, -1, 0);
	if (block == MAP_FAILED)
		_exit(9);
	madvise((void *)block, bytes, MADV_NOHUGEPAGE);
	for (size_t at = 0; at < bytes; at += step)
		if (block[at] != 0)
			_exit(9);
	pause();
}

/* Processes that outlive their parents, one of them in a session of its own. */
static void child_leave_orphans(int channel)
{
	for (int i = 0; i < 4; i++) {
		if (fork() != 0)
			continue;
		if (i % 2 == 0)
			setsid();
		if (fork() != 0)
			_exit(0);
		for (;;)
			pause();
	}
	child_serve(channel);
}

/* Before anybody can have seen its processes. */
static void child_kill_keeper_at_once(void)
{
	prctl(PR_SET_PDEATHSIG, 0);
	for (int i = 0; i < 6; i++)
		if (fork() == 0) {
			setsid();
			fork();
			for (;;)
				pause();
		}
	kill(getppid(), SIGKILL);
	for (;;)
		pause();
}

/* Says more than a pipe holds, and needs a reader before it can answer. */
static void child_answer_after_talk(int channel)
{
	char request[64], text[200000];
	size_t bytes;
	memset(text, 'x', sizeof text);
	while (channel_receive(channel, request, sizeof request, &bytes, NULL)) {
		usleep(300000);
		if (write(1, text, sizeof text) < 0)
			_exit(9);
		channel_send(channel, request, bytes, -1);
	}
}

/* A sign a millisecond, half of them by a child of it, for half a second. */
static void child_count(void)
{
	fork();
	for (int i = 0; i < 250; i++) {
		usleep(2000);
		if (write(1, "x", 1) != 1)
			_exit(9);
	}
	while (wait(NULL) > 0)
		;
	_exit(0);
}

static void child_kill_keeper(void)
{
	if (fork() == 0) {
		setsid();
		for (;;)
			pause();
	}
	usleep(300000);
	kill(getppid(), SIGKILL);
	for (;;)
		pause();
}

__attribute__((constructor)) static void be_child(void)
{
	const char *name = getenv("TEST_CHILD");
	if (name == NULL)
		return;
	int channel = channel_open();
	if (channel < 0)
		_exit(8);
	if (strcmp(name, "serve") == 0)
		child_serve(channel);
	if (strcmp(name, "crash") == 0)
		die_of(SIGSEGV);
	if (strcmp(name, "exit") == 0)
		_exit(7);
	if (strcmp(name, "flood") == 0)
		child_flood(channel);
	if (strcmp(name, "hog") == 0)
		child_hog();
	if (strcmp(name, "shared") == 0)
		child_keep_shared();
	if (strcmp(name, "memfd") == 0)
		child_keep_file();
	if (strcmp(name, "tables") == 0)
		child_make_tables();
	if (strcmp(name, "orphans") == 0)
		child_leave_orphans(channel);
	if (strcmp(name, "hang") == 0)
		for (;;)
			pause();
	if (strcmp(name, "spin-stopped") == 0)
		raise(SIGSTOP);
	if (strcmp(name, "close") == 0) {
		closefrom(0);
		for (;;)
			pause();
	}
	if (strcmp(name, "twice") == 0) {
		char request[64];
		size_t bytes;
		while (channel_receive(channel, request, sizeof request, &bytes, NULL))
			for (int i = 0; i < 2; i++)
				channel_send(channel, request, bytes, -1);
	}
	if (strncmp(name, "descriptors-", 12) == 0)
		child_send_descriptors(channel, (size_t)atoi(name + 14), (size_t)atoi(name + 12));
	if (strcmp(name, "oversized") == 0) {
		static char reply[4096];
		channel_send(channel, reply, sizeof reply, -1);
		pause();
	}
	if (strcmp(name, "reply-and-die") == 0) {
		char request[64];
		size_t bytes;
		channel_receive(channel, request, sizeof request, &bytes, NULL);
		channel_send(channel, "bye", 4, -1);
		raise(SIGABRT);
	}
	if (strcmp(name, "kill-keeper") == 0)
		child_kill_keeper();
	if (strcmp(name, "kill-keeper-at-once") == 0)
		child_kill_keeper_at_once();
	if (strcmp(name, "stop-keeper") == 0) {
		kill(getppid(), SIGSTOP);
		child_serve(channel);
		for (;;)
			pause();
	}
	if (strcmp(name, "count") == 0)
		child_count();
	if (strcmp(name, "talk") == 0)
		child_answer_after_talk(channel);
	if (strcmp(name, "descriptors") == 0)
		for (int fd = 0; fd < 1024; fd++)
			if (fd != channel && fcntl(fd, F_GETFD) >= 0)
				dprintf(1, "%d ", fd);
	_exit(0);
}

#endif
