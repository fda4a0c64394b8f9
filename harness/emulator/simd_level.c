#include "emulator/simd_level.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int level;

static void choose(void)
{
	const char *wanted = getenv("EMULATED_GPU_SIMD");
	int most = wanted != NULL && *wanted >= '2' && *wanted <= '4' ? *wanted - '0' : 4;
#if defined(__x86_64__)
	__builtin_cpu_init();
	/* F16C came before AVX2, and clang 14 cannot ask for it */
	bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
			  __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
	bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
			  __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
			  __builtin_cpu_supports("avx512vl");
	level = v4 ? 4 : v3 ? 3 : 2;
#else
	level = 2;
#endif
	level = level < most ? level : most;
}

int simd_level(void)
{
	pthread_once(&once, choose);
	return level;
}
