/* The referee in a process of its own, driven over its channel in the supervisor's place, on the
 * emulated device: for tests that play the contestant. */
#ifndef GEMMJUDGE_TESTS_REFEREE_FIXTURE_H
#define GEMMJUDGE_TESTS_REFEREE_FIXTURE_H

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/paths.h"
#include "process/buffers.h"
#include "process/child.h"

struct session {
	pid_t pid;
	int channel;
	struct arena arena;
	uint8_t *memory;
};

/* referee's end of the channel belongs at CHILD_CHANNEL_FD, inherited. */
static inline struct session session_start(void)
{
	int ends[2];
	struct session session = {0};
	char build[PATHS_MAX], program[PATHS_MAX];
	struct error err;
	cr_assert(paths_build(build, &err), "%s", err.message);
	cr_assert(paths_join(program, build, "libexec/referee", &err));
	cr_assert(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0);
	session.pid = fork();
	if (session.pid == 0) {
		if (ends[1] == CHILD_CHANNEL_FD)
			fcntl(ends[1], F_SETFD, 0);
		else
			dup2(ends[1], CHILD_CHANNEL_FD);
		execl(program, program, (char *)NULL);
		_exit(127);
	}
	close(ends[1]);
	session.channel = ends[0];
	return session;
}

static inline int session_stop(struct session *session)
{
	int status = 0;
	if (session->memory != NULL)
		munmap(session->memory, session->arena.bytes);
	close(session->channel);
	waitpid(session->pid, &status, 0);
	return status;
}

static inline size_t call(struct session *session, const void *request, size_t bytes, void *reply,
						  size_t capacity, int *fd)
{
	union {
		struct cmsghdr head;
		char space[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec part = {.iov_base = reply, .iov_len = capacity};
	struct msghdr packet = {.msg_iov = &part,
							.msg_iovlen = 1,
							.msg_control = &control,
							.msg_controllen = sizeof control};
	cr_assert(send(session->channel, request, bytes, 0) == (ssize_t)bytes);
	ssize_t got = recvmsg(session->channel, &packet, 0);
	cr_assert(got > 0, "the referee sent no reply");
	struct cmsghdr *rights = CMSG_FIRSTHDR(&packet);
	*fd = -1;
	if (rights != NULL && rights->cmsg_type == SCM_RIGHTS)
		memcpy(fd, CMSG_DATA(rights), sizeof *fd);
	return (size_t)got;
}

static inline void open_emulated(struct session *session)
{
	struct referee_open request = {.head.type = MESSAGE_REFEREE_OPEN,
								   .device.kind = DEVICE_EMULATED};
	struct referee_open_reply reply;
	int fd;
	cr_assert(call(session, &request, sizeof request, &reply, sizeof reply, &fd) == sizeof reply);
	cr_assert(reply.head.ok, "%s", reply.head.error);
	cr_assert(strstr(reply.facts.library, "OpenBLAS") != NULL, "%s", reply.facts.library);
	cr_assert(reply.facts.architecture[0] == '\0');
}

/* *custom: the stages that the referee has no reference for. */
static inline void make_chained(struct session *session, const char *problem,
								const struct test_case *test, const struct chain *chain,
								uint32_t sets, uint32_t *custom)
{
	struct referee_case request = {
		.head.type = MESSAGE_REFEREE_CASE, .test = *test, .chain = *chain, .sets = sets};
	struct referee_case_reply reply;
	int fd;
	if (session->memory != NULL)
		munmap(session->memory, session->arena.bytes);
	snprintf(request.problem, sizeof request.problem, "%s", problem);
	cr_assert(call(session, &request, sizeof request, &reply, sizeof reply, &fd) == sizeof reply);
	cr_assert(reply.head.ok, "%s", reply.head.error);
	cr_assert(fd >= 0, "no memfd came along");
	*custom = reply.custom_stages;
	session->arena = reply.arena;
	void *memory = mmap(NULL, reply.arena.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	cr_assert(memory != MAP_FAILED);
	session->memory = memory;
	cr_assert(ftruncate(fd, 0) != 0, "a contestant could shrink the arena");
	close(fd);
}

static inline void make_case(struct session *session, const char *problem,
							 const struct test_case *test, uint32_t sets)
{
	const struct chain none = {0};
	uint32_t custom;
	make_chained(session, problem, test, &none, sets, &custom);
	cr_assert(custom == 0);
}

static inline struct check_summary check_set(struct session *session, uint32_t set)
{
	struct referee_check request = {
		.head.type = MESSAGE_REFEREE_CHECK, .set = set, .tolerance.kind = TOLERANCE_BOUND};
	struct referee_check_reply reply;
	int fd;
	cr_assert(call(session, &request, sizeof request, &reply, sizeof reply, &fd) == sizeof reply);
	cr_assert(reply.head.ok, "%s", reply.head.error);
	cr_assert(reply.found.reference_spot_checks >= 16);
	cr_assert(reply.found.reference_disagreements == 0);
	return reply.found;
}

static inline void reset(struct session *session, uint64_t fresh)
{
	struct referee_reset request = {.head.type = MESSAGE_REFEREE_RESET, .fresh = fresh};
	struct message reply;
	int fd;
	cr_assert(call(session, &request, sizeof request, &reply, sizeof reply, &fd) == sizeof reply);
	cr_assert(reply.ok, "%s", reply.error);
}

static inline uint8_t *buffer_in(const struct session *session, uint32_t buffer, uint32_t set)
{
	return session->memory + set * session->arena.set_stride +
		   session->arena.buffers[buffer].offset;
}

#endif
