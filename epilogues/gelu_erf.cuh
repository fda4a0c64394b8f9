/* GELU in its exact form, x/2 * (1 + erf(x / sqrt(2))) (Hendrycks and Gimpel,
 * arXiv 1606.08415); 0 at -inf. Computed with erfc, which does not cancel for
 * negative x. Within 2 ulp of the output type. */
#ifndef GEMMJUDGE_STAGE_GELU_ERF_CUH
#define GEMMJUDGE_STAGE_GELU_ERF_CUH

template <class Element> struct stage_gelu_erf {
	__device__ __forceinline__ float operator()(float x) const
	{
		if (isinf(x) && x < 0.0f)
			return -0.0f;
		if constexpr (sizeof(Element) == 4)
			return (float)(0.5 * (double)x * erfc((double)x * -0.70710678118654752));
		else
			return 0.5f * x * erfcf(x * -0.70710678f);
	}
};

#endif
