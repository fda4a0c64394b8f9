/* How a sum of products of 8-bit integers becomes an 8-bit integer again. */
#ifndef GEMMJUDGE_GEMM_S8_QUANTISE_CUH
#define GEMMJUDGE_GEMM_S8_QUANTISE_CUH

#include <cuda_runtime.h>
#include <stdint.h>

struct quantisation {
	float factor; // scale_A * scale_B / scale_C, rounded once
	int zero_point_A, zero_point_B, zero_point_C;

	/* `sum`: of (A - zero_point_A) * (B - zero_point_B), exact. What would lie outside of int8_t
	 * is cut off before it is rounded. Adding 1.5 * 2^23 rounds to a whole number, halves to the
	 * even one, and leaves it in the float's low bits; a conversion would take a slower unit. */
	__device__ __forceinline__ int8_t quantise(int sum) const
	{
		float least = (float)(-128 - zero_point_C), most = (float)(127 - zero_point_C);
		float scaled = fminf(fmaxf((float)sum * factor, least), most);
		return (int8_t)(__float_as_int(scaled + 12582912.0f) + zero_point_C);
	}
};

static inline quantisation quantisation_make(float scale_A, float scale_B, float scale_C,
											 int zero_point_A, int zero_point_B, int zero_point_C)
{
	double factor = (double)scale_A * scale_B / scale_C;
	return {(float)factor, zero_point_A, zero_point_B, zero_point_C};
}

#endif
