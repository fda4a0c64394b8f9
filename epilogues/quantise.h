/* The stages that quantise; no stage itself. Code is what they store: its conversion from float
 * rounds and saturates. */
#ifndef GEMMJUDGE_QUANTISE_H
#define GEMMJUDGE_QUANTISE_H

template <class Code> struct quantise_stage {
	const float *scale;
	Code *codes;

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
