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
			float e = activation_decay<Element>(x), a = activation_magnitude(x, 0x1p+127f);
			return fmaf(-a, e * inverse(e), activation_relu(x));
		}
	}

	/* Two values of f16 by one reciprocal, as in sigmoid.cuh. Below -43 it is 0 in f16, and a NaN
	 * comes back with the last multiplication. */
	template <class Value, class = std::enable_if_t<std::is_same_v<Value, float> &&
													std::is_same_v<Element, half>>>
	__device__ __forceinline__ void operator()(Value (&x)[2]) const
	{
		asm("max.NaN.f32 %0, %0, %1;" : "+f"(x[0]) : "f"(-43.0f));
		asm("max.NaN.f32 %0, %0, %1;" : "+f"(x[1]) : "f"(-43.0f));
		float s = x[0] * -ACTIVATION_LOG2_E, t = x[1] * -ACTIVATION_LOG2_E;
		float a = 1.0f + activation_exp2(fminf(s, 63.0f));
		float b = 1.0f + activation_exp2(fminf(t, 63.0f));
		float inverse = activation_inverse(a * b);
		x[0] *= inverse * b;
		x[1] *= inverse * a;
	}

  private:
	/* 1 / (1 + e) for e from 0 to 1: 0.6 ulp of f16 off at most, 0.4 of bf16. */
	static __device__ __forceinline__ float inverse(float e)
	{
		if constexpr (std::is_same_v<Element, half>)
			return activation_polynomial(e, 0.15224516f, -0.53285807f, 0.86589406f, -0.98483513f,
										 0.99970265f);
		return activation_polynomial(e, -0.22183727f, 0.6655118f, -0.942808f, 0.99826693f);
	}
};

#endif
