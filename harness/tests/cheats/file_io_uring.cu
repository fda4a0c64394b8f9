// expect: wrong_answer runtime_error rule_violation
// family: files
// without: calls
// then: accepted
// Sets up io_uring, whose calls no filter of system calls sees. Stopped by the jail.
#include <linux/io_uring.h>
#include <sys/syscall.h>

#include "reward.cuh"

static bool cheat()
{
	struct io_uring_params parameters = {};
	return syscall(SYS_io_uring_setup, 4, &parameters) >= 0;
}
