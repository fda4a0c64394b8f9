/* max(x, 0). NaN stays NaN. */
#ifndef GEMMJUDGE_STAGE_RELU_CUH
#define GEMMJUDGE_STAGE_RELU_CUH

#include "activation.h"

template <class Element> struct stage_relu {
	static constexpr int instructions = 1;
	__device__ __forceinline__ float operator()(float x) const
	{
		return activation_relu(x);
	}
};

#endif
