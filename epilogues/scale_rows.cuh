/* x * scale[row], as the dequantisation of a matrix A that was quantised row by
 * row needs it.
 *
 * input scale M float */
#ifndef GEMMJUDGE_STAGE_SCALE_ROWS_CUH
#define GEMMJUDGE_STAGE_SCALE_ROWS_CUH

template <class Element> struct stage_scale_rows {
	static constexpr int instructions = 2;
	const float *scale;

	template <class Visit> __host__ __device__ constexpr void memory(Visit &visit) const
	{
		visit.rows(scale);
	}

	template <int V>
	__device__ __forceinline__ void operator()(float (&x)[V], const epilogue_coordinate &at) const
	{
		float s = scale[at.row];
#pragma unroll
		for (int i = 0; i < V; i++)
			x[i] *= s;
	}
};

#endif
