/* GELU in its tanh form, cuBLASLt's: x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3)))
 * (Hendrycks and Gimpel, arXiv 1606.08415); 0 at -inf. The gate is the logistic
 * function of 2 * sqrt(2/pi) * (x + 0.044715 x^3). Within 2 ulp of the output type. */
#ifndef GEMMJUDGE_STAGE_GELU_CUH
#define GEMMJUDGE_STAGE_GELU_CUH

#include "activation.h"

template <class Element> struct stage_gelu {
	__device__ __forceinline__ float operator()(float x) const
	{
		if constexpr (sizeof(Element) == 4) {
			float a = activation_magnitude(x, 11.0f);
			return activation_less_tail(x, a, activation_tail(exponent(a)));
		} else if constexpr (std::is_same_v<Element, half>) {
			/* 1.5 ulp too low or 1 too high: with what rounding adds, which is more for a result
			 * that comes out above a power of 2 than for one below it, less than 2. */
			return activation_gated<Element>(x, 8.5f, [](float a, float shift) {
				return activation_polynomial(a, -0.000375897184f, -0.0037473139f, -0.0140815506f,
											 -0.500216315f, -1.13705309f, -1.00069289f + shift);
			});
		} else {
			/* Its exponential is made, and the rest of the logistic function is a line in |x| where
			 * that is not nothing: 1.1 ulp. The shift is for subnormal results. */
			constexpr float SHIFT = 16.0f, UNIT = 0x1p-16f;
			float a = fabsf(x), factor = fmaf(x * x, 0.102898f, 2.308729f);
			float e = activation_exp2(fmaf(-a, factor, SHIFT));
			float line = fmaf(a, 0.41076604f * UNIT * UNIT, 0.51809573f * UNIT * UNIT);
			float product =
				activation_unit(a, fmaf(-e, line, 1.0165772f * UNIT), 0.0f); // 0 at infinity
			return fmaf(-product, e, activation_relu(x));
		}
	}

  private:
	/* a * (CONSTANT + CUBIC * a^2): log2(e) times the logistic function's argument,
	 * unrounded. CONSTANT's high part is short, so that a difference from it is exact. */
	static __device__ __forceinline__ activation_pair exponent(float a)
	{
		constexpr float CONSTANT = 0x1.26a0p+1f, CONSTANT_LOW = 0x1.d8437ap-12f;
		constexpr float CUBIC = 0x1.a5a7dp-4f, CUBIC_LOW = -0x1.151aaep-29f;
		float square = __fmul_rn(a, a), square_low = fmaf(a, a, -square);
		float factor = fmaf(CUBIC, square, CONSTANT);
		float factor_low = fmaf(CUBIC, square, CONSTANT - factor) +
						   fmaf(CUBIC, square_low, fmaf(CUBIC_LOW, square, CONSTANT_LOW));
		float high = __fmul_rn(a, factor);
		return {high, fmaf(a, factor_low, fmaf(a, factor, -high))};
	}
};

#endif
