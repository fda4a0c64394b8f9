/* Neighbouring outputs of a convolution along one axis, in the registers of a thread.
 *
 * With one element of the filter OUTPUTS outputs need as many neighbours of the input, with the
 * next one those that begin one further. So a thread keeps OUTPUTS + 4 of them: four new ones
 * are one load of 16 bytes, for 4 x OUTPUTS FMAs. The registers are a ring: which of them is
 * the first moves on by four each time, and after a turn it is as it was. As loops are
 * unrolled by a whole turn, all places in the ring are constants, and nothing is moved. */
#ifndef GEMMJUDGE_CONV1D_SLIDING_WINDOW_CUH
#define GEMMJUDGE_CONV1D_SLIDING_WINDOW_CUH

#include <cuda_runtime.h>

template <int OUTPUTS> struct sliding_window {
	static constexpr int RING = OUTPUTS + 4; // floats, and elements of the filter a turn
	static_assert(OUTPUTS % 8 == 4, "lanes an odd number of float4 apart meet all banks");
	float ring[RING];

	__device__ __forceinline__ void put(int at, const float *from)
	{
		float4 v = *(const float4 *)from;
		ring[at % RING] = v.x;
		ring[(at + 1) % RING] = v.y;
		ring[(at + 2) % RING] = v.z;
		ring[(at + 3) % RING] = v.w;
	}
	/* `from`: what the first output has with the first element of the filter. */
	__device__ __forceinline__ void begin(const float *from)
	{
#pragma unroll
		for (int i = 0; i < OUTPUTS; i += 4)
			put(i, &from[i]);
	}
	/* The element with number `tap` of the turn. */
	__device__ __forceinline__ void add(int tap, float factor, float (&sum)[OUTPUTS]) const
	{
#pragma unroll
		for (int o = 0; o < OUTPUTS; o++)
			sum[o] += ring[(tap + o) % RING] * factor;
	}
	/* The first of four elements: `count` of them, which is to be a constant when it is inlined.
	 * What lies behind the filter's end is not multiplied, not even by 0: an infinity there is
	 * none of the output's. */
	__device__ __forceinline__ void add_first(int count, int tap, float4 factor,
											  float (&sum)[OUTPUTS]) const
	{
		add(tap, factor.x, sum);
		if (count > 1)
			add(tap + 1, factor.y, sum);
		if (count > 2)
			add(tap + 2, factor.z, sum);
		if (count > 3)
			add(tap + 3, factor.w, sum);
	}
};

#endif
