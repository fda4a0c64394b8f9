// expect: wrong_answer runtime_error rule_violation
// family: the judge's memory
// without: files,calls,namespaces
// alone-cuda: files,calls
// then: accepted
// Asks for the memory of a process whose number it knows, without a look at /proc: the kernel says
// that the address is a wrong one, and not that the process is none of its business. Stopped by the
// jail.
#include <cerrno>
#include <sys/uio.h>

#include "reward.cuh"

static bool cheat()
{
	char byte;
	struct iovec here = {&byte, 1}, there = {(void *)8, 1};
	return process_vm_readv(cheat_victim(), &here, 1, &there, 1, 0) == -1 && errno == EFAULT;
}
