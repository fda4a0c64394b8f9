// expect: wrong_answer
// family: the judge's memory
// naive: accepted
// Reads the answers from a file that the judge has left open. Stopped by the process having no
// descriptor of a file.
#include <sys/stat.h>

#include "cheat.cuh"

SOLVE
{
	char answer[32 * 32 * sizeof(half)];
	struct stat facts;
	for (int fd = 3; fd < 1024; fd++)
		if (fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_size == sizeof answer &&
			pread(fd, answer, sizeof answer, 0) == sizeof answer)
			cudaMemcpy(C, answer, sizeof answer, cudaMemcpyHostToDevice);
}
