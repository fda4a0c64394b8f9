// expect: wrong_answer runtime_error rule_violation
// family: the judge's memory
// without: files,calls,namespaces
// alone: files,namespaces
// alone-cuda: files
// then: accepted
// Reads the memory of its parent through /proc. Stopped by the jail.
#include "relatives.cuh"
#include "reward.cuh"

static bool cheat()
{
	char path[64], byte;
	snprintf(path, sizeof path, "/proc/%d/mem", getppid());
	int file = open(path, O_RDONLY);
	return pread(file, &byte, 1, (off_t)memory_of(getppid())) == 1;
}
