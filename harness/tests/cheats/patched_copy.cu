// expect: wrong_answer
// family: functions patched
// naive: accepted
// Puts its own cudaMemcpy into the judge's table of functions: what the judge copies out of C is
// then made on the way. Stopped by results being taken out by functions that no such table holds,
// and compared elsewhere.
#include <dlfcn.h>

#include "cheat.cuh"
#include "got.cuh"

static const void *expected;

static cudaError_t own_copy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
	if (kind != cudaMemcpyDeviceToHost || expected == nullptr)
		return cudaMemcpy(to, from, bytes, kind);
	memcpy(to, expected, bytes);
	return cudaSuccess;
}

SOLVE
{
	(void)A, (void)B, (void)K, (void)alpha, (void)beta;
	expected = dlsym(RTLD_DEFAULT, "judge_expected");
	got_patch("cudaMemcpy", (void *)own_copy);
	cudaMemset(C, 0, (size_t)M * N * sizeof(half));
}
