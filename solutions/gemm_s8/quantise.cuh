/* How a sum of products of 8-bit integers becomes an 8-bit integer again. */
#ifndef GEMMJUDGE_GEMM_S8_QUANTISE_CUH
#define GEMMJUDGE_GEMM_S8_QUANTISE_CUH

#include <cuda_runtime.h>
#include <stdint.h>

struct quantisation {
	float factor; // scale_A * scale_B / scale_C, rounded once
	int zero_point_A, zero_point_B, zero_point_C;

	/* `sum`: of (A - zero_point_A) * (B - zero_point_B), exact. Halves go to the even
	 * neighbour. What lies outside of int8_t saturates, also where the scaled sum lies
	 * outside of int: it is clamped as a float, with room for any zero point. */
	__device__ __forceinline__ int8_t quantise(int sum) const
	{
		float scaled = fminf(fmaxf((float)sum * factor, -512.0f), 512.0f);
		int rounded = __float2int_rn(scaled) + zero_point_C;
		return (int8_t)min(max(rounded, -128), 127);
	}
};

static inline quantisation quantisation_make(float scale_A, float scale_B, float scale_C,
											 int zero_point_A, int zero_point_B, int zero_point_C)
{
	double factor = (double)scale_A * scale_B / scale_C;
	return {(float)factor, zero_point_A, zero_point_B, zero_point_C};
}

#endif
