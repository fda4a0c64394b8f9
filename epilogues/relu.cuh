/* max(x, 0). NaN stays NaN. */
#ifndef GEMMJUDGE_STAGE_RELU_CUH
#define GEMMJUDGE_STAGE_RELU_CUH

template <class Element> struct stage_relu {
	__device__ __forceinline__ float operator()(float x) const
	{
		return x < 0.0f ? 0.0f : x;
	}
};

#endif
