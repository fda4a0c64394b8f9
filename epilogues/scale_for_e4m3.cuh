/* 448 / the largest absolute value of the matrix: the scale with which e4m3 holds all of it, for
 * the kernel that follows; infinite where all are 0. The chain goes on with x.
 *
 * reduce scale 1 max finish */
#ifndef GEMMJUDGE_STAGE_SCALE_FOR_E4M3_CUH
#define GEMMJUDGE_STAGE_SCALE_FOR_E4M3_CUH

template <class Element> struct stage_scale_for_e4m3 {
	float *scale;

	template <class Visit> __host__ __device__ constexpr void memory(Visit &visit) const
	{
		visit.reduction(scale, 0, 0);
	}

	template <int V>
	__device__ __forceinline__ void operator()(float (&x)[V], const epilogue_coordinate &at) const
	{
		float y[V];
#pragma unroll
		for (int i = 0; i < V; i++)
			y[i] = fabsf(x[i]);
		epilogue_reduce_max<0, 0>(scale, at, y);
	}

	__device__ float finish(float largest, int, int) const
	{
		return 448.0f / largest;
	}
};

#endif
