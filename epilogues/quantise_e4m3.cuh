/* Stores x * scale, rounded to e4m3, saturated at 448; the chain goes on with x.
 *
 * input scale 1 float
 * output codes M N e4m3 */
#ifndef GEMMJUDGE_STAGE_QUANTISE_E4M3_CUH
#define GEMMJUDGE_STAGE_QUANTISE_E4M3_CUH

#include "epilogue_fp8.cuh"

template <class Element> struct stage_quantise_e4m3 {
	const float *scale;
	__nv_fp8_e4m3 *codes;

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
