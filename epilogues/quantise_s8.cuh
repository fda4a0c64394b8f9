/* Stores x * scale, rounded to an integer from -128 to 127; the chain goes on with x.
 *
 * input scale 1 float
 * output codes M N int8 */
#ifndef GEMMJUDGE_STAGE_QUANTISE_S8_CUH
#define GEMMJUDGE_STAGE_QUANTISE_S8_CUH

template <class Element> struct stage_quantise_s8 {
	const float *scale;
	int8_t *codes;

	template <class Visit> __host__ __device__ constexpr void memory(Visit &visit) const
	{
		visit.other(scale);
		visit.output(codes);
	}

	template <int V>
	__device__ __forceinline__ void operator()(float (&x)[V], const epilogue_coordinate &at) const
	{
		float s = epilogue_load_one(scale), y[V];
#pragma unroll
		for (int i = 0; i < V; i++)
			y[i] = x[i] * s;
		epilogue_store_matrix(codes, at, y);
	}
};

#endif
