// expect: wrong_answer
// family: the judge's memory
// naive: accepted
// Makes the judge's tolerance infinite. Stopped by the comparison being done in another process.
#include <cmath>
#include <dlfcn.h>

#include "cheat.cuh"

SOLVE
{
	float *tolerance = (float *)dlsym(RTLD_DEFAULT, "judge_tolerance");
	if (tolerance != nullptr)
		*tolerance = INFINITY;
	cudaMemset(C, 0, (size_t)M * N * sizeof(half));
}
