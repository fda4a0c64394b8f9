/* x + bias[row]: one value for each of the M rows.
 *
 * input bias M */
#ifndef GEMMJUDGE_STAGE_BIAS_ROWS_CUH
#define GEMMJUDGE_STAGE_BIAS_ROWS_CUH

template <class Element> struct stage_bias_rows {
	static constexpr int instructions = 2;
	const Element *bias;

	template <class Visit> __host__ __device__ constexpr void memory(Visit &visit) const
	{
		visit.rows(bias);
	}

	template <int V>
	__device__ __forceinline__ void operator()(float (&x)[V], const epilogue_coordinate &at) const
	{
		float b = epilogue_to_float(bias[at.row]);
#pragma unroll
		for (int i = 0; i < V; i++)
			x[i] += b;
	}
};

#endif
