/* x + bias[column]: one value for each of the N columns.
 *
 * input bias N */
#ifndef GEMMJUDGE_STAGE_BIAS_CUH
#define GEMMJUDGE_STAGE_BIAS_CUH

template <class Element> struct stage_bias {
	static constexpr int instructions = 2;
	const Element *bias;

	template <class Visit> __host__ __device__ constexpr void memory(Visit &visit) const
	{
		visit.columns(bias);
	}

	template <int V>
	__device__ __forceinline__ void operator()(float (&x)[V], const epilogue_coordinate &at) const
	{
		float b[V];
		epilogue_load_columns(bias, at, b);
#pragma unroll
		for (int i = 0; i < V; i++)
			x[i] += b[i];
	}
};

#endif
