/* 1 / (1 + exp(-x)). Within 2 ulp of the output type. */
#ifndef GEMMJUDGE_STAGE_SIGMOID_CUH
#define GEMMJUDGE_STAGE_SIGMOID_CUH

#include "activation.h"

template <class Element> struct stage_sigmoid {
	__device__ __forceinline__ float operator()(float x) const
	{
		if constexpr (sizeof(Element) == 4) {
			activation_pair tail =
				activation_tail(activation_times_log2_e(activation_magnitude(x, 110.0f)));
			float y = tail.high + tail.low;
			return x < 0.0f ? y * ACTIVATION_UNIT : fmaf(y, -ACTIVATION_UNIT, 1.0f);
		} else if constexpr (std::is_same_v<Element, half>) {
			return activation_inverse(1.0f + activation_exp2(x * -ACTIVATION_LOG2_E));
		} else {
			float e = activation_decay<Element>(x), y = inverse(e);
			return x < 0.0f ? y * e : y;
		}
	}

	/* Two values of f16 with one reciprocal, that of both denominators' product: three results of
	 * the special function unit in place of four. From an exponent of 62 on a value is 0 in f16,
	 * and the product does not overflow. A NaN is left out of it, so that it does not reach its
	 * neighbour. */
	template <class Value, class = std::enable_if_t<std::is_same_v<Value, float> &&
													std::is_same_v<Element, half>>>
	__device__ __forceinline__ void operator()(Value (&x)[2]) const
	{
		float s = x[0] * -ACTIVATION_LOG2_E, t = x[1] * -ACTIVATION_LOG2_E;
		float a = 1.0f + activation_exp2(fminf(s, 62.0f));
		float b = 1.0f + activation_exp2(fminf(t, 62.0f));
		float inverse = activation_inverse(a * b);
		x[0] = activation_or_nan(inverse * b, s);
		x[1] = activation_or_nan(inverse * a, t);
	}

  private:
	/* 1 / (1 + e) for e from 0 to 1, exact at both ends: 0.6 ulp of bf16 off at most. */
	static __device__ __forceinline__ float inverse(float e)
	{
		return activation_polynomial(e, -0.22654102f, 0.67962306f, -0.95308204f, 1.0f);
	}
};

#endif
