/* Where sparse operands have their zeros, and the streams of random numbers by which operands
 * differ. Compiles as C17 and as CUDA C++. */
#ifndef GEMMJUDGE_TESTCASES_SPARSE_H
#define GEMMJUDGE_TESTCASES_SPARSE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __CUDACC__
#define VALUES_FUNCTION static __host__ __device__ __forceinline__
#else
#define VALUES_FUNCTION static inline
#endif

/* The stream of an operand, by its number in the problem's table: 0, 1, 2, and then 8 on. */
VALUES_FUNCTION uint32_t values_stream(uint32_t operand)
{
	return operand < 3 ? operand : operand + 5;
}

/* Whether a sparse operand has a zero here. It goes by nothing but the place, so that the number of
 * others, which solutions may be told, is the same whatever the seed. */
VALUES_FUNCTION bool values_is_hole(float zeros, uint32_t stream, uint64_t index)
{
	uint64_t x = (index + ((uint64_t)stream << 40)) * 0x9E3779B97F4A7C15ull;
	x = (x ^ x >> 32) * 0xD6E8FEB86659FD93ull;
	return (uint32_t)(x >> 40) < (uint32_t)(zeros * 0x1p24f);
}

#endif
