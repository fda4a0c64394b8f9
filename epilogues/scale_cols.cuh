/* x * scale[column], as the dequantisation of a matrix B that was quantised
 * column by column needs it.
 *
 * input scale N */
#ifndef GEMMJUDGE_STAGE_SCALE_COLS_CUH
#define GEMMJUDGE_STAGE_SCALE_COLS_CUH

template <class Element> struct stage_scale_cols {
	static constexpr int instructions = 2;
	const Element *scale;

	template <class Visit> __host__ __device__ constexpr void memory(Visit &visit) const
	{
		visit.columns(scale);
	}

	template <int V>
	__device__ __forceinline__ void operator()(float (&x)[V], const epilogue_coordinate &at) const
	{
		float s[V];
		epilogue_load_columns(scale, at, s);
#pragma unroll
		for (int i = 0; i < V; i++)
			x[i] *= s[i];
	}
};

#endif
