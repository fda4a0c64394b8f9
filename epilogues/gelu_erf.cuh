/* GELU in its exact form, x/2 * (1 + erf(x / sqrt(2))) (Hendrycks and Gimpel,
 * arXiv 1606.08415); 0 at -inf. The gate is the normal distribution function, for f32
 * computed with erfc, which does not cancel for negative x. Within 2 ulp of the output
 * type. */
#ifndef GEMMJUDGE_STAGE_GELU_ERF_CUH
#define GEMMJUDGE_STAGE_GELU_ERF_CUH

#include "activation.h"

template <class Element> struct stage_gelu_erf {
	__device__ __forceinline__ float operator()(float x) const
	{
		if constexpr (sizeof(Element) == 4) {
			if (isinf(x) && x < 0.0f)
				return -0.0f;
			return (float)(0.5 * (double)x * erfc((double)x * -0.70710678118654752));
		} else if constexpr (std::is_same_v<Element, half>) { // 0.2 ulp off at most
			return activation_gated<Element>(x, 8.0f, [](float a, float shift) {
				return activation_polynomial(a, -0.000333259901f, 0.0059509133f, -0.0486511923f,
											 -0.463564754f, -1.14943171f, -1.00010252f + shift);
			});
		} else { // 0.5 ulp
			return activation_gated<Element>(x, 20.0f, [](float a, float shift) {
				return activation_polynomial(a, 3.45548369e-06f, -0.000165906938f, 0.0032659655f,
											 -0.0347336344f, -0.493075222f, -1.12746274f,
											 -1.00268495f + shift);
			});
		}
	}
};

#endif
