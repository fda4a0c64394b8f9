/* x / (1 + exp(-x)), also known as swish; 0 at -inf. Within 2 ulp of the output
 * type: f32 by way of double, 16-bit types by the special function unit. */
#ifndef GEMMJUDGE_STAGE_SILU_CUH
#define GEMMJUDGE_STAGE_SILU_CUH

#include "logistic.h"

template <class Element> struct stage_silu {
	__device__ __forceinline__ float operator()(float x) const
	{
		if constexpr (sizeof(Element) == 4)
			return isinf(x) && x < 0.0f ? -0.0f : (float)((double)x * logistic((double)x));
		else
			return times_logistic(x, logistic_approximate(x));
	}
};

#endif
