/* The NaN of f32 sums. For tensor/kernels.c, which is compiled once for each x86-64 level and has
 * the types of vectors. */
#ifndef EMULATOR_TENSOR_ONE_NAN_H
#define EMULATOR_TENSOR_ONE_NAN_H

INLINE v_float one_nan(v_float x)
{
#if SIMD_LEVEL >= 4
	__mmask16 nan = _mm512_cmp_ps_mask((__m512)x, (__m512)x, _CMP_UNORD_Q);
	return (v_float)_mm512_mask_mov_ps((__m512)x, nan,
									   _mm512_castsi512_ps(_mm512_set1_epi32(TENSOR_NAN)));
#else
	v_int nan = x != x;
	return (v_float)(((v_int)x & ~nan) | (nan & TENSOR_NAN));
#endif
}

#endif
