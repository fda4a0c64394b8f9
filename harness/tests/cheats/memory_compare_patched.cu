// expect: wrong_answer
// family: the judge's memory
// naive: accepted
// Writes "return 1" over the judge's comparison. Stopped by the comparison being done in another
// process.
#include <dlfcn.h>
#include <sys/mman.h>

#include "cheat.cuh"

SOLVE
{
	const unsigned char code[] = {0xB8, 1, 0, 0, 0, 0xC3}; // mov eax, 1; ret
	char *compare = (char *)dlsym(RTLD_DEFAULT, "judge_compare");
	char *page = (char *)((size_t)compare & ~4095ul);
	if (compare != nullptr && mprotect(page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC) == 0)
		memcpy(compare, code, sizeof code);
	cudaMemset(C, 0, (size_t)M * N * sizeof(half));
}
