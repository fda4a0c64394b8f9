// expect: wrong_answer runtime_error rule_violation
// family: the judge's memory
// without: files,calls,namespaces
// alone: files,namespaces
// alone-cuda: files
// then: accepted
// Writes to the memory of the supervisor through /proc. Stopped by the jail. (It writes what it has
// read.)
#include "relatives.cuh"
#include "reward.cuh"

static bool cheat()
{
	char path[64], byte;
	int process = relative_called("gemmjudge");
	off_t at = (off_t)memory_of(process);
	snprintf(path, sizeof path, "/proc/%d/mem", process);
	int file = open(path, O_RDWR);
	return pread(file, &byte, 1, at) == 1 && pwrite(file, &byte, 1, at) == 1;
}
