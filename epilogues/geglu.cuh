/* GEGLU: stores gelu(gate) * up, where columns 2i and 2i + 1 of C are gate and up of column i:
 * B has the columns of the two weights in turn. gelu is in its tanh form. The chain goes on with x.
 * Behind the last column of an odd N, up is 0.
 *
 * output gated M N/2 */
#ifndef GEMMJUDGE_STAGE_GEGLU_CUH
#define GEMMJUDGE_STAGE_GEGLU_CUH

#include "gelu.cuh"

template <class Element> struct stage_geglu {
	Element *gated;
	static constexpr int columns = 2;

	template <class Visit> __host__ __device__ constexpr void memory(Visit &visit) const
	{
		visit.output(gated);
	}

	template <int V>
	__device__ __forceinline__ void operator()(float (&x)[V], const epilogue_coordinate &at) const
	{
		float y[V / 2];
#pragma unroll
		for (int i = 0; i < V / 2; i++) {
			float up = at.column + 2 * i + 1 < at.N ? x[2 * i + 1] : 0.0f;
			y[i] = stage_gelu<Element>{}(x[2 * i]) * up;
		}
		epilogue_store_pairs(gated, at, y);
	}
};

#endif
