// Replies of the contestant, as process/protocol.h has them, for tricks that send their own. A
// naive judge believes a line on a pipe instead.
#ifndef REPLIES_CUH
#define REPLIES_CUH

#include <cstdint>
#include <sys/socket.h>
#include <sys/stat.h>

#include "cheat.cuh"

struct forged_reply {
	uint32_t type, ok;
	char error[1024];
	int32_t status, code;
	char name[64], text[512];
	int32_t left;
	double seconds;
	uint64_t calls;
	char failed[512], advice[512];
	int64_t kept_bytes, peak_bytes;
};

static_assert(sizeof(forged_reply) == 2680, "as test_sealed.c has contestant_reply");

constexpr uint32_t FORGED_RUN = 103;

static inline struct forged_reply forged(uint32_t ok)
{
	struct forged_reply reply = {};
	reply.type = FORGED_RUN;
	reply.ok = ok;
	return reply;
}

// The first descriptor from `from` on that is a socket (S_IFSOCK) or a pipe (S_IFIFO); -1: none.
static inline int descriptor_of(mode_t kind, int from)
{
	struct stat facts;
	for (int fd = from; fd < 1024; fd++)
		if (fstat(fd, &facts) == 0 && (facts.st_mode & S_IFMT) == kind)
			return fd;
	return -1;
}

// The bytes to every socket, and "accepted" to every pipe.
static inline void forge(const void *bytes, size_t size)
{
	for (int fd = 0; (fd = descriptor_of(S_IFSOCK, fd)) >= 0; fd++)
		send(fd, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
	for (int fd = 0; (fd = descriptor_of(S_IFIFO, fd)) >= 0; fd++)
		if (write(fd, "accepted\n", 9) < 0)
			continue;
}

#endif
