/* Hyperbolic tangent. Within 2 ulp of the output type: tanhf has 1 ulp in f32;
 * 16-bit types use tanh.approx, whose relative error of 2^-11 is at most an ulp
 * of f16. */
#ifndef GEMMJUDGE_STAGE_TANH_CUH
#define GEMMJUDGE_STAGE_TANH_CUH

template <class Element> struct stage_tanh {
	static constexpr int instructions = 4;
	__device__ __forceinline__ float operator()(float x) const
	{
		if constexpr (sizeof(Element) == 4)
			return tanhf(x);
		float y;
		asm("tanh.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
		return y;
	}
};

#endif
