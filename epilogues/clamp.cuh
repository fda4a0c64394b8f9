/* x limited to [low, high]; relu6 is clamp:0:6. NaN stays NaN.
 *
 * argument low = 0
 * argument high = 6 */
#ifndef GEMMJUDGE_STAGE_CLAMP_CUH
#define GEMMJUDGE_STAGE_CLAMP_CUH

template <class Element> struct stage_clamp {
	static constexpr int instructions = 2;
	float low, high;

	__device__ __forceinline__ float operator()(float x) const
	{
		return x < low ? low : x > high ? high : x;
	}
};

#endif
