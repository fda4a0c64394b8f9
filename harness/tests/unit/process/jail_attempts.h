/* What test_jail.c and test_jail_rest.c begin with. */
#ifndef GEMMJUDGE_TESTS_JAIL_ATTEMPTS_H
#define GEMMJUDGE_TESTS_JAIL_ATTEMPTS_H

#include <asm/sockios.h>
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process/landlock.h"
#include "tests/unit/process/jail_fixture.h"

static struct stat network; /* of the parent */
static inline void begin_all(void)
{
	begin();
	cr_assert_eq(stat("/proc/self/ns/net", &network), 0);
}

TestSuite(jail, .init = begin_all, .fini = end);

static inline int read_secret(void)
{
	return open_and_close(secret, O_RDONLY);
}

#endif
