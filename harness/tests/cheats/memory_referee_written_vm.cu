// expect: wrong_answer runtime_error rule_violation
// family: the judge's memory
// without: files,calls,namespaces
// alone-cuda: files,calls
// then: accepted
// Writes to the referee's memory by process_vm_writev. Stopped by the jail. (It writes what it has
// read.)
#include <sys/uio.h>

#include "relatives.cuh"
#include "reward.cuh"

static bool cheat()
{
	char bytes[64];
	int process = relative_called("referee");
	struct iovec here = {bytes, sizeof bytes}, there = {(void *)memory_of(process), sizeof bytes};
	return process_vm_readv(process, &here, 1, &there, 1, 0) == sizeof bytes &&
		   process_vm_writev(process, &here, 1, &there, 1, 0) == sizeof bytes;
}
