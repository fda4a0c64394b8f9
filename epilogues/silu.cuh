/* x / (1 + exp(-x)), also known as swish; 0 at -inf. Within 2 ulp of the output
 * type. */
#ifndef GEMMJUDGE_STAGE_SILU_CUH
#define GEMMJUDGE_STAGE_SILU_CUH

#include "activation.h"

template <class Element> struct stage_silu {
	__device__ __forceinline__ float operator()(float x) const
	{
		if constexpr (sizeof(Element) == 4) {
			float a = activation_magnitude(x, 110.0f);
			return activation_less_tail(x, a, activation_tail(activation_times_log2_e(a)));
		} else {
			/* The shift is for subnormal results, and so that the product is cut at 1 only from an
			 * |x| of 2^16 on, where e is 0. */
			constexpr int SHIFT = 16;
			float a = fabsf(x), e = activation_exp2(fmaf(a, -ACTIVATION_LOG2_E, SHIFT));
			float product = activation_unit(a, activation_share<SHIFT>(e, a), 0.0f);
			return fmaf(-product, e, activation_relu(x));
		}
	}
};

#endif
