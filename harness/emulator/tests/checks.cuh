// What the unchanged CUDA programs look at: what differs is printed and counted.
#ifndef EMULATOR_TESTS_CHECKS_CUH
#define EMULATOR_TESTS_CHECKS_CUH

#include <cstdio>
#include <cuda_runtime.h>

static int failures;

#define CHECK(condition)                                                                           \
	do {                                                                                           \
		if (!(condition)) {                                                                        \
			printf("%s:%d: %s\n", __FILE__, __LINE__, #condition);                                 \
			failures++;                                                                            \
		}                                                                                          \
	} while (0)

static inline const char *error_name(cudaError_t status)
{
	return cudaGetErrorName(status);
}

// A program that calls the driver has error_name() of a CUresult as well.
#define RETURNS(status, call)                                                                      \
	do {                                                                                           \
		auto got = (call);                                                                         \
		if (got != (status)) {                                                                     \
			printf("%s:%d: %s: %s, not %s\n", __FILE__, __LINE__, #call, error_name(got),          \
				   #status);                                                                       \
			failures++;                                                                            \
		}                                                                                          \
	} while (0)

#endif
