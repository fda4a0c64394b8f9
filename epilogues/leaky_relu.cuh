/* x where x >= 0, slope * x below. NaN stays NaN.
 *
 * argument slope = 0.01 */
#ifndef GEMMJUDGE_STAGE_LEAKY_RELU_CUH
#define GEMMJUDGE_STAGE_LEAKY_RELU_CUH

template <class Element> struct stage_leaky_relu {
	static constexpr int instructions = 2;
	float slope;

	__device__ __forceinline__ float operator()(float x) const
	{
		return x < 0.0f ? slope * x : x;
	}
};

#endif
