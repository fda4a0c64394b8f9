/* The multi-function unit (MUFU) of an H200, bit for bit. DESIGN.md, "Special functions", has the
 * experiments. Arguments and results that are subnormal are zeros of their sign, but for tanh. */
#ifndef EMULATOR_SIMD_MUFU_H
#define EMULATOR_SIMD_MUFU_H

#include "emulator/simd/lanes.h"

/* Of the arguments of a warp's lanes. NaN is 0x7fffffff. */
typedef void mufu_function(const f32 arguments[EXEC_LANES], f32 results[EXEC_LANES]);
#define mufu_rcp SIMD_LEVELLED(mufu_rcp)
#define mufu_rsq SIMD_LEVELLED(mufu_rsq)
#define mufu_sqrt SIMD_LEVELLED(mufu_sqrt)
#define mufu_ex2 SIMD_LEVELLED(mufu_ex2)
#define mufu_lg2 SIMD_LEVELLED(mufu_lg2)
#define mufu_sin SIMD_LEVELLED(mufu_sin)
#define mufu_cos SIMD_LEVELLED(mufu_cos)
#define mufu_tanh SIMD_LEVELLED(mufu_tanh)
mufu_function mufu_rcp, mufu_rsq, mufu_sqrt, mufu_ex2, mufu_lg2;
mufu_function mufu_sin, mufu_cos; /* of turns */
mufu_function mufu_tanh;

/* 2^exponent */
static inline f64 power(s32 exponent)
{
	return double_of_bits((u64)(s64)(exponent + 1023) << 52);
}

/* Towards 0, to 24 bits: a number whose f32 is exact where that is normal. */
static inline f64 cut_to_f32(f64 value)
{
	return double_of_bits(bits_of_double(value) & ~(u64)0x1fffffff);
}

#endif
