/* GELU in its tanh form, cuBLASLt's: x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3)))
 * (Hendrycks and Gimpel, arXiv 1606.08415); 0 at -inf. Computed as
 * x * logistic(2 * sqrt(2/pi) * (...)), the same function, because 1 + tanh
 * cancels for negative x. Within 2 ulp of the output type. */
#ifndef GEMMJUDGE_STAGE_GELU_CUH
#define GEMMJUDGE_STAGE_GELU_CUH

#include "logistic.h"

template <class Element> struct stage_gelu {
	__device__ __forceinline__ float operator()(float x) const
	{
		if constexpr (sizeof(Element) == 4) {
			double y = x, u = 1.5957691216057308 * (y + 0.044715 * y * y * y);
			return isinf(x) && x < 0.0f ? -0.0f : (float)(y * logistic(u));
		} else {
			float u = 1.5957691216f * x * fmaf(0.044715f * x, x, 1.0f);
			return times_logistic(x, logistic_approximate(u));
		}
	}
};

#endif
