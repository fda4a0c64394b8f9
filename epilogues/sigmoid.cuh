/* 1 / (1 + exp(-x)). Within 2 ulp of the output type: f32 by way of double,
 * 16-bit types by the special function unit. */
#ifndef GEMMJUDGE_STAGE_SIGMOID_CUH
#define GEMMJUDGE_STAGE_SIGMOID_CUH

#include "logistic.h"

template <class Element> struct stage_sigmoid {
	__device__ __forceinline__ float operator()(float x) const
	{
		if constexpr (sizeof(Element) == 4)
			return (float)logistic((double)x);
		else
			return logistic_approximate(x);
	}
};

#endif
