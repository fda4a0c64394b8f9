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
			/* As activation_share(), with the line one step earlier, and e too small by a factor
			 * that spreads what it errs by: 1.43 ulp, too high by 1 at most where rounding up
			 * doubles the unit. The line's factor is so small that infinity alone makes it 1. */
			constexpr float UNIT = 0x1p-32f; // for subnormal results
			float far = activation_exp2(fmaf(a, -ACTIVATION_LOG2_E, 32.0f));
			float e = 0.999172435f * UNIT * far;
			float line = activation_unit(a, 0.235864028f * UNIT, 0.51213753f * UNIT);
			float y = activation_unit(-far, line, 1.0097462f);
			return x >= 0.0f ? y : y * e; // NaN, which y has lost, by e
		}
	}
};

#endif
