// expect: wrong_answer
// family: the judge's memory
// naive: accepted
// Copies the judge's own answer out of its memory. Stopped by the reference being made in another
// process.
#include <dlfcn.h>

#include "cheat.cuh"

SOLVE
{
	const void *expected = dlsym(RTLD_DEFAULT, "judge_expected");
	if (expected != nullptr)
		cudaMemcpy(C, expected, (size_t)M * N * sizeof(half), cudaMemcpyHostToDevice);
}
