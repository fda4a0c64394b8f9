/* x * scale, with one scale for each block of 128 rows and 128 columns.
 *
 * input scale M/128 N/128 float */
#ifndef GEMMJUDGE_STAGE_SCALE_BLOCKS_CUH
#define GEMMJUDGE_STAGE_SCALE_BLOCKS_CUH

template <class Element> struct stage_scale_blocks {
	static constexpr int instructions = 2;
	const float *scale;

	template <class Visit> __host__ __device__ constexpr void memory(Visit &visit) const
	{
		visit.other(scale);
	}

	template <int V>
	__device__ __forceinline__ void operator()(float (&x)[V], const epilogue_coordinate &at) const
	{
		float s[V];
		epilogue_load_blocks<128, 128>(scale, at, s);
#pragma unroll
		for (int i = 0; i < V; i++)
			x[i] *= s[i];
	}
};

#endif
