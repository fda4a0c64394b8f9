/* The largest absolute value of the matrix, for the scale of a quantisation; the chain goes
 * on with x.
 *
 * reduce amax 1 max */
#ifndef GEMMJUDGE_STAGE_AMAX_CUH
#define GEMMJUDGE_STAGE_AMAX_CUH

template <class Element> struct stage_amax {
	float *amax;

	template <class Visit> __host__ __device__ constexpr void memory(Visit &visit) const
	{
		visit.reduction(amax, 0, 0);
	}

	template <int V>
	__device__ __forceinline__ void operator()(float (&x)[V], const epilogue_coordinate &at) const
	{
		float y[V];
#pragma unroll
		for (int i = 0; i < V; i++)
			y[i] = fabsf(x[i]);
		epilogue_reduce_max<0, 0>(amax, at, y);
	}
};

#endif
