/* links: channel */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process/channel.h"
#include "process/child.h"

/* Above CHILD_CHANNEL_FD, which some tests overwrite. */
static int supervisor, child;

static void connect_ends(void)
{
	int ends[2];
	cr_assert_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	supervisor = fcntl(ends[0], F_DUPFD_CLOEXEC, 50);
	child = fcntl(ends[1], F_DUPFD_CLOEXEC, 50);
	close(ends[0]);
	close(ends[1]);
}

static void close_ends(void)
{
	close(supervisor);
	close(child);
}

TestSuite(channel, .init = connect_ends, .fini = close_ends);

Test(channel, keeps_the_borders_of_messages)
{
	char request[100];
	size_t bytes;
	int fd;
	cr_assert_eq(send(supervisor, "one", 3, 0), 3);
	cr_assert_eq(send(supervisor, "three", 5, 0), 5);
	cr_assert(channel_receive(child, request, sizeof request, &bytes, &fd));
	cr_assert_eq(bytes, 3);
	cr_assert_eq(fd, -1);
	cr_assert(channel_receive(child, request, sizeof request, &bytes, NULL));
	cr_assert_eq(bytes, 5);
	cr_assert_eq(memcmp(request, "three", 5), 0);
}

Test(channel, carries_a_descriptor)
{
	char request[8], byte;
	size_t bytes;
	int fd, ends[2];
	cr_assert_eq(pipe(ends), 0);
	cr_assert(channel_send(supervisor, "here", 4, ends[0]));
	cr_assert(channel_receive(child, request, sizeof request, &bytes, &fd));
	cr_assert_geq(fd, 0);
	cr_assert_eq(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	cr_assert_eq(write(ends[1], "x", 1), 1);
	cr_assert_eq(read(fd, &byte, 1), 1);
	cr_assert_eq(byte, 'x');
	close(fd);
}

Test(channel, closes_a_descriptor_that_nobody_wants)
{
	char request[8], byte;
	size_t bytes;
	int ends[2];
	cr_assert_eq(pipe(ends), 0);
	cr_assert(channel_send(supervisor, "here", 4, ends[1]));
	close(ends[1]);
	cr_assert(channel_receive(child, request, sizeof request, &bytes, NULL));
	cr_assert_eq(read(ends[0], &byte, 1), 0, "no write end is left open");
}

Test(channel, refuses_what_does_not_fit)
{
	char request[4];
	size_t bytes;
	cr_assert_eq(send(supervisor, "too long", 8, 0), 8);
	cr_assert_not(channel_receive(child, request, sizeof request, &bytes, NULL));
	cr_assert_eq(bytes, 0);
}

Test(channel, ends_with_its_supervisor)
{
	char request[4];
	size_t bytes;
	int fd;
	close(supervisor);
	cr_assert_not(channel_receive(child, request, sizeof request, &bytes, &fd));
	cr_assert_eq(fd, -1);
	cr_assert_not(channel_send(child, "x", 1, -1), "and raises no signal");
}

/* In a process of its own, whose low descriptors may be overwritten. */
static int status_in_child(int (*function)(void))
{
	int status = -1;
	pid_t pid = fork();
	if (pid == 0)
		_exit(function());
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int move_away(void)
{
	dup2(child, CHILD_CHANNEL_FD);
	int moved = channel_open();
	if (moved < 100 || (fcntl(moved, F_GETFD) & FD_CLOEXEC) == 0)
		return 1;
	if (fcntl(CHILD_CHANNEL_FD, F_GETFD) != -1)
		return 2;
	return channel_send(supervisor, "x", 1, -1) ? 0 : 3;
}

static int take_something_else(void)
{
	dup2(STDERR_FILENO, CHILD_CHANNEL_FD);
	if (channel_open() != -1)
		return 1;
	return fcntl(CHILD_CHANNEL_FD, F_GETFD) != -1 ? 0 : 2; /* it is left alone */
}

Test(channel, moves_away_from_the_low_descriptors)
{
	cr_assert_eq(status_in_child(move_away), 0);
}

Test(channel, is_not_any_descriptor)
{
	cr_assert_eq(status_in_child(take_something_else), 0);
}
