/* 1 / (1 + exp(-x)). Within 2 ulp of the output type. */
#ifndef GEMMJUDGE_STAGE_SIGMOID_CUH
#define GEMMJUDGE_STAGE_SIGMOID_CUH

#include "activation.h"

template <class Element> struct stage_sigmoid {
	__device__ __forceinline__ float operator()(float x) const
	{
		float a = fabsf(x);
		if constexpr (sizeof(Element) == 4) {
			activation_pair tail =
				activation_tail(activation_times_log2_e(activation_magnitude(x, 110.0f)));
			float y = tail.high + tail.low;
			return x < 0.0f ? y * ACTIVATION_UNIT : fmaf(y, -ACTIVATION_UNIT, 1.0f);
		} else if constexpr (std::is_same_v<Element, half>) {
			float e = activation_exp2(a * -ACTIVATION_LOG2_E), y = activation_share<0>(e, a);
			return x >= 0.0f ? y : y * e;
		} else {
			/* As activation_share(), with the line one step earlier: 1.42 ulp of bf16, too high by
			 * 1 at most. The line has a factor so small that it is 1 for infinity alone. */
			float far = activation_exp2(fmaf(a, -ACTIVATION_LOG2_E, 32.0f)), e = 0x1p-32f * far;
			float line = activation_unit(a, 0x1p-32f * 0.23620431f, 0x1p-32f * 0.51192951f);
			float y = activation_unit(-far, line, 1.0091556f);
			return x >= 0.0f ? y : y * e; // NaN, which y has lost, by e
		}
	}
};

#endif
