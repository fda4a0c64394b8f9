/* x + bias[column]: one value for each of the N columns.
 *
 * input bias N */
#ifndef GEMMJUDGE_STAGE_BIAS_CUH
#define GEMMJUDGE_STAGE_BIAS_CUH

template <class Element> struct stage_bias {
	const Element *bias;

	__device__ __forceinline__ void prefetch(const epilogue_place &at) const
	{
		epilogue_prefetch_columns(bias, at);
	}
	__device__ __forceinline__ bool prefetches_rows(void) const
	{
		return false;
	}

	template <int V>
	__device__ __forceinline__ void operator()(float (&x)[V], const epilogue_place &at) const
	{
		float b[V];
		epilogue_load_columns(bias, at, b);
#pragma unroll
		for (int i = 0; i < V; i++)
			x[i] += b[i];
	}
};

#endif
