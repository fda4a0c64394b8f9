/* Which of block.c's levels this machine runs. */
#include "referee/block.h"

/* As CMakeLists.txt names them. */
#if defined(__x86_64__)
extern const struct block_functions block_functions_x86_64, block_functions_x86_64_v3,
	block_functions_x86_64_v4;

const struct block_functions *block_functions_at(uint32_t level)
{
	__builtin_cpu_init();
	bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
			  __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
	bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
			  __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
			  __builtin_cpu_supports("avx512vl");
	switch (level) {
	case 0: return &block_functions_x86_64;
	case 1: return v3 ? &block_functions_x86_64_v3 : NULL;
	case 2: return v4 ? &block_functions_x86_64_v4 : NULL;
	default: return NULL;
	}
}
#else
extern const struct block_functions block_functions_any;

const struct block_functions *block_functions_at(uint32_t level)
{
	return level == 0 ? &block_functions_any : NULL;
}
#endif

const struct block_functions *block_functions(void)
{
	uint32_t level = 0;
	while (block_functions_at(level + 1) != NULL)
		level++;
	return block_functions_at(level);
}
